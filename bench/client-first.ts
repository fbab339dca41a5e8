// How soon a screen of the web client shows its first content, compared with a bare page that has the same elements and style from the
// beginning and runs nothing. What runs in a page is text here.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Client, untilIn, type Window } from './client-browser.js';
import { absolute, compared, type Line, median, round } from './measure.js';

interface FirstScreen {
  readonly name: string;
  readonly path: string;
  /** What its first content is. */
  readonly content: string;
}

/** Latency of each request, and bytes per second. */
interface Network {
  readonly latencyMs: number;
  readonly bytesPerS: number;
}

interface First {
  readonly ms: number;
  /** Of requests that began one after the other, up to the content, with the page itself. */
  readonly roundTrips: number;
  readonly requests: number;
  /** As they were sent, with headers. */
  readonly bytes: number;
}

/** Remembers when the content is drawn; an image is, once it is there. */
const shown = (content: string): string => `{
  const isThere = (found) => found !== null && (!(found instanceof HTMLImageElement) || (found.complete && found.naturalWidth > 0));
  const look = () => {
    if (!isThere(document.querySelector(${JSON.stringify(content)}))) requestAnimationFrame(look);
    else requestAnimationFrame((now) => { window.contentMs = now; });
  };
  requestAnimationFrame(look);
}`;

interface Loaded {
  readonly name: string;
  readonly beginMs: number;
  readonly endMs: number;
  readonly bytes: number;
}

/** Everything that was loaded before the content, but for the icon of the window, for which nothing waits. */
const LOADED = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name, responseEnd }) => !name.endsWith('.svg') && responseEnd > 0 && responseEnd <= window.contentMs)
  .map(({ name, startTime, responseEnd, transferSize }) => ({ name, beginMs: startTime, endMs: responseEnd, bytes: transferSize }))`;

/** How long the longest chain is of requests each of which began after the end of another. */
const chainOf = (loaded: readonly Loaded[]): number => {
  const lengths: number[] = [];
  const sorted = [...loaded].sort((a, b) => a.beginMs - b.beginMs);
  for (const { beginMs } of sorted) {
    const before = lengths.filter((_, at) => (sorted[at]?.endMs ?? 0) <= beginMs);
    lengths.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...lengths);
};

const RARELY_MS = 250;

const slowed = async ({ cdp }: Window, { latencyMs, bytesPerS }: Network): Promise<void> => {
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerS,
    uploadThroughput: bytesPerS,
  });
};

const firstOf = (client: Client, url: string, content: string, network: Network | null): Promise<First> =>
  client.window(
    async ({ page }) => {
      await page.goto(url, { waitUntil: 'commit' });
      await untilIn(page, 'window.contentMs !== undefined', RARELY_MS);
      const loaded = (await page.evaluate(LOADED)) as readonly Loaded[];
      return {
        ms: (await page.evaluate('window.contentMs')) as number,
        roundTrips: chainOf(loaded),
        requests: loaded.length,
        bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    {
      prepare: async (window) => {
        await window.page.addInitScript(shown(content));
        if (network !== null) await slowed(window, network);
      },
    },
  );

/** The screen as it is once everything is there, without scripts and what they would load; images come from where they are. */
const bareOf = (client: Client, { path, content }: FirstScreen): Promise<string> =>
  client.window(async ({ page }) => {
    await page.goto(client.base + path);
    await untilIn(page, `document.querySelector(${JSON.stringify(content)}) !== null`);
    await page.waitForTimeout(1500);
    return page.evaluate(`(() => {
      for (const one of document.querySelectorAll('script, link:not([rel=stylesheet])')) one.remove();
      for (const image of document.querySelectorAll('img')) image.src = image.src;
      return document.documentElement.outerHTML;
    })()`) as Promise<string>;
  });

/** Serves the bare page, and the style that it shares with the screen. */
const withBare = async <T>(client: Client, html: string, use: (url: string) => Promise<T>): Promise<T> => {
  const style = /href="([^"]+\.css)"/.exec(html)?.[1] ?? '';
  const css = await (await fetch(new URL(style.replace(/^[./]+/, '/'), client.base))).text();
  const server = createServer(({ url = '' }, reply) => {
    const [type, text] = url.endsWith('.css')
      ? ['text/css', css]
      : ['text/html; charset=utf-8', `<!doctype html>${html}`];
    reply.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
  }
};

interface FirstCompared {
  readonly ours: First;
  readonly bare: First;
}

const middle = (found: readonly First[]): First => {
  const of = (figure: keyof First): number => median(found.map((one) => one[figure]));
  return { ms: of('ms'), roundTrips: of('roundTrips'), requests: of('requests'), bytes: of('bytes') };
};

/** One after the other, so that other work on the machine disturbs both alike; each in a fresh profile. */
const firstContent = async (
  client: Client,
  screen: FirstScreen,
  rounds: number,
  network: Network | null,
): Promise<FirstCompared> =>
  withBare(client, await bareOf(client, screen), async (url) => {
    const [ours, bare]: [First[], First[]] = [[], []];
    for (let at = 0; at < rounds; at += 1) {
      ours.push(await firstOf(client, client.base + screen.path, screen.content, network));
      bare.push(await firstOf(client, url, screen.content, network));
    }
    return { ours: middle(ours), bare: middle(bare) };
  });

/** 1.6 Mbit/s and 300 ms, as a phone far from its mast has. */
const SLOW: Network = { latencyMs: 300, bytesPerS: 200_000 };
const COLD_MAX = 2;
const SLOW_MAX = 2.5;
/** The page, what it names, and for the reader the image. */
const TRIPS_MAX: Readonly<Record<string, number>> = { reader: 3 };

const screensOf = ({ id, seriesId }: { readonly id: string; readonly seriesId: string }): readonly FirstScreen[] => [
  { name: 'home', path: '/', content: '.shelf li' },
  { name: 'wall', path: '/browse', content: '.wall li a' },
  { name: 'series', path: `/series/${seriesId}`, content: '.detail h1' },
  { name: 'reader', path: `/read/${id}`, content: '.leaf.ready img' },
];

const LIMIT = 'a bare page of the same elements and style';

const linesOf = async (client: Client, screen: FirstScreen, rounds: number): Promise<readonly Line[]> => {
  const cold = await firstContent(client, screen, rounds, null);
  const slow = await firstContent(client, screen, rounds, SLOW);
  const line = (id: string, work: string, { ours, bare }: FirstCompared, max: number): Line =>
    compared({
      id: `client-first-${screen.name}-${id}`,
      work: `${screen.name}: first content, fresh profile${work}`,
      limit: LIMIT,
      unit: 'ms',
      ours: ours.ms,
      bare: bare.ms,
      target: { kind: 'max', value: max },
    });
  const { roundTrips, requests, bytes } = slow.ours;
  const most = TRIPS_MAX[screen.name] ?? 2;
  return [
    line('cold', '', cold, COLD_MAX),
    line('slow', ', 1.6 Mbit/s and 300 ms', slow, SLOW_MAX),
    absolute(
      `client-first-${screen.name}-trips`,
      `${screen.name}: one after the other before the first content`,
      `≤ ${most} round trips`,
      `${roundTrips} (${requests} requests, ${round(bytes / 1000, 1)} kB)`,
      roundTrips <= most,
    ),
  ];
};

/** `book`: any whose series has more. */
export const firstLines = async (
  client: Client,
  book: { readonly id: string; readonly seriesId: string },
  rounds: number,
): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  for (const screen of screensOf(book)) lines.push(...(await linesOf(client, screen, rounds)));
  return lines;
};
