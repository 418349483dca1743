// A page in Chromium, and the program whose page it is.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

export function ensure(holds, why) {
  if (!holds) throw new Error(why);
}

/** One page. What happens on it is kept: addresses asked for, scripts that failed, complaints, and dialogs. */
export class Page {
  asked = [];
  failed = [];
  complaints = [];
  dialogs = 0;

  static async open(executablePath) {
    const self = new Page();
    self.browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-quic', '--hide-scrollbars'] });
    self.page = await self.browser.newPage();
    self.page.on('request', (request) => self.asked.push(request.url()));
    self.page.on('pageerror', (error) => self.failed.push(error.stack));
    self.page.on('dialog', (dialog) => {
      self.dialogs += 1;
      dialog.dismiss();
    });
    const session = await self.page.context().newCDPSession(self.page);
    session.on('Log.entryAdded', ({ entry }) => self.complaints.push(entry));
    await session.send('Log.enable');
    self.session = session;
    return self;
  }

  close() {
    return this.browser.close();
  }

  /** What an expression is, for the scripts of the page: what they call by name is there, whatever the page forbids scripts to do. */
  async evaluate(expression) {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.session.send('Runtime.evaluate', asked);
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
    await this.page.goto(url, { waitUntil: 'load' });
  }

  /** How the page is shown. */
  async look(colorScheme, width, height) {
    await this.page.emulateMedia({ colorScheme });
    await this.page.setViewportSize({ width, height });
  }

  tab() {
    return this.page.keyboard.press('Tab');
  }

  picture(path) {
    return this.page.screenshot({ path });
  }
}

/** The program while it runs; port 0 is any free one. */
export async function start(program, port = 0) {
  const process = spawn(program, ['--objects', '2000', '--updates', '40', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([once(createInterface(process.stdout), 'line'), once(process, 'exit')]);
  const address = /^listening at (http:\/\/127\.0\.0\.1:(\d+))\/debug\/informers$/.exec(line);
  ensure(address, `the program said ${line}`);
  const stop = async () => {
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  };
  return { url: address[1], port: Number(address[2]), stop };
}
