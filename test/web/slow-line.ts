// A slow line, and whether a screen was ever empty on it: below the menu there is something to see or a sign that it is on its way.
import type { Page } from 'playwright-core';

/** 400 kbit/s, and 300 ms to any answer. */
export const SLOW_LINE = {
  offline: false,
  latency: 300,
  downloadThroughput: 50_000,
  uploadThroughput: 50_000,
} as const;

const WATCH = `(() => {
  let seen = false;
  const look = () => {
    const main = document.querySelector('main');
    const isEmpty = main !== null && document.querySelector('.top nav') !== null &&
      main.innerText.trim() === '' && main.querySelector('.loading, .cover, input, img') === null;
    if (isEmpty) seen = true;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  globalThis.wasEmpty = () => { const was = seen; seen = false; return was; };
})()`;

interface Emptiness {
  /** Whether a frame was empty since this was asked last. */
  wasSeen(): Promise<boolean>;
}

export const watchForEmptiness = async (page: Page): Promise<Emptiness> => {
  await page.addInitScript(WATCH);
  return { wasSeen: () => page.evaluate('wasEmpty()') as Promise<boolean> };
};
