// What a test asks the page of a book that is being read. What runs in the page is text here: the tests know no documents.
import type { Page } from 'playwright-core';
import { until } from '../../app.js';

/** The last page on the screen, as announced to screen readers: 'Page 3 of 8', 'Pages 2–3 of 8'. */
export const said = async (page: Page): Promise<number> => {
  const text = (await page.locator('.stage > p.visually-hidden').textContent()) ?? '';
  return Number(/^Pages? (?:\d+–)?(\d+) of/.exec(text)?.[1]);
};

/** The pages on the screen, from left to right. */
export const shown = (page: Page): Promise<readonly number[]> =>
  page.locator('.spread .leaf').evaluateAll((leaves) => leaves.map((leaf) => Number(leaf.getAttribute('data-page'))));

export const isShown = (page: Page, wanted: readonly number[]): Promise<void> =>
  until(`pages ${wanted} are shown`, async () => (await shown(page)).join() === wanted.join());

export const scrollBy = (page: Page, by: number, times: number): Promise<void> =>
  page.evaluate(`(async () => {
    const strip = document.querySelector('.strip');
    for (let turn = 0; turn < ${times}; turn++) {
      strip.scrollBy({ top: ${by}, behavior: 'instant' });
      await new Promise(requestAnimationFrame);
    }
  })()`);

/** The number of the page under the line at which one reads, counted from the boxes themselves. */
export const pageAtLine = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const strip = document.querySelector('.strip');
    const end = strip.querySelector('.strip-tail').offsetTop;
    const line = strip.scrollTop * (end / (end - strip.clientHeight));
    const passed = [...strip.querySelectorAll('.leaf')].filter((leaf) => leaf.offsetTop <= line);
    return Math.max(...passed.map((leaf) => Number(leaf.dataset.page)));
  })()`);

export const WATCH_SHIFTS = `{
  window.shifts = [];
  new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.toJSON())))
    .observe({ type: 'layout-shift' });
}`;

export const watchShifts = (page: Page): Promise<void> => page.evaluate(WATCH_SHIFTS);

export const shiftsOf = (page: Page): Promise<readonly { readonly value: number }[]> => page.evaluate('window.shifts');

/** What could not be told yet. */
export const savedPositions = (page: Page): Promise<readonly string[]> =>
  page.evaluate(
    `Object.entries(localStorage).filter(([key]) => key.startsWith('longbox.place.')).map(([, text]) => String(text))`,
  );

/** Chromium without a window hides no tab, so the page is told that it is hidden, and shown again; it then asks what was missed. */
export const whileHidden = async (page: Page, during: () => Promise<unknown>): Promise<void> => {
  const turn = (state: 'hidden' | 'visible'): Promise<unknown> =>
    page.evaluate(`{
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange'));
    }`);
  await turn('hidden');
  await during();
  const asked = page.waitForResponse((response) => response.url().endsWith('/progress'));
  await turn('visible');
  await asked;
};

/** What is read elsewhere from here on is told to the page. */
export const isFollowing = async (page: Page): Promise<void> => {
  const opened = page.waitForResponse((response) => response.url().includes('/events/stream'));
  await whileHidden(page, async () => undefined);
  await opened;
};
