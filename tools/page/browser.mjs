// A page in Chromium, and the program whose page it is.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

export function ensure(holds, why) {
  if (!holds) throw new Error(why);
}

/** Nothing that is asked of the browser or the program may take longer, in milliseconds. */
const LIMIT = 60_000;

/** Narrower than this is a phone, which shows a page as the page asks it to. */
const PHONE = 600;

/** What a promise gives, if that is within the limit. */
async function within(what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${LIMIT / 1000} s: ${what}`)), LIMIT);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One page. What happens on it is kept: addresses asked for, scripts that failed, complaints, and dialogs. */
export class Page {
  asked = [];
  failed = [];
  complaints = [];
  dialogs = 0;

  static async open(executablePath) {
    const self = new Page();
    const args = ['--no-sandbox', '--disable-quic', '--hide-scrollbars'];
    self.browser = await chromium.launch({ executablePath, args, timeout: LIMIT });
    // Without a size of playwright's, which would take the place of that of `look`.
    self.page = await within('a page', self.browser.newPage({ viewport: null }));
    self.page.on('request', (request) => self.asked.push(request.url()));
    self.page.on('pageerror', (error) => self.failed.push(error.stack));
    self.page.on('dialog', (dialog) => {
      self.dialogs += 1;
      dialog.dismiss();
    });
    const session = await within('a session', self.page.context().newCDPSession(self.page));
    session.on('Log.entryAdded', ({ entry }) => self.complaints.push(entry));
    self.session = session;
    await self.send('Log.enable');
    return self;
  }

  /** Chromium is ended with this program at the latest. */
  close() {
    return within('the end of the browser', this.browser.close());
  }

  send(method, parameters) {
    return within(method, this.session.send(method, parameters));
  }

  /** What an expression is, for the scripts of the page: what they call by name is there, whatever the page forbids scripts to do. */
  async evaluate(expression) {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await within(expression, this.session.send('Runtime.evaluate', asked));
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** Waits until a condition holds. */
  async until(what, condition) {
    const end = Date.now() + 30_000;
    while (!(await this.evaluate(`Boolean(${condition})`))) {
      ensure(Date.now() < end, `not within 30 s: ${what}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async go(url) {
    await this.page.goto(url, { waitUntil: 'load', timeout: LIMIT });
  }

  /** How the page is shown. */
  async look(colorScheme, width, height) {
    await within('a colour scheme', this.page.emulateMedia({ colorScheme }));
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < PHONE });
  }

  tab() {
    return within('a key', this.page.keyboard.press('Tab'));
  }

  picture(path) {
    return this.page.screenshot({ path, timeout: LIMIT });
  }
}

/** The program while it runs; port 0 is any free one. */
export async function start(program, port = 0) {
  const process = spawn(program, ['--objects', '2000', '--updates', '40', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(process, 'exit');
  const stop = async () => {
    process.kill('SIGKILL');
    await ended;
  };
  try {
    const said = Promise.race([once(createInterface(process.stdout), 'line'), ended]);
    const [line] = await within('the address of the program', said);
    const address = /^listening at (http:\/\/127\.0\.0\.1:(\d+))\/debug\/informers$/.exec(line);
    ensure(address, `the program said ${line}`);
    return { url: address[1], port: Number(address[2]), stop };
  } catch (error) {
    // Nobody else would end it.
    await stop();
    throw error;
  }
}
