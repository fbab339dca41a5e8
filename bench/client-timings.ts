// How soon the web client can be used, what it loads for that, and how long a page takes to turn. What runs in a page is text here.
import { type Client, untilIn } from './client-browser.js';
import { openScreen, type Screen } from './client-scroll.js';

/** Remembers when every picture that is seen is drawn, and at least one is. */
const DRAWN = `{
  const isSeen = (one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  };
  const look = () => {
    const seen = [...document.querySelectorAll('main img')].filter(isSeen);
    if (seen.length > 0 && seen.every((one) => one.complete && one.naturalWidth > 0))
      requestAnimationFrame((now) => { window.drawnMs = now; });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => requestAnimationFrame((now) => { window.keyMs = now - timeStamp; }));
  }, true);
}`;

/** The page measures the time itself, so checks need not be frequent. */
const RARELY_MS = 250;

export interface Start {
  /** Until the first covers are drawn, and a key has been answered. */
  readonly ms: number;
  /** Of the scripts up to then, as they were sent. */
  readonly scriptBytes: number;
}

export const startOf = (client: Client, slower: number): Promise<Start> => {
  let scriptBytes = 0;
  return client.window(
    async ({ page }) => {
      await page.goto(`${client.base}/`, { waitUntil: 'commit' });
      await untilIn(page, 'window.drawnMs !== undefined', RARELY_MS);
      const bytes = scriptBytes;
      await page.keyboard.press('Tab');
      await untilIn(page, 'window.keyMs !== undefined', RARELY_MS);
      if ((await page.evaluate('document.activeElement === document.body')) === true)
        throw new Error('a key did nothing');
      return { ms: (await page.evaluate('window.drawnMs + window.keyMs')) as number, scriptBytes: bytes };
    },
    {
      slower,
      prepare: async ({ page, cdp }) => {
        await page.addInitScript(DRAWN);
        const scripts = new Set<string>();
        cdp.on('Network.responseReceived', ({ requestId, type }) => void (type === 'Script' && scripts.add(requestId)));
        cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
          if (scripts.has(requestId)) scriptBytes += encodedDataLength;
        });
        await cdp.send('Network.enable');
      },
    },
  );
};

/** From the key to the second frame after the new page is decoded. Checks do not wait for frames, which would add one to the result. */
const TURNS = `{
  window.turns = [];
  const picture = () => document.querySelector('.spread .leaf.ready img');
  const shown = () => document.querySelector('.stage > p.visually-hidden')?.textContent;
  addEventListener('keydown', ({ timeStamp }) => {
    const [before, source] = [shown(), picture()?.src];
    const look = () => {
      const image = picture();
      if (shown() === before || image === null || image.src === source) return setTimeout(look);
      const done = () => requestAnimationFrame(() => requestAnimationFrame((now) => window.turns.push(now - timeStamp)));
      image.decode().then(done, look); // decode() rejects if the image is replaced meanwhile
    };
    look();
  }, true);
}`;

const READING: Omit<Screen, 'path'> = { scroller: null, pictures: '.leaf.ready img', pxPerS: 0 };
/** Somebody who reads fast. */
const PACE_MS = 700;

export interface Turns {
  /** Pages that nobody has seen before, one after the other. */
  readonly next: readonly number[];
  /** Back and forth between pages that were seen. */
  readonly warm: readonly number[];
}

/** Milliseconds of each turn of a book that is opened for the first time. */
export const turnsOf = (client: Client, bookId: string, count: number): Promise<Turns> =>
  client.window(async (window) => {
    const { page } = window;
    await openScreen(window, client.base, { path: `/read/${bookId}`, ...READING });
    await page.evaluate(TURNS);
    const turn = async (key: string): Promise<void> => {
      const before = (await page.evaluate('window.turns.length')) as number;
      await page.keyboard.press(key);
      await untilIn(page, `window.turns.length > ${before}`);
      await page.waitForTimeout(PACE_MS);
    };
    for (let at = 0; at < count; at += 1) await turn('ArrowRight');
    const next = (await page.evaluate('window.turns.splice(0)')) as number[];
    for (let at = 0; at < count; at += 1) await turn(at % 2 === 0 ? 'ArrowLeft' : 'ArrowRight');
    return { next, warm: (await page.evaluate('window.turns')) as number[] };
  });
