'use strict';

// What comes from the program enters the document as text, and never as markup: `make` has no way to say otherwise.
const byId = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function draw(tag, attributes) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  return node;
}

// Writes only what has changed, so that a selection stays and a screen reader is not told twice.
function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const whole = new Intl.NumberFormat('en');

function count(number) {
  return whole.format(number || 0);
}

function rate(number) {
  if (number === null || number === undefined) return '–';
  if (number > 0 && number < 0.05) return '< 0.1/s';
  return (number < 10 ? number.toFixed(1) : whole.format(Math.round(number))) + '/s';
}

function bytes(number) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let place = 0;
  while (number >= 1024 && place < units.length - 1) {
    number /= 1024;
    place += 1;
  }
  return (place > 0 && number < 10 ? number.toFixed(1) : Math.round(number)) + ' ' + units[place];
}

function time(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds > 0 && seconds < 0.001) return '< 1 ms';
  if (seconds > 0 && seconds < 1) return Math.round(seconds * 1000) + ' ms';
  if (seconds < 120) return Math.floor(seconds) + ' s';
  if (seconds < 7200) return Math.floor(seconds / 60) + ' min';
  if (seconds < 172800) return Math.floor(seconds / 3600) + ' h';
  return Math.floor(seconds / 86400) + ' d';
}

const ago = (seconds) => (seconds === null || seconds === undefined ? 'never' : time(seconds) + ' ago');

function pause(milliseconds) {
  return new Promise((over) => setTimeout(over, milliseconds));
}

// Reads the events of one answer to its end.
async function read(answer, heard) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      if (part.startsWith('data: ')) heard(JSON.parse(part.slice(6)));
    }
  }
}

// Follows a stream of events and connects again when it ends, until the signal says stop. `state` is told 'live', 'lost', or
// 'refused' with what the program says and the status.
async function follow(url, headers, signal, heard, state) {
  let wait = 500;
  while (!signal.aborted) {
    let isRefused = false;
    try {
      const answer = await fetch(url, { headers: { Accept: 'text/event-stream', ...headers }, signal });
      if (answer.ok) {
        wait = 500;
        state('live');
        await read(answer, heard);
      } else {
        const text = await answer.text();
        isRefused = true;
        state('refused', text, answer.status);
        // Whoever is told begins anew.
        if (answer.status === 401 || answer.status === 409) return;
      }
    } catch (error) {
      if (signal.aborted) return;
    }
    if (signal.aborted) return;
    if (!isRefused) state('lost');
    await pause(wait);
    wait = Math.min(wait * 2, 5000);
  }
}
