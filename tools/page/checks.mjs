// What has to be true of the pages.

import { isDeepStrictEqual } from 'node:util';
import { ensure } from './browser.mjs';
import { inTheBackground, manyInformers, tooManyViewers } from './load.mjs';

/** Whatever is on a page can be read: how little contrast a text has to what is behind it, at least. */
const CONTRAST = `(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (colour) => colour.slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, place) => sum + c * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  let least = [99, ''];
  let seen = 0;
  for (const node of document.querySelectorAll('body *')) {
    const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!hasText || !node.checkVisibility() || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.tagName)) continue;
    seen += 1;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least[0]) least = [contrast, node.tagName + ' ' + node.className + ': ' + node.textContent.slice(0, 40)];
  }
  return { seen, least: least[0], where: least[1] };
})()`;

/** What a keyboard has to reach. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')]
  .filter((node) => node.checkVisibility())`;

/** The rows of queues, each with its texts. */
const QUEUES = "[...document.querySelectorAll('#queues tbody tr')].map((row) => [...row.children].map((one) => one.textContent))";

/** Calls a function of the page with the one text of an element. */
const textOf = (id) => `document.getElementById('${id}').textContent`;

export const live = (page) => page.until('it is live', `${textOf('link')}.includes('live')`);

async function threeInformers(page) {
  await page.until('three informers are shown', "document.querySelectorAll('article').length === 3");
  const pods = await page.evaluate("document.querySelector('article').textContent");
  for (const word of ['pods', 'watching', '2,000', 'slow', 'first 1']) ensure(pods.includes(word), `${word} is not in ${pods}`);
}

/** The plot moves. */
export async function goesOn(page) {
  const curve = "document.querySelector('.curve').getAttribute('d')";
  const before = await page.evaluate(curve);
  await page.until('it updates by itself', `${curve} !== ${JSON.stringify(before)}`);
}

/** A queue has its row, with counts that grow and their rates. */
async function queues(page) {
  ensure(await page.evaluate("document.getElementById('queues').checkVisibility()"), 'the queues are not shown');
  const titles = await page.evaluate("[...document.querySelectorAll('#queues thead th')].map((one) => one.textContent)");
  const wanted = ['queue', 'due', 'later', 'running', 'longest run', 'runs', 'failed', 'retries', 'oldest key', 'due for'];
  ensure(isDeepStrictEqual(titles, wanted), `the columns of queues are ${titles}`);
  // Such as `1,234, 40/s`.
  const hasRates = `(([web]) => web[0] === 'web' && [5, 6, 7].every((place) => /^[0-9,]+, .*\\d\\/s$/.test(web[place])))(${QUEUES})`;
  await page.until('a queue has counts and rates', hasRates);
  await page.until('its oldest key is shown', `(${QUEUES})[0][8] === 'shop/web-00017'`);
  const before = await page.evaluate(`(${QUEUES})[0][5]`);
  await page.until('its runs grow', `(${QUEUES})[0][5] !== ${JSON.stringify(before)}`);
}

/** The kind that takes most memory comes first, and the bars say how much the others take beside it. */
async function memory(page) {
  const rows = await page.evaluate(
    `[...document.querySelectorAll('#memory tbody tr')].map((row) => [row.children[0].textContent,
      Number(row.querySelector('.bar .part').getAttribute('width')), row.children[2].textContent])`,
  );
  const [names, bars] = [rows.map((row) => row[0]), rows.map((row) => row[1])];
  ensure(names.length === 3 && names[0] === 'pods', `the kinds by memory are ${names}`);
  ensure(bars[0] === 100 && bars.every((bar, place) => place === 0 || bars[place - 1] >= bar), `the bars are ${bars}`);
  ensure(/(KiB|MiB)$/.test(rows[0][2]), `the pods take ${rows[0][2]}`);
}

/** In these colours and this width every text can be read. */
const readable = (scheme, width) => async (page) => {
  await page.look(scheme, width, 860);
  const { seen, least, where } = await page.evaluate(CONTRAST);
  ensure(seen > 20, `only ${seen} texts`);
  ensure(least >= 4.5, `${scheme}: a contrast of ${least.toFixed(2)} at ${where}`);
};

/** Nothing has to be scrolled sideways, but tables within their boxes. */
const fits = (width) => async (page) => {
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  ensure(wide <= width, `${wide} pixels wide in a window of ${width}`);
};

async function fewRows(page) {
  const rows = await page.evaluate("document.querySelectorAll('tbody tr').length");
  ensure(rows > 0 && rows <= 200, `${rows} rows`);
}

/** Every control gets the focus by Tab alone, and shows it. */
async function reachable(page) {
  await page.look('light', 1280, 900);
  await page.evaluate('document.activeElement.blur(); window.reached = new Set(); window.unseen = []');
  const number = await page.evaluate(`${CONTROLS}.length`);
  ensure(number > 3, `only ${number} controls`);
  // What changes meanwhile may come and go, so there are a few more.
  for (let pressed = 0; pressed < number + 40; pressed += 1) {
    await page.tab();
    await page.evaluate(`(() => { const at = document.activeElement; window.reached.add(at);
      if (at !== document.body && getComputedStyle(at).outlineStyle === 'none') window.unseen.push(at.outerHTML.slice(0, 80)); })()`);
  }
  const missed = await page.evaluate(
    `${CONTROLS}.filter((node) => !window.reached.has(node) && !node.closest('#feed')).map((node) => node.outerHTML.slice(0, 80))`,
  );
  ensure(missed.length === 0, `not reached by Tab: ${missed}`);
  const unseen = await page.evaluate('window.unseen');
  ensure(unseen.length === 0, `focus not shown: ${unseen}`);
}

/** Searches, and opens an object that changes. */
export async function openObject(page, program) {
  await page.go(`${program.url}/debug/objects`);
  await page.until('objects are found', `${textOf('found')}.includes('2,000 found')`);
  await page.evaluate(`document.getElementById('labels').value = 'app=web';
    document.getElementById('field').value = 'spec.nodeName=node-40'; document.getElementById('search').requestSubmit()`);
  await page.until('some are found by label and field', `${textOf('found')} === '4 found'`);
  await page.until('something changes', "document.querySelector('#feed button')");
  // The first of them changes all the time.
  await page.evaluate("document.querySelector('#results tbody button').click()");
  await page.until('its YAML is shown', `${textOf('yaml')}.includes('nodeName: node-40')`);
  const changes = "[...document.querySelectorAll('#one-changes strong')].filter((one) => one.textContent === 'status.observed')";
  await page.until('what changed is shown', `${changes}.length > 2`);
}

/** Shows objects of one of the kinds. */
const choose = (page, kind) =>
  page.evaluate(`document.getElementById('kind').value = '${kind}'; document.getElementById('kind').dispatchEvent(new Event('change'))`);

/** Texts that try to be markup are texts. */
async function hostile(page) {
  await page.look('light', 1280, 900);
  await page.evaluate("for (const id of ['labels', 'field', 'name']) document.getElementById(id).value = ''");
  await choose(page, 1);
  await page.until('the hostile ones are found', `${textOf('found')} === '5 found'`);
  const buttons = await page.evaluate("document.querySelectorAll('#results tbody button').length");
  ensure(buttons === 5, `${buttons} of 5`);
  for (let number = 0; number < 5; number += 1) {
    await page.evaluate(`document.querySelectorAll('#results tbody button')[${number}].click()`);
    await page.until('its YAML is shown', `${textOf('yaml')}.includes('(1048576 bytes)')`);
  }
  const shown = await page.evaluate("document.body.textContent.includes('<img src=x onerror=alert(1)>')");
  ensure(shown, 'the markup is shown as it is');
  const made = await page.evaluate('[document.scripts.length, document.images.length]');
  ensure(isDeepStrictEqual(made, [1, 0]), `scripts and images: ${made}`);
  ensure(page.dialogs === 0, 'a script of an object has run');
}

/** Of Secrets only names and sizes are there. */
async function sensitive(page) {
  await choose(page, 2);
  await page.until('secrets are found', "document.querySelector('#results tbody').textContent.includes('credentials-0')");
  await page.evaluate("document.querySelector('#results tbody button').click()");
  await page.until('one is shown', `${textOf('one-note')}.includes('names and sizes')`);
  ensure(!(await page.evaluate("document.body.textContent.includes('aHVudGVy')")), 'a value of a Secret is shown');
}

/** Nothing was asked of anybody else, and the browser had nothing to complain about but the lost connection. */
export async function undisturbed(page) {
  const elsewhere = page.asked.filter((url) => !url.startsWith('http://127.0.0.1:') && url !== 'data:,');
  ensure(elsewhere.length === 0, `it asks for ${elsewhere}`);
  ensure(page.failed.length === 0, `a script failed: ${page.failed}`);
  const complaints = page.complaints.filter((entry) => entry.source !== 'network');
  ensure(complaints.length === 0, `the browser says: ${JSON.stringify(complaints)}`);
}

async function informers(page, program) {
  await page.look('light', 1280, 900);
  await page.go(`${program.url}/debug/informers`);
  await live(page);
}

/** Of the page of informers, in this order. */
export const INFORMERS = [
  informers,
  threeInformers,
  goesOn,
  queues,
  memory,
  ...[['light', 1280], ['dark', 1280], ['dark', 400]].flatMap(([scheme, width]) => [readable(scheme, width), fits(width)]),
  reachable,
  fewRows,
  manyInformers,
  tooManyViewers,
];

/** Of the browser of objects. */
export const OBJECTS = [
  openObject,
  inTheBackground,
  fewRows,
  reachable,
  ...[['dark', 1280], ['light', 400]].flatMap(([scheme, width]) => [readable(scheme, width), fits(width)]),
  hostile,
  sensitive,
];
