// The browser of objects. Every stream ends when something else is looked at, and with it the work of the program for it.

const BASE = '/debug/objects/';

// What this page calls itself, so that the program knows which streams are one page's: together they are sent little.
const PAGE = crypto.getRandomValues(new Uint32Array(4)).join('-');

let token = ''; // In this page's memory only.
let searching = new AbortController();
let viewing = new AbortController();
let feeding = new AbortController();

let kinds = []; // The informers that there are, in the order of their numbers.

const headers = () => (token ? { Authorization: 'Bearer ' + token } : {});

function query(values) {
  const set = Object.entries({ ...values, page: PAGE }).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return new URLSearchParams(set).toString();
}

// Which informer is meant, by its number and by what it is: after a restart the number may be that of another one.
function meant() {
  const kind = kinds[byId('kind').value];
  return { informer: byId('kind').value, of: kind.name, apiVersion: kind.apiVersion, kind: kind.kind };
}

const isSame = (one, other) => one && other && one.name === other.name && one.apiVersion === other.apiVersion && one.kind === other.kind;

function state(text, colour) {
  say(byId('link'), text);
  byId('link').className = colour;
}

// What a stream says of its connection.
function connection(name, text, status) {
  if (name === 'live') state('● live', 'good');
  if (name === 'lost') state('▲ connection lost, trying again', 'bad');
  if (name !== 'refused') return;
  // A program that was started again may have another token.
  const isLocked = status === 401;
  if (isLocked) byId('locked').hidden = false;
  if (status === 409) beginAnew();
  state('▲ ' + text.trim() + (isLocked ? '' : ', trying again'), 'bad');
}

// Since when a stream tells of changes. One that was connected again knows none of those before, and the page says so.
function beginning() {
  let times = 0;
  let text = '';
  const heard = (name, ...more) => {
    if (name === 'live') times += 1;
    if (name === 'live' && times > 1) text = ' since ' + new Date().toLocaleTimeString() + ', when this was connected again';
    connection(name, ...more);
    // The program may be another one now, with other kinds.
    if (name === 'live' && times > 1) begin();
  };
  return { heard, text: () => text };
}

// How long ago something was. The page counts on by itself: the program tells only what is new.
function aged(seconds) {
  const node = make('span', { class: 'age' }, ago(seconds));
  node.since = performance.now() - 1000 * seconds;
  return node;
}
setInterval(() => {
  if (document.hidden) return;
  for (const node of document.querySelectorAll('.age')) say(node, ago((performance.now() - node.since) / 1000));
}, 1000);

function note(text) {
  byId('note').hidden = !text;
  say(byId('note'), text || '');
}

const keyOf = (one) => (one.namespace ? one.namespace + '/' : '') + one.name;

function opener(one) {
  const button = make('button', { class: 'plain text', type: 'button' }, keyOf(one));
  button.addEventListener('click', () => open(one));
  return button;
}

function row(one) {
  const labels = (one.labels || []).join('  ') + (one.moreLabels ? '  and ' + one.moreLabels + ' more' : '');
  return make(
    'tr',
    null,
    make('th', { scope: 'row' }, opener(one), one.deleting ? ' (being deleted)' : ''),
    make('td', { class: 'soft text' }, labels),
    make('td', { class: 'number' }, bytes(one.bytes)),
    make('td', { class: 'number' }, one.created ? time((Date.now() - Date.parse(one.created)) / 1000) : '–'),
  );
}

const rows = make('tbody');
byId('results').append(
  make(
    'table',
    { 'aria-labelledby': 'found' },
    make('thead', null, make('tr', null, make('th', { scope: 'col' }, 'object'), make('th', { scope: 'col' }, 'labels'), make('th', { scope: 'col', class: 'number' }, 'packed'), make('th', { scope: 'col', class: 'number' }, 'age'))),
    rows,
  ),
);

function showFound(found) {
  const shown = found.rows.length < found.matched ? ', the first ' + count(found.rows.length) : '';
  const far = found.isOver ? '' : '; searched ' + count(found.searched) + ' of ' + count(found.of);
  say(byId('found'), count(found.matched) + ' found' + shown + far);
  rows.replaceChildren(...found.rows.map(row));
}

let isUnfinished = false; // A search that the page did not see the end of.

async function search() {
  searching.abort();
  const mine = (searching = new AbortController());
  isUnfinished = true;
  if (document.hidden || !kinds.length) return;
  note('');
  const wanted = { ...meant(), name: byId('name').value, labels: byId('labels').value, field: byId('field').value };
  try {
    const answer = await fetch(BASE + 'search?' + query(wanted), { headers: headers(), signal: mine.signal });
    if (!answer.ok) {
      isUnfinished = false;
      rows.replaceChildren();
      say(byId('found'), 'Nothing found');
      if (answer.status === 409) beginAnew();
      else note(await answer.text());
      return;
    }
    await read(answer, showFound);
    if (!mine.signal.aborted) isUnfinished = false;
  } catch (error) {
    if (mine.signal.aborted) return;
    isUnfinished = false;
    state('▲ connection lost; search again', 'bad');
  }
}

const CHANGES = { added: '+ added', updated: '~ updated', deleted: '− deleted' };

function difference(field) {
  const was = field.old === null ? 'new' : 'was ' + field.old;
  const is = field.new === null ? 'gone' : field.new;
  return make('li', { class: 'text' }, make('strong', null, field.path), ': ' + is + ' ', make('span', { class: 'soft' }, '(' + was + ')'));
}

function change(one) {
  const node = make('li', null, CHANGES[one.what] + ' ', aged(one.secondsAgo));
  if (one.differences) {
    const fields = one.differences.fields.map(difference);
    if (one.differences.more) fields.push(make('li', { class: 'soft' }, 'and ' + count(one.differences.more) + ' more'));
    node.append(fields.length ? make('ul', null, ...fields) : ', without a difference');
  }
  return node;
}

function showOne(found) {
  const size = found.object ? bytes(found.object.bytes) + ' packed' + (found.object.version ? ', version ' + found.object.version : '') : 'not in the cache';
  say(byId('one-note'), size + (found.sensitive ? '; of sensitive kinds only names and sizes are shown' : ''));
  byId('yaml').hidden = found.yaml === null;
  say(byId('yaml'), found.yaml || '');
  const changes = found.changes.map(change);
  if (found.forgotten) changes.push(make('li', { class: 'soft' }, count(found.forgotten) + ' more were too fast to be kept'));
  byId('one-changes').replaceChildren(...(changes.length ? changes : [make('li', { class: 'soft' }, 'none' + (viewed.begun.text() || ' yet'))]));
}

let viewed = null; // The object that is open, and since when its changes are told.

function view() {
  viewing.abort();
  if (!viewed || document.hidden) return;
  viewing = new AbortController();
  follow(BASE + 'object?' + query(viewed.wanted), headers(), viewing.signal, showOne, viewed.begun.heard);
}

function open(one) {
  viewed = { wanted: { ...meant(), namespace: one.namespace, name: one.name }, begun: beginning() };
  byId('one').hidden = false;
  say(byId('one-title'), keyOf(one));
  say(byId('yaml'), '');
  view();
  byId('close').focus();
}

function close() {
  viewed = null;
  viewing.abort();
  byId('one').hidden = true;
}

byId('close').addEventListener('click', () => {
  close();
  byId('results').focus();
});

let fed = null; // What the list of changes was told last, and when.
let feedBegun = beginning();

function showFeed() {
  if (!fed) return;
  const { found, at } = fed;
  const since = feedBegun.text();
  say(byId('feed-note'), found.count ? count(found.count) + (since || ' since this was opened') : 'none' + (since || ' yet'));
  // What somebody is about to press stays where it is.
  if (byId('feed').contains(document.activeElement) || byId('feed').matches(':hover')) return;
  const passed = (performance.now() - at) / 1000;
  byId('feed').replaceChildren(
    ...found.last.map((one) => make('li', null, CHANGES[one.what] + ' ', opener(one), ' ', make('span', { class: 'soft' }, aged(one.secondsAgo + passed)))),
  );
}

byId('feed').addEventListener('mouseleave', showFeed);
// Not before it is known where the focus goes.
byId('feed').addEventListener('focusout', () => setTimeout(showFeed));

function feed() {
  feeding.abort();
  if (document.hidden || !kinds.length) return;
  feeding = new AbortController();
  const heard = (found) => {
    fed = { found, at: performance.now() };
    showFeed();
  };
  follow(BASE + 'changes?' + query(meant()), headers(), feeding.signal, heard, feedBegun.heard);
}

// Nothing of the kind that was shown before stays.
function choose() {
  close();
  rows.replaceChildren();
  say(byId('found'), 'Nothing searched yet');
  fed = null;
  byId('feed').replaceChildren();
  say(byId('feed-note'), 'none yet');
  feedBegun = beginning();
  feed();
  search();
}

// Offers the kinds that there are, and says whether the chosen one is still where it was.
function offer(found) {
  const number = byId('kind').value;
  const chosen = kinds[number];
  kinds = found;
  byId('kind').replaceChildren(
    ...kinds.map((kind, place) => make('option', { value: place }, kind.name + ' (' + kind.apiVersion + ' ' + kind.kind + (kind.sensitive ? ', names and sizes only' : '') + ')')),
  );
  const isThere = isSame(kinds[number], chosen);
  const place = isThere ? number : kinds.findIndex((kind) => isSame(kind, chosen));
  if (place >= 0) byId('kind').value = String(place);
  return isThere;
}

// Asks for the kinds. Who was shown something goes on seeing it if it is still there.
async function ask() {
  const answer = await fetch(BASE + 'kinds', { headers: headers() });
  byId('locked').hidden = answer.status !== 401;
  if (!answer.ok) {
    state('▲ ' + (answer.status === 401 ? 'locked' : 'refused'), 'busy');
    note(token ? await answer.text() : '');
    return;
  }
  const isThere = offer(await answer.json());
  if (isThere && !isOther) return;
  isOther = false;
  choose();
}

let isOther = false; // Whether another informer was found at the number of the chosen one.
let isAsking = false; // Several streams may find out at once that the program is another one.

async function begin() {
  if (isAsking) return;
  isAsking = true;
  for (let isOver = false; !isOver; ) {
    try {
      await ask();
      isOver = true;
    } catch (error) {
      state('▲ connection lost, trying again', 'bad');
      await pause(2000);
    }
  }
  isAsking = false;
}

// The streams of the chosen informer have ended. Behind one address there may be several programs, which take turns.
async function beginAnew() {
  isOther = true;
  await pause(500);
  if (isOther) begin();
}

// Whether a browser can send it at all.
function canBeSent(text) {
  try {
    new Headers({ Authorization: 'Bearer ' + text });
    return true;
  } catch (error) {
    return false;
  }
}

byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
byId('unlock').addEventListener('submit', (event) => {
  event.preventDefault();
  const said = byId('token').value.trim();
  // The error of a request that cannot be sent looks like that of a lost connection.
  if (!canBeSent(said)) {
    note('This has characters that no token of a program has.');
    return;
  }
  token = said;
  kinds = []; // What was refused before begins anew.
  begin();
});
byId('kind').addEventListener('change', choose);
// A page in the background needs nothing, and the program should do nothing for it.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    for (const one of [feeding, viewing, searching]) one.abort();
  } else if (byId('kind').value) {
    feed();
    view();
    if (isUnfinished) search();
  }
});
begin();
