// The page of informers. One event a second has the whole state; rates are differences between two of them.

// At most so many rows of tables, and so many informers, are in the document, whatever the program has.
const ROWS = 200;
const CARDS = 200;
// Queues and memory have at most so many rows for sure, so that of a hundred informers each has one for its handlers.
const SURE = 40;
const POINTS = 120;
const ALL = 'all informers';

// A phase by word, shape and colour.
const PHASES = {
  watching: ['●', 'good'],
  polling: ['◐', 'busy'],
  listing: ['◐', 'busy'],
  'not started': ['○', 'busy'],
  throttled: ['◐', 'busy'],
  'backing off': ['▲', 'bad'],
  stalled: ['▲', 'bad'],
  unreachable: ['▲', 'bad'],
  gone: ['▲', 'bad'],
  rewound: ['▲', 'bad'],
  stopped: ['■', 'bad'],
};

let isPaused = false;
let last = null;
const seen = new Map(); // What was counted before, by name of what counts.
const points = new Map(); // The plot of each informer.

const sum = (list, field) => list.reduce((total, one) => total + (one[field] || 0), 0);

// How much a count has grown a second since the event before.
function growth(key, value, at) {
  const before = seen.get(key);
  seen.set(key, { value, at });
  if (!before || before.value > value || before.at >= at) return null;
  return (value - before.value) / (at - before.at);
}

// Those of one name get a number, as in `informer top`: informers that are not shared may have the same.
function tellApart(all) {
  const names = new Set();
  const numbers = new Map();
  for (const one of all) {
    const name = one.name;
    let number = numbers.get(name) || 1;
    while (names.has(one.name)) {
      number += 1;
      one.name = name + ' (' + number + ')';
    }
    numbers.set(name, number);
    names.add(one.name);
  }
}

// Shares room out: to each as much as it wants, or else as much as the others get.
function share(wanted, room) {
  const given = wanted.map(() => 0);
  const waits = (place) => given[place] < wanted[place];
  for (let waiting = [...wanted.keys()].filter(waits); room > 0 && waiting.length; waiting = waiting.filter(waits)) {
    const each = Math.max(1, Math.floor(room / waiting.length));
    for (const place of waiting) {
      const more = Math.min(each, wanted[place] - given[place], room);
      given[place] += more;
      room -= more;
    }
  }
  return given;
}

// Columns of a table: a heading, what a row says, and whether it is a number. Under it stands how many rows were left out.
function table(columns, label) {
  const head = make('tr', null, ...columns.map(([name, , isNumber]) => make('th', { scope: 'col', class: isNumber ? 'number' : '' }, name)));
  const body = make('tbody');
  const node = make('table', { 'aria-label': label }, make('thead', null, head), body);
  const rest = make('p', { class: 'soft' });
  let names = null;
  const update = (whole, keyOf, most) => {
    const rows = whole.slice(0, most);
    node.hidden = rows.length === 0;
    rest.hidden = whole.length === rows.length;
    say(rest, (rows.length ? 'and ' + count(whole.length - rows.length) + ' more' : count(whole.length)) + ', which the JSON of this address has');
    const now = rows.map(keyOf).join('\n');
    if (now !== names) {
      names = now;
      body.replaceChildren(
        ...rows.map(() => make('tr', null, ...columns.map(([, , isNumber], place) => (place === 0 ? make('th', { scope: 'row' }) : make('td', { class: isNumber ? 'number' : '' }))))),
      );
    }
    rows.forEach((row, place) => {
      columns.forEach(([, text], column) => {
        const cell = body.children[place].children[column];
        const content = text(row);
        if (content instanceof Node) cell.replaceChildren(content);
        else say(cell, content);
      });
    });
  };
  return { node, rest, update };
}

// Names with what is said of each.
function facts(lines) {
  const cells = lines.map(([, text]) => [make('dd'), text]);
  const node = make('dl', { class: 'facts' });
  lines.forEach(([name], place) => node.append(make('dt', null, name), cells[place][0]));
  return { node, update: (data) => cells.forEach(([cell, text]) => say(cell, text(data))) };
}

function stage(title, part, isWide) {
  return make('li', { class: isWide ? 'stage wide' : 'stage' }, make('h4', null, title), part);
}

const REFLECTOR = [
  ['events', (one) => count(sum(one.scopes, 'events')) + ', ' + rate(one.rate)],
  ['last heard', (one) => ago(one.staleSeconds)],
  ['last change', (one) => ago(least(one.scopes, 'lastEventSeconds'))],
  ['watches', (one) => count(sum(one.scopes, 'watches')) + ', resumed ' + count(sum(one.scopes, 'reconnects'))],
  ['lists', (one) => relists(one.scopes)],
];

const DELTAS = [
  ['waiting', (one) => count(one.queued)],
  ['bytes', (one) => bytes(one.queuedBytes)],
];

const CACHE = [
  ['objects', (one) => count(one.objects)],
  ['packed', (one) => bytes(one.bytesAlive)],
  ['decoded', (one) => bytes(one.decodedBytes)],
  ['versions held', (one) => count(one.versionsAlive)],
];

const HANDLERS = [
  ['handler', (one) => (one.synced ? '' : '◐ filling: ') + one.name],
  ['backlog', (one) => count(one.backlog), true],
  ['calls', (one) => count(one.delivered), true],
  ['rate', (one) => rate(one.rate), true],
  ['slowest', (one) => time(one.slowestSeconds || null), true],
  ['merged', (one) => count(one.merged), true],
  ['panics', (one) => (one.panics ? '▲ ' : '') + count(one.panics), true],
];

const SCOPES = [
  ['namespace', (one) => one.scope],
  ['phase', (one) => phase(one.phase)[0] + ' ' + one.phase + ' for ' + time(one.phaseSeconds)],
  ['version', (one) => one.resourceVersion || '–', true],
  ['events', (one) => count(one.events), true],
  ['heard', (one) => ago(one.lastByteSeconds), true],
  ['lists', (one) => relists([one])],
];

const QUEUES = [
  ['queue', (one) => one.name],
  ['due', (one) => count(one.due), true],
  ['later', (one) => count(one.later), true],
  ['running', (one) => count(one.working), true],
  ['longest run', (one) => time(one.longestRunningSeconds), true],
  ['runs', (one) => count(one.runs) + ', ' + rate(one.runRate), true],
  ['failed', (one) => count(one.failures) + ', ' + rate(one.failureRate), true],
  ['retries', (one) => count(one.retries) + ', ' + rate(one.retryRate), true],
  ['oldest key', (one) => one.oldestKey || '–'],
  ['due for', (one) => time(one.oldestSeconds), true],
];

const phase = (name) => PHASES[name] || ['◐', 'busy'];

function least(list, field) {
  const known = list.map((one) => one[field]).filter((value) => value !== null);
  return known.length ? Math.min(...known) : null;
}

// `2 (first 1, expired 1)`
function relists(scopes) {
  const reasons = new Map();
  for (const scope of scopes) {
    for (const [reason, number] of Object.entries(scope.relists)) reasons.set(reason, (reasons.get(reason) || 0) + number);
  }
  const all = [...reasons.values()].reduce((total, number) => total + number, 0);
  const named = [...reasons].map(([reason, number]) => reason.replaceAll('_', ' ') + ' ' + count(number));
  return count(all) + (named.length ? ' (' + named.join(', ') + ')' : '');
}

// The card of one informer.
function card(name) {
  const where = make('span', { class: 'soft' });
  const doing = make('span', { class: 'phase' });
  const parts = [facts(REFLECTOR), facts(DELTAS), facts(CACHE)];
  const handlers = table(HANDLERS, 'Handlers of ' + name);
  const none = make('p', { class: 'soft' }, 'none');
  const trouble = make('p', { class: 'trouble bad' });
  const scopes = table(SCOPES, 'Namespaces of ' + name);
  const summary = make('summary');
  const details = make('details', null, summary, make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Namespaces of ' + name }, scopes.node, scopes.rest));
  const node = make(
    'article',
    { class: 'card informer', 'aria-label': name },
    make('div', { class: 'title' }, make('h3', { class: 'text' }, name), where, doing),
    make(
      'ol',
      { class: 'pipeline' },
      stage('Reflector', parts[0].node),
      stage('Delta queue', parts[1].node),
      stage('Cache', parts[2].node),
      stage('Handlers', make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Handlers of ' + name }, handlers.node, handlers.rest, none), true),
    ),
    trouble,
    details,
  );
  const update = (data, handlerRows, scopeRows) => {
    const [shape, colour] = phase(data.phase);
    const since = Math.min(...data.scopes.filter((scope) => scope.phase === data.phase).map((scope) => scope.phaseSeconds));
    say(where, data.apiVersion + ' ' + data.kind + (data.sensitive ? ' (sensitive)' : ''));
    say(doing, shape + ' ' + data.phase + (Number.isFinite(since) ? ' for ' + time(since) : '') + (data.synced ? '' : ', not synced'));
    doing.className = 'phase ' + (data.synced ? colour : 'busy');
    parts.forEach((part) => part.update(data));
    handlers.update(data.handlers, (one) => one.name, handlerRows);
    none.hidden = data.handlers.length > 0;
    const failed = data.scopes.filter((scope) => scope.lastError).sort((a, b) => a.lastError.secondsAgo - b.lastError.secondsAgo)[0];
    trouble.hidden = !failed && !data.wrongType;
    if (failed) {
      const status = failed.lastError.httpStatus ? 'HTTP ' + failed.lastError.httpStatus + ', ' : '';
      say(trouble, '▲ last error ' + ago(failed.lastError.secondsAgo) + ': ' + status + failed.lastError.message);
    } else if (data.wrongType) {
      say(trouble, '▲ wrong type: ' + data.wrongType);
    }
    trouble.className = 'trouble ' + (data.phase === 'watching' ? 'soft' : 'bad');
    say(summary, data.scopes.length === 1 ? 'Watch of ' + data.scopes[0].scope : count(data.scopes.length) + ' namespaces');
    scopes.update(details.open ? data.scopes : [], (one) => one.scope, scopeRows);
  };
  details.addEventListener('toggle', () => last && show(last));
  const option = make('option', { value: name }, name);
  const remove = () => {
    node.remove();
    option.remove();
  };
  byId('informers').append(node);
  byId('which').append(option);
  return { update, remove, isOpen: () => details.open };
}

// Figures of the overview.
const FIGURES = [
  ['informers synced', (all) => count(all.informers.filter((one) => one.synced).length) + ' of ' + count(all.informers.length)],
  ['objects', (all) => count(sum(all.informers, 'objects'))],
  ['events', (all) => rate(all.rate)],
  ['packed objects', (all) => bytes(sum(all.informers, 'bytesAlive'))],
  ['decoded objects', (all) => bytes(sum(all.informers, 'decodedBytes'))],
  ['waiting for handlers', (all) => count(all.informers.reduce((total, one) => total + sum(one.handlers, 'backlog'), 0))],
];

const figures = FIGURES.map(([name, text]) => {
  const value = make('dd', null, '–');
  byId('figures').append(make('div', null, make('dt', null, name), value));
  return [value, text];
});

const cards = new Map();
const queues = table(QUEUES, 'Queues of controllers');
byId('queue-table').append(queues.node, queues.rest);

function bar(share) {
  const svg = draw('svg', { class: 'bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  svg.append(draw('rect', { class: 'whole', width: 100, height: 8, rx: 2 }), draw('rect', { class: 'part', width: (100 * share).toFixed(1), height: 8, rx: 2 }));
  return svg;
}

const memory = table(
  [
    ['kind', (one) => one.name],
    ['', (one) => bar(one.share)],
    ['packed', (one) => bytes(one.bytesAlive), true],
    ['decoded', (one) => bytes(one.decodedBytes), true],
    ['an object', (one) => (one.objects ? bytes(one.bytesAlive / one.objects) : '–'), true],
  ],
  'Memory by kind',
);
byId('memory').append(memory.node, memory.rest);

// The plot: a curve with a line for its highest value, which is written below it.
const plot = draw('svg', { viewBox: '0 0 ' + (POINTS - 1) + ' 100', preserveAspectRatio: 'none', role: 'img' });
const area = draw('path', { class: 'area' });
const curve = draw('path', { class: 'curve' });
plot.append(draw('path', { class: 'grid', d: 'M0 99.5H' + POINTS + ' M0 50H' + POINTS + ' M0 4H' + POINTS }), area, curve);
byId('plot').append(plot);

// The next of 1, 2, 5, 10, 20 and so on.
function above(value) {
  const ten = 10 ** Math.floor(Math.log10(value));
  return ten * [1, 2, 5, 10].find((step) => step * ten >= value);
}

function showPlot() {
  const which = byId('which').value || ALL;
  const values = points.get(which) || [];
  const top = above(Math.max(1, ...values));
  const x = (place) => POINTS - values.length + place;
  const y = (value) => (99.5 - (95.5 * value) / top).toFixed(2);
  const line = values.map((value, place) => x(place) + ' ' + y(value)).join(' L');
  curve.setAttribute('d', line ? 'M' + line : '');
  area.setAttribute('d', line ? 'M' + x(0) + ' 99.5 L' + line + ' V99.5 Z' : '');
  const now = values.length ? values[values.length - 1] : null;
  say(byId('plot-top'), 'now ' + rate(now) + ', top line ' + rate(top));
  plot.setAttribute('aria-label', 'Events a second of ' + which + ' in the last two minutes: now ' + rate(now) + ', at most ' + rate(Math.max(0, ...values)));
}

function point(name, value) {
  if (value === null) return;
  const values = points.get(name) || [];
  values.push(value);
  if (values.length > POINTS) values.shift();
  points.set(name, values);
}

function measure(all) {
  tellApart(all.informers);
  tellApart(all.queues);
  all.rate = growth('all', all.informers.reduce((total, one) => total + sum(one.scopes, 'events'), 0), all.uptimeSeconds);
  point(ALL, all.rate);
  for (const one of all.informers) {
    one.rate = growth('informer ' + one.name, sum(one.scopes, 'events'), all.uptimeSeconds);
    point(one.name, one.rate);
    tellApart(one.handlers);
    for (const handler of one.handlers) {
      handler.rate = growth('handler ' + one.name + '\n' + handler.name, handler.delivered, all.uptimeSeconds);
    }
  }
  for (const queue of all.queues) {
    const key = 'queue ' + queue.name;
    queue.runRate = growth(key + '\nruns', queue.runs, all.uptimeSeconds);
    queue.failureRate = growth(key + '\nfailures', queue.failures, all.uptimeSeconds);
    queue.retryRate = growth(key + '\nretries', queue.retries, all.uptimeSeconds);
  }
  forget(all);
}

// Informers and handlers may come and go for as long as the page is open. Of those that went nothing is kept.
function forget(all) {
  for (const [key, { at }] of seen) {
    if (at !== all.uptimeSeconds) seen.delete(key);
  }
  const names = new Set(all.informers.map((one) => one.name));
  for (const name of points.keys()) {
    if (name !== ALL && !names.has(name)) points.delete(name);
  }
}

function show(all) {
  const shown = all.informers.slice(0, CARDS);
  figures.forEach(([value, text]) => say(value, text(all)));
  const names = new Set(shown.map((one) => one.name));
  for (const [name, { remove }] of cards) {
    if (names.has(name)) continue;
    remove();
    cards.delete(name);
  }
  for (const one of shown) {
    if (!cards.has(one.name)) cards.set(one.name, card(one.name));
  }
  // Every table gets some of the rows, and so does every informer in its part of them.
  const scopes = shown.map((one) => (cards.get(one.name).isOpen() ? one.scopes.length : 0));
  const handlers = shown.map((one) => one.handlers.length);
  const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
  const wanted = [total(scopes), total(handlers), all.queues.length, all.informers.length];
  const sure = share(wanted.map((number, place) => (place < 2 ? number : Math.min(number, SURE))), ROWS);
  const more = share(wanted.map((number, place) => number - sure[place]), ROWS - total(sure));
  const rows = sure.map((number, place) => number + more[place]);
  const [scopeRows, handlerRows] = [share(scopes, rows[0]), share(handlers, rows[1])];
  shown.forEach((one, place) => cards.get(one.name).update(one, handlerRows[place], scopeRows[place]));
  byId('queues').hidden = all.queues.length === 0;
  queues.update(all.queues, (one) => one.name, rows[2]);
  const most = Math.max(1, ...all.informers.map((one) => one.bytesAlive));
  const sizes = all.informers.map((one) => ({ ...one, share: one.bytesAlive / most })).sort((a, b) => b.bytesAlive - a.bytesAlive);
  memory.update(sizes, (one) => one.name, rows[3]);
  const hidden = all.informers.length - shown.length;
  byId('more').hidden = hidden === 0;
  say(byId('more'), 'and ' + count(hidden) + ' more, which the JSON of this address has');
  byId('objects').hidden = !all.objects;
  showPlot();
}

byId('which').append(make('option', { value: ALL }, ALL));
byId('which').addEventListener('change', showPlot);
byId('pause').addEventListener('click', () => {
  isPaused = !isPaused;
  byId('pause').setAttribute('aria-pressed', String(isPaused));
  say(byId('pause'), isPaused ? 'Go on' : 'Pause');
  if (!isPaused && last) show(last);
  connection();
});

let isLive = false;
let lost = 'connection lost';
function connection() {
  const text = !isLive ? '▲ ' + lost + ', trying again' : isPaused ? '‖ paused' : '● live';
  say(byId('link'), text);
  byId('link').className = !isLive ? 'bad' : isPaused ? 'busy' : 'good';
}

// A page in the background needs nothing, and the program should do nothing for it.
let stop = null;
function start() {
  if (document.hidden || stop) return;
  stop = new AbortController();
  follow(
    location.pathname,
    {},
    stop.signal,
    (all) => {
      // A program that was started again, and another replica, count from another beginning. Older ones do not say who they are.
      if (last && (all.instance !== last.instance || all.uptimeSeconds < last.uptimeSeconds)) seen.clear();
      last = all;
      measure(all);
      if (!isPaused) show(all);
    },
    (state, text) => {
      isLive = state === 'live';
      lost = state === 'refused' ? text.trim() : 'connection lost';
      connection();
    },
  );
}
document.addEventListener('visibilitychange', () => {
  if (document.hidden && stop) {
    stop.abort();
    stop = null;
  }
  start();
});
start();
