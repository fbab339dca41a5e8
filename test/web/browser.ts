// A real browser on the real program, for tests of the web client. Whatever the page complains about fails the test: an error in its console,
// a failed request, a request to anybody else, a report of its security policy.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { assert, type Check, PATIENCE } from '../kit.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

/** What has to be on this machine, by name: a test that lacks it then fails instead of being skipped. */
const REQUIRED = (process.env.LONGBOX_TEST_REQUIRE ?? '').split(',');

/** A fact that needs a browser. */
export const checkInBrowser = (check: Check, fact: string, body: () => Promise<void>): void => {
  if (CHROMIUM === undefined && !REQUIRED.includes('chromium')) check.skip(fact, 'it needs chromium');
  else check(fact, body);
};

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1440, height: 900 };

const WAIT_MS = 20_000 * PATIENCE;

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Complaints that the test expects: those that contain this text are passed over. */
  expects(text: string): void;
}

interface VisitOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  readonly hasTouch?: boolean;
  readonly isMobile?: boolean;
  readonly deviceScaleFactor?: number;
}

const complaintsOf = (page: Page, address: string): string[] => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) complaints.push(`outside: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    // A screen that is left ends what it asked for.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
  return complaints;
};

let started: Promise<Browser> | undefined;

/** One for all test files of a process, with which it ends; one that has crashed is replaced. */
const browser = async (): Promise<Browser> => {
  if ((await started)?.isConnected() !== true)
    started = chromium.launch({
      ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
  return started as Promise<Browser>;
};

export class Visits {
  /** Opens a path of a server in a fresh profile, and ends with whatever the page complained about. */
  async at(
    address: string,
    path: string,
    use: (visit: Visit) => Promise<void>,
    options: VisitOptions = {},
  ): Promise<void> {
    const context = await (await browser()).newContext({ viewport: DESKTOP, locale: 'en-GB', ...options });
    try {
      context.setDefaultTimeout(WAIT_MS);
      const page = await context.newPage();
      const complaints = complaintsOf(page, address);
      const expected: string[] = [];
      await page.goto(address + path);
      await use({ page, context, expects: (text) => expected.push(text) });
      assert.equal(
        complaints.filter((one) => !expected.some((text) => one.includes(text))),
        [],
      );
    } finally {
      await context.close();
    }
  }
}
