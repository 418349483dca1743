// The page of informers. One event a second has the whole state; rates are differences between two of them.

const ROWS = 200;
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

// Columns of a table: a heading, what a row says, and whether it is a number.
function table(columns, label) {
  const head = make('tr', null, ...columns.map(([name, , isNumber]) => make('th', { scope: 'col', class: isNumber ? 'number' : '' }, name)));
  const body = make('tbody');
  const node = make('table', { 'aria-label': label }, make('thead', null, head), body);
  let names = null;
  const update = (rows, keyOf) => {
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
  return { node, update };
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
  const details = make('details', null, summary, make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Namespaces of ' + name }, scopes.node));
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
      stage('Handlers', make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Handlers of ' + name }, handlers.node, none), true),
    ),
    trouble,
    details,
  );
  const update = (data, budget) => {
    const [shape, colour] = phase(data.phase);
    const since = Math.min(...data.scopes.filter((scope) => scope.phase === data.phase).map((scope) => scope.phaseSeconds));
    say(where, data.apiVersion + ' ' + data.kind + (data.sensitive ? ' (sensitive)' : ''));
    say(doing, shape + ' ' + data.phase + (Number.isFinite(since) ? ' for ' + time(since) : '') + (data.synced ? '' : ', not synced'));
    doing.className = 'phase ' + (data.synced ? colour : 'busy');
    parts.forEach((part) => part.update(data));
    const shown = data.handlers.slice(0, budget.take(data.handlers.length));
    handlers.update(shown, (one) => one.name);
    handlers.node.hidden = shown.length === 0;
    none.hidden = shown.length > 0;
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
    scopes.update(details.open ? data.scopes.slice(0, budget.take(data.scopes.length)) : [], (one) => one.scope);
  };
  details.addEventListener('toggle', () => last && show(last));
  return { node, update };
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
byId('queue-table').append(queues.node);

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
byId('memory').append(memory.node);

// At most so many rows are in the document, whatever the program has.
function budget() {
  let left = ROWS;
  return {
    take: (wanted) => {
      const taken = Math.min(wanted, left);
      left -= taken;
      return taken;
    },
  };
}

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
  all.rate = growth('all', all.informers.reduce((total, one) => total + sum(one.scopes, 'events'), 0), all.uptimeSeconds);
  point(ALL, all.rate);
  for (const one of all.informers) {
    one.rate = growth('informer ' + one.name, sum(one.scopes, 'events'), all.uptimeSeconds);
    point(one.name, one.rate);
    for (const handler of one.handlers) {
      handler.rate = growth('handler ' + one.name + '\n' + handler.name, handler.delivered, all.uptimeSeconds);
    }
  }
  all.queues.forEach((queue, place) => {
    // Two may have one name.
    const key = 'queue ' + place + '\n' + queue.name;
    queue.runRate = growth(key + '\nruns', queue.runs, all.uptimeSeconds);
    queue.failureRate = growth(key + '\nfailures', queue.failures, all.uptimeSeconds);
    queue.retryRate = growth(key + '\nretries', queue.retries, all.uptimeSeconds);
  });
}

function show(all) {
  const rows = budget();
  const shown = all.informers.slice(0, rows.take(all.informers.length));
  figures.forEach(([value, text]) => say(value, text(all)));
  for (const name of cards.keys()) {
    if (!shown.some((one) => one.name === name)) {
      cards.get(name).node.remove();
      cards.delete(name);
    }
  }
  for (const one of shown) {
    if (!cards.has(one.name)) {
      cards.set(one.name, card(one.name));
      byId('informers').append(cards.get(one.name).node);
      byId('which').append(make('option', { value: one.name }, one.name));
    }
    cards.get(one.name).update(one, rows);
  }
  byId('queues').hidden = all.queues.length === 0;
  queues.update(all.queues.slice(0, rows.take(all.queues.length)), (one) => one.name);
  const most = Math.max(1, ...shown.map((one) => one.bytesAlive));
  const sizes = shown.map((one) => ({ ...one, share: one.bytesAlive / most })).sort((a, b) => b.bytesAlive - a.bytesAlive);
  memory.update(sizes.slice(0, rows.take(sizes.length)), (one) => one.name);
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
function connection() {
  const text = !isLive ? '▲ connection lost, trying again' : isPaused ? '‖ paused' : '● live';
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
      // A program that was started again counts from the beginning.
      if (last && all.uptimeSeconds < last.uptimeSeconds) seen.clear();
      last = all;
      measure(all);
      if (!isPaused) show(all);
    },
    (state) => {
      isLive = state === 'live';
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
