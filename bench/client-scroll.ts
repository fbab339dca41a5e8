// Scrolling in the web client, and in bare pages with the same pictures in boxes of fixed sizes. What runs in a page is text here.
import sharp from 'sharp';
import { type Client, untilIn, type Window } from './client-browser.js';
import { percentile } from './measure.js';

/** A screen that scrolls. */
export interface Screen {
  readonly path: string;
  /** What scrolls: a selector, or null for the document. */
  readonly scroller: string | null;
  /** Pictures, one of which is there when the screen is ready. */
  readonly pictures: string;
  readonly pxPerS: number;
}

export interface Scrolled {
  /** 95th percentile of the intervals of requestAnimationFrame, in milliseconds. */
  readonly p95: number;
  readonly rendererMb: number;
}

const elementOf = ({ scroller }: Screen): string =>
  scroller === null ? 'document.scrollingElement' : `document.querySelector(${JSON.stringify(scroller)})`;

const scrolling = (screen: Screen, ms: number): string => `(async () => {
  const element = ${elementOf(screen)};
  const from = element.scrollTop;
  const intervals = [];
  const began = await new Promise(requestAnimationFrame);
  for (let last = began, now; last - began < ${ms}; last = now) {
    now = await new Promise(requestAnimationFrame);
    intervals.push(now - last);
    element.scrollTo({ top: from + (now - began) * ${screen.pxPerS / 1000}, behavior: 'instant' });
  }
  return intervals;
})()`;

const isDrawn = (pictures: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(pictures)})].some((one) => one.complete && one.naturalWidth > 0)`;

export const openScreen = async ({ page }: Window, base: string, screen: Screen): Promise<void> => {
  await page.goto(base + screen.path);
  await untilIn(page, isDrawn(screen.pictures));
  await page.waitForTimeout(1500);
};

/** Once for warming, then measured. */
export const scrolled = async (client: Client, window: Window, screen: Screen, ms: number): Promise<Scrolled> => {
  await openScreen(window, client.base, screen);
  await window.page.evaluate(scrolling(screen, ms));
  await openScreen(window, client.base, screen);
  const intervals = (await window.page.evaluate(scrolling(screen, ms))) as number[];
  return { p95: percentile(intervals, 0.95), rendererMb: await client.rendererMb() };
};

const LOOK_MS = 250;
/** Below this deviation of its greys, a picture of the screen shows one colour. */
const PLAIN = 3;

/** How many of the pictures of the screen, one every quarter of a second, show no image. */
export const blankScreens = async (
  client: Client,
  window: Window,
  screen: Screen,
  ms: number,
): Promise<{ readonly looks: number; readonly blank: number }> => {
  await openScreen(window, client.base, screen);
  const moving = window.page.evaluate(scrolling(screen, ms));
  const pictures: Buffer[] = [];
  const began = performance.now();
  for (let next = LOOK_MS; next < ms; next += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - (performance.now() - began))));
    pictures.push(await window.page.screenshot({ type: 'jpeg', quality: 60 }));
  }
  await moving;
  let blank = 0;
  for (const picture of pictures) if (await isPlain(picture)) blank += 1;
  return { looks: pictures.length, blank };
};

/** By the middle of the screen: bars and rails stand at its edges. */
const isPlain = async (picture: Buffer): Promise<boolean> => {
  const { width = 0, height = 0 } = await sharp(picture).metadata();
  const middle = {
    left: Math.floor(width / 4),
    top: Math.floor(height / 4),
    width: Math.floor(width / 2),
    height: Math.floor(height / 2),
  };
  const { channels } = await sharp(await sharp(picture).extract(middle).greyscale().toBuffer()).stats();
  return (channels[0]?.stdev ?? 0) < PLAIN;
};

const page = (style: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>bare</title><style>body{margin:0;background:#111}${style}</style>${body}</html>`;

/** Pictures in rows. */
export const barePage = (sources: readonly string[], width: number, height: number): string =>
  page(
    'main{display:flex;flex-wrap:wrap;gap:14px}',
    `<main>${sources
      .map(
        (source) => `<img loading="lazy" decoding="async" width="${width}" height="${height}" alt="" src="${source}">`,
      )
      .join('')}</main>`,
  );
