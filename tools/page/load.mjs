// The pages with much to show, with too many viewers, and in the background.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ensure } from './browser.mjs';

/** A program with a hundred informers, as the page would be told: two of one name, three handlers each, and many queues. */
const MANY = `(() => {
  stop.abort();
  const copies = (number, of) => Array.from({ length: number }, (_, place) => of(place));
  const [one, queue] = [last.informers[0], last.queues[0]];
  const handlers = () => copies(3, (number) => ({ ...one.handlers[0], name: number < 2 ? 'same' : 'other' }));
  const named = (place) => (place < 2 ? 'twin' : 'informer-' + place);
  window.many = {
    ...last,
    informers: copies(100, (place) => ({ ...structuredClone(one), name: named(place), handlers: handlers() })),
    queues: copies(90, (place) => ({ ...queue, name: 'queue-' + place })),
  };
  measure(many);
  show(many);
  const number = (selector) => document.querySelectorAll(selector).length;
  const visible = (node) => node.checkVisibility();
  const first = document.querySelector('article');
  return {
    rows: number('tbody tr') <= ROWS,
    informers: number('article'),
    choices: number('#which option'),
    titles: [...document.querySelectorAll('article h3')].slice(0, 3).map((title) => title.textContent),
    without: [...document.querySelectorAll('article')].filter((card) => !card.querySelector('.wide tbody tr')).length,
    none: [...document.querySelectorAll('article p')].filter(visible).filter((text) => text.textContent === 'none').length,
    handlers: [...first.querySelectorAll('.wide tbody th, .wide p')].filter(visible).map((text) => text.textContent),
    queues: number('#queues tbody tr') >= 20 && document.querySelector('#queues p').textContent.startsWith('and '),
    memory: number('#memory tbody tr') >= 20 && document.querySelector('#memory p').textContent.startsWith('and '),
  };
})()`;

/** All but one of them have gone, and the queues. */
const FEW = `(() => {
  const few = { ...many, uptimeSeconds: many.uptimeSeconds + 1, informers: many.informers.slice(0, 1), queues: [] };
  measure(few);
  show(few);
  const number = (selector) => document.querySelectorAll(selector).length;
  return [number('article'), number('#which option'), points.size, seen.size];
})()`;

/** Rows are shared out, what is left out is told, and of what goes nothing stays. */
export async function manyInformers(page) {
  await page.until('the page was told something', 'last && last.queues.length === 1');
  const shown = await page.evaluate(MANY);
  const wanted = {
    rows: true,
    informers: 100,
    choices: 101,
    titles: ['twin', 'twin (2)', 'informer-2'],
    without: 0,
    none: 0,
    handlers: ['same', 'same (2)', 'and 1 more, which the JSON of this address has'],
    queues: true,
    memory: true,
  };
  ensure(isDeepStrictEqual(shown, wanted), `of a hundred informers it shows ${JSON.stringify(shown)}`);
  const kept = await page.evaluate(FEW);
  // All together and the one; of what is counted all, the one, and its three handlers.
  ensure(isDeepStrictEqual(kept, [1, 2, 2, 5]), `of those that went it keeps ${kept}`);
}

/** Who is one viewer too many reads why. */
export async function tooManyViewers(page, program) {
  const viewers = new AbortController();
  await takePlaces(program, viewers.signal);
  // The page that was open before may only now have given its place back.
  await sleep(1_500);
  await takePlaces(program, viewers.signal);
  await page.go(`${program.url}/debug/informers`);
  await page.until('it says that others view already', "document.getElementById('link').textContent.includes('viewing already')");
  viewers.abort();
  await page.until('it goes on', "document.getElementById('link').textContent.includes('live')");
}

/** Views until there is no place. */
async function takePlaces(program, signal) {
  const headers = { accept: 'text/event-stream' };
  for (let viewer = 0; viewer < 100; viewer += 1) {
    const answer = await fetch(`${program.url}/debug/informers`, { headers, signal });
    if (answer.status === 503) return;
    answer.body.pipeTo(new WritableStream(), { signal }).catch(() => {});
  }
  throw new Error('a hundred may view');
}

/** While nobody sees the page the program does nothing for it, and then it goes on with the object that was open. */
export async function inTheBackground(page) {
  // How many streams there are for viewers of objects, which have no names of their own but a number, again and again.
  await page.evaluate(`window.watching = setInterval(async () => {
    const said = await fetch('/debug/informers', { headers: { Accept: 'application/json' } });
    const handlers = (await said.json()).informers.flatMap((one) => one.handlers);
    window.handlers = handlers.filter((one) => /-[0-9]+$/.test(one.name)).length; }, 100)`);
  await page.until('the object and the changes are followed', 'window.handlers === 2');
  await hide(page, true);
  await page.until('nothing is done in the background', 'window.handlers === 0');
  await hide(page, false);
  await page.until('it is followed again', 'window.handlers === 2');
  await page.until(
    'it says that earlier changes are not known',
    "document.getElementById('feed-note').textContent.includes('connected again')",
  );
  await page.evaluate('clearInterval(window.watching)');
}

const hide = (page, isHidden) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);
