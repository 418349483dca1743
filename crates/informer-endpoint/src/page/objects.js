// The browser of objects. Every stream ends when something else is looked at, and with it the work of the program for it.

const BASE = '/debug/objects/';

// What this page calls itself, so that the program knows which streams are one page's: together they are sent little.
const PAGE = crypto.getRandomValues(new Uint32Array(4)).join('-');

let token = ''; // In this page's memory only.
let searching = new AbortController();
let viewing = new AbortController();
let feeding = new AbortController();

const headers = () => (token ? { Authorization: 'Bearer ' + token } : {});

function query(values) {
  const set = Object.entries({ ...values, page: PAGE }).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return new URLSearchParams(set).toString();
}

function state(text, colour) {
  say(byId('link'), text);
  byId('link').className = colour;
}

// What a stream says of its connection.
function connection(name, text) {
  if (name === 'live') state('● live', 'good');
  if (name === 'lost') state('▲ connection lost, trying again', 'bad');
  if (name === 'refused') note(text);
}

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

async function search() {
  searching.abort();
  const mine = (searching = new AbortController());
  note('');
  const wanted = { informer: byId('kind').value, name: byId('name').value, labels: byId('labels').value, field: byId('field').value };
  try {
    const answer = await fetch(BASE + 'search?' + query(wanted), { headers: headers(), signal: mine.signal });
    if (!answer.ok) {
      rows.replaceChildren();
      say(byId('found'), 'Nothing found');
      note(await answer.text());
      return;
    }
    await read(answer, showFound);
  } catch (error) {
    if (!mine.signal.aborted) state('▲ connection lost; search again', 'bad');
  }
}

const CHANGES = { added: '+ added', updated: '~ updated', deleted: '− deleted' };

function difference(field) {
  const was = field.old === null ? 'new' : 'was ' + field.old;
  const is = field.new === null ? 'gone' : field.new;
  return make('li', { class: 'text' }, make('strong', null, field.path), ': ' + is + ' ', make('span', { class: 'soft' }, '(' + was + ')'));
}

function change(one) {
  const node = make('li', null, CHANGES[one.what] + ' ' + ago(one.secondsAgo));
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
  byId('one-changes').replaceChildren(...(changes.length ? changes : [make('li', { class: 'soft' }, 'none yet')]));
}

function open(one) {
  viewing.abort();
  viewing = new AbortController();
  byId('one').hidden = false;
  say(byId('one-title'), keyOf(one));
  say(byId('yaml'), '');
  const wanted = { informer: byId('kind').value, namespace: one.namespace, name: one.name };
  follow(BASE + 'object?' + query(wanted), headers(), viewing.signal, showOne, connection);
  byId('close').focus();
}

byId('close').addEventListener('click', () => {
  viewing.abort();
  byId('one').hidden = true;
  byId('results').focus();
});

function showFeed(found) {
  say(byId('feed-note'), found.count ? count(found.count) + ' since this was opened' : 'none yet');
  // What somebody is about to press stays where it is.
  if (byId('feed').contains(document.activeElement) || byId('feed').matches(':hover')) return;
  byId('feed').replaceChildren(
    ...found.last.map((one) => make('li', null, CHANGES[one.what] + ' ', opener(one), make('span', { class: 'soft' }, ' ' + ago(one.secondsAgo)))),
  );
}

function feed() {
  feeding.abort();
  feeding = new AbortController();
  follow(BASE + 'changes?' + query({ informer: byId('kind').value }), headers(), feeding.signal, showFeed, connection);
}

function choose() {
  viewing.abort();
  byId('one').hidden = true;
  feed();
  search();
}

async function begin() {
  try {
    const answer = await fetch(BASE + 'kinds', { headers: headers() });
    byId('locked').hidden = answer.status !== 401;
    if (!answer.ok) {
      state('▲ ' + (answer.status === 401 ? 'locked' : 'refused'), 'busy');
      note(token ? await answer.text() : '');
      return;
    }
    const kinds = await answer.json();
    byId('kind').replaceChildren(
      ...kinds.map((kind, number) => make('option', { value: number }, kind.name + ' (' + kind.apiVersion + ' ' + kind.kind + (kind.sensitive ? ', names and sizes only' : '') + ')')),
    );
    if (kinds.length) choose();
  } catch (error) {
    state('▲ connection lost, trying again', 'bad');
    await pause(2000);
    begin();
  }
}

byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});
byId('unlock').addEventListener('submit', (event) => {
  event.preventDefault();
  token = byId('token').value.trim();
  begin();
});
byId('kind').addEventListener('change', choose);
// A page in the background needs no changes, and the program should do nothing for it.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) feeding.abort();
  else if (byId('kind').value) feed();
});
begin();
