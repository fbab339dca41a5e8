// Chromium for measurements of the web client: signed in, throttled as asked, and asked about its processes.
import { existsSync, readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { LOGIN, type Running } from './program.js';

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-extensions'];
export const WINDOW = { width: 1280, height: 800 };

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly cdp: CDPSession;
}

interface WindowOptions {
  /** How many times slower the processor is than this one. */
  readonly slower?: number;
  readonly prepare?: (window: Window) => Promise<void>;
}

export class Client {
  readonly base: string;
  readonly #browser: Browser;

  private constructor(browser: Browser, program: Running) {
    this.#browser = browser;
    this.base = `http://127.0.0.1:${program.port}`;
  }

  static async open(program: Running): Promise<Client> {
    const path = CHROMIUM === undefined ? {} : { executablePath: CHROMIUM };
    return new Client(await chromium.launch({ ...path, args: ARGUMENTS }), program);
  }

  /** A fresh profile that is signed in. */
  async window<T>(use: (window: Window) => Promise<T>, { slower = 1, prepare }: WindowOptions = {}): Promise<T> {
    const context = await this.#browser.newContext({ viewport: WINDOW, locale: 'en-GB' });
    try {
      const { username, password } = LOGIN;
      const data = { username, password, cookie: true };
      const answer = await context.request.post(`${this.base}/api/v1/auth/login`, { data });
      if (!answer.ok()) throw new Error(`signing in: ${answer.status()}`);
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });
      await prepare?.({ page, context, cdp });
      return await use({ page, context, cdp });
    } finally {
      await context.close();
    }
  }

  /** Proportional set size of the largest renderer, in megabytes. */
  async rendererMb(): Promise<number> {
    const session = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => pssOf(id));
    return Math.max(0, ...sizes);
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

const pssOf = (pid: number): number => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it ended meanwhile
  }
};

const WAIT_MS = 60_000;

const CHECK_MS = 20;

/**
 * Waits until an expression is true in the page, whose security policy forbids the library's own way of waiting. Each check takes time from
 * the page, which matters where its processor is slowed down.
 */
export const untilIn = async (page: Page, expression: string, everyMs = CHECK_MS): Promise<void> => {
  for (const end = performance.now() + WAIT_MS; (await page.evaluate(expression)) !== true; ) {
    if (performance.now() > end) throw new Error(`not so after ${WAIT_MS / 1000} s: ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
};
