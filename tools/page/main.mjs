// The pages of informer-endpoint in Chromium. `cargo xtask page` calls it: with a program, all is checked, and with an address only
// measured when a page is painted first.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Page, ensure, start } from './browser.mjs';
import * as checks from './checks.mjs';

/** A picture of the documentation is not larger than this. */
const LARGEST = 200_000;

const { values } = parseArgs({
  options: { browser: { type: 'string' }, program: { type: 'string' }, paint: { type: 'string' }, pictures: { type: 'string' } },
});

/** Takes the pictures: light, dark, narrow, and an object. */
async function pictures(page, program, folder) {
  const take = async (name) => {
    const path = join(folder, name);
    await page.picture(path);
    const { size } = statSync(path);
    ensure(size <= LARGEST, `${name} has ${size} bytes, and ${LARGEST} are allowed`);
  };
  await page.look('light', 1280, 900);
  await page.go(`${program.url}/debug/informers`);
  // The plot should have something to show.
  await page.until('the plot is filled', 'points.get(ALL) && points.get(ALL).length >= 25');
  await take('page-light.png');
  await page.look('dark', 1280, 900);
  await take('page-dark.png');
  await page.look('light', 400, 860);
  await take('page-narrow.png');
  await page.look('light', 1280, 900);
  await checks.openObject(page, program);
  await take('page-objects.png');
}

/** When each page was painted first, in milliseconds, and how many rows it has. */
async function paint(page, address) {
  const paint = "performance.getEntriesByName('first-contentful-paint')";
  const pages = [
    ['informers', "document.querySelectorAll('article').length === 3"],
    ['objects', "document.getElementById('found').textContent.includes('100,000 found')"],
  ];
  await page.look('light', 1280, 900);
  for (const [name, isThere] of pages) {
    await page.go(`http://${address}/debug/${name}`);
    await page.until('everything is shown', isThere);
    // It is known a moment after it was painted.
    await page.until('it is painted', `${paint}.length === 1`);
    const after = await page.evaluate(`${paint}[0].startTime`);
    const rows = await page.evaluate("document.querySelectorAll('tbody tr').length");
    console.log(`${name} ${after.toFixed(0)} ${rows}`);
  }
}

async function check(page) {
  let program = await start(values.program);
  try {
    let passed = 0;
    const all = [...checks.INFORMERS, ...checks.OBJECTS];
    for (const one of all) {
      await one(page, program);
      passed += 1;
    }
    if (values.pictures) await pictures(page, program, values.pictures);
    await page.look('light', 1280, 900);
    await page.go(`${program.url}/debug/informers`);
    await checks.live(page);
    const { port } = program;
    await program.stop();
    program = undefined;
    await page.until('it says that the connection is lost', "document.getElementById('link').textContent.includes('lost')");
    program = await start(values.program, port);
    for (const one of [checks.live, checks.goesOn, checks.undisturbed]) {
      await one(page, program);
      passed += 1;
    }
    console.log(`${passed + 1} checks`);
  } finally {
    await program?.stop();
  }
}

const page = await Page.open(values.browser);
try {
  await (values.paint ? paint(page, values.paint) : check(page));
} finally {
  await page.close();
}
