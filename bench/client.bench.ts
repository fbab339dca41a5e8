// The web client in Chromium: how soon it can be used, walls and strips compared with bare pages, turns of pages, and Lighthouse.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHROMIUM, Client, type Window } from './client-browser.js';
import { firstLines } from './client-first.js';
import { CATEGORIES, lighthouse } from './client-lighthouse.js';
import { barePage, blankScreens, openScreen, type Screen, scrolled } from './client-scroll.js';
import { startOf, turnsOf } from './client-timings.js';
import { type LibraryPlan, makeLibrary, makePages, PLANS } from './corpus.js';
import { absolute, compared, type Line, median, percentile, round, type Suite, skipped } from './measure.js';
import { million } from './million.js';
import type { Size } from './million-rows.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const SMALL: LibraryPlan = { ...PLANS.tiny1k, name: 'client200', books: 200, booksPerSeries: 5 };
/** Shown as spreads: a turn is two pages. */
const PAGED: LibraryPlan = { ...PLANS.pages300, name: 'paged80', books: 1, booksPerSeries: 1, pagesPerBook: 80 };
const STRIP: LibraryPlan = {
  name: 'strip300',
  books: 1,
  pagesPerBook: 300,
  booksPerSeries: 1,
  width: 1600,
  height: 4000,
  pageBytes: 700_000,
};
const WALL: Size = {
  books: 100_000,
  series: 100_000,
  libraries: 1,
  users: 2,
  progress: 1000,
  genres: 60,
  tags: 200,
};

const SLOWER = 4;
const SCRIPT_MAX = 70_000;
const START_MAX_MS = 1500;
const FRAMES_MAX = 1.2;
const RENDERER_MAX_MB = 250;
const SCORE_MIN = 95;
const COVER = { width: 200, height: 300, pageBytes: 15_000 };
const BARE_COVERS = 2500;

const startLines = async (client: Client, rounds: number): Promise<Line[]> => {
  const starts = [];
  for (let at = 0; at < rounds; at += 1) starts.push(await startOf(client, SLOWER));
  const [ms, bytes] = [median(starts.map((one) => one.ms)), Math.max(...starts.map((one) => one.scriptBytes))];
  return [
    absolute(
      'client-script',
      'script of the first screen, as it is sent (gzip)',
      `≤ ${SCRIPT_MAX / 1000} kB`,
      `${round(bytes / 1000, 1)} kB`,
      bytes <= SCRIPT_MAX,
    ),
    absolute(
      'client-start',
      `home, first covers drawn and a key answered, processor ${SLOWER}× slower, fresh profile`,
      `≤ ${START_MAX_MS} ms`,
      `${round(ms)} ms`,
      ms <= START_MAX_MS,
    ),
  ];
};

interface Scrolling {
  readonly id: string;
  readonly work: string;
  readonly screen: Screen;
  /** The same pictures in boxes of fixed sizes. */
  readonly bare: string;
  readonly prepare?: (window: Window) => Promise<void>;
}

const scrollLines = async (
  client: Client,
  { id, work, screen, bare, prepare }: Scrolling,
  ms: number,
): Promise<Line[]> => {
  const plain: Screen = { path: '/bare', scroller: null, pictures: 'img', pxPerS: screen.pxPerS };
  const served = async (window: Window): Promise<void> => {
    await prepare?.(window);
    await window.page.route('**/bare', (route) => route.fulfill({ contentType: 'text/html', body: bare }));
  };
  const options = { slower: SLOWER, prepare: served };
  const limit = await client.window((window) => scrolled(client, window, plain, ms), options);
  const ours = await client.window((window) => scrolled(client, window, screen, ms), options);
  const { looks, blank } = await client.window((window) => blankScreens(client, window, screen, ms), options);
  return [
    compared({
      id: `client-${id}-frames`,
      work: `${work}, ${screen.pxPerS} px/s, processor ${SLOWER}× slower: p95 between frames`,
      limit: 'a bare page of <img> with fixed boxes',
      unit: 'ms',
      ours: ours.p95,
      bare: limit.p95,
      target: { kind: 'max', value: FRAMES_MAX },
    }),
    absolute(
      `client-${id}-blank`,
      `${work}: screens without an image, one look every 250 ms`,
      'none',
      `${blank} of ${looks}`,
      blank === 0,
    ),
    absolute(
      `client-${id}-memory`,
      `${work}: PSS of the renderer afterwards`,
      `≤ ${RENDERER_MAX_MB} MB`,
      `${round(ours.rendererMb)} MB (bare page ${round(limit.rendererMb)} MB)`,
      ours.rendererMb <= RENDERER_MAX_MB,
    ),
  ];
};

const turnLines = async (client: Client, bookId: string, count: number): Promise<Line[]> => {
  const { next, warm } = await turnsOf(client, bookId, count);
  const line = (id: string, work: string, times: readonly number[], maxMs: number): Line => {
    const p95 = percentile(times, 0.95);
    return absolute(
      `client-turn-${id}`,
      `${work}, spreads of 1400 × 2000, key to second frame after decode, ${times.length} turns`,
      `p95 ≤ ${maxMs} ms`,
      `p50 ${round(median(times), 1)}, p95 ${round(p95, 1)} ms`,
      p95 <= maxMs,
    );
  };
  return [
    line('next', 'next page that nobody has seen, every 0.7 s', next, 100),
    line('warm', 'page that was seen before', warm, 50),
  ];
};

const lighthouseLines = async (
  client: Client,
  screens: Readonly<Record<string, string>>,
  runs: number,
  folder: string,
): Promise<Line[]> => {
  const found = await lighthouse(client.base, Object.values(screens), runs, folder);
  return Object.keys(screens).map((name, at) => {
    const scores = found?.[at];
    const work = `Lighthouse, ${name}: ${CATEGORIES.join(', ')}`;
    const target = `≥ ${SCORE_MIN} each, median of ${runs}`;
    const id = `client-lighthouse-${name}`;
    if (scores === undefined) return skipped(id, work, target, 'lighthouse cannot be installed');
    const values = CATEGORIES.map((category) => scores[category]);
    const isMet = values.every((one) => one >= SCORE_MIN);
    return absolute(id, work, target, values.join(', '), isMet);
  });
};

const withClient = async <T>(program: Running, use: (client: Client) => Promise<T>): Promise<T> => {
  const client = await Client.open(program);
  try {
    return await use(client);
  } finally {
    await client.close();
    await program.stop();
  }
};

/** Every cover of the made library is one of twelve pictures that the browser is given at once. */
const givingCovers =
  (covers: readonly Buffer[]) =>
  async (window: Window): Promise<void> => {
    let given = 0;
    await window.page.route('**/thumbnail*', (route) => {
      given += 1;
      return route.fulfill({ contentType: 'image/jpeg', body: covers[given % covers.length] ?? Buffer.alloc(0) });
    });
  };

const wallLines = async (folder: string, ms: number): Promise<Line[]> => {
  const { folder: data } = await million(join(folder, 'client'), WALL);
  const covers = await makePages(COVER, 12);
  return withClient(await startProgram(data, true), (client) =>
    scrollLines(
      client,
      {
        id: 'wall',
        work: 'wall of 100,000 covers',
        screen: { path: '/browse', scroller: null, pictures: '.wall img', pxPerS: 1200 },
        bare: barePage(
          Array.from({ length: BARE_COVERS }, (_, at) => `/thumbnail?${at}`),
          138,
          207,
        ),
        prepare: givingCovers(covers),
      },
      ms,
    ),
  );
};

const small = async (folder: string): Promise<Running> => {
  const data = join(folder, 'data-client');
  rmSync(data, { recursive: true, force: true });
  const program = await startProgram(data, false);
  for (const plan of [SMALL, PAGED, STRIP])
    await scan(program, await libraryOf(program, await makeLibrary(folder, plan)), 'normal');
  const { data: books } = await program.call('GET', '/books?pageSize=30');
  for (const { id } of books.slice(0, 8)) await program.call('PUT', `/books/${id}/progress`, { currentPage: 2 });
  return program;
};

interface Listed {
  readonly id: string;
  readonly seriesId: string;
}

/** The first book of the library of a plan. */
const bookOf = async (program: Running, name: string): Promise<Listed> => {
  const { data: libraries } = await program.call('GET', '/libraries');
  const { id } = libraries.find((library: { name: string }) => library.name === name);
  return (await program.call('GET', `/libraries/${id}/books?pageSize=1`)).data[0];
};

/** The pages as the client asks for them, in boxes as large as its own. */
const bareStrip = (client: Client, screen: Screen): Promise<string> =>
  client.window(async (window) => {
    await openScreen(window, client.base, screen);
    const { source, width, height } = (await window.page.evaluate(`(() => {
      const image = document.querySelector('.strip img');
      const { width, height } = image.getBoundingClientRect();
      return { source: image.getAttribute('src'), width, height };
    })()`)) as { readonly source: string; readonly width: number; readonly height: number };
    const sources = Array.from({ length: STRIP.pagesPerBook }, (_, at) =>
      source.replace(/\/pages\/\d+/, `/pages/${at + 1}`),
    );
    return barePage(sources, width, height);
  });

interface Pace {
  readonly scrollMs: number;
  readonly rounds: number;
  readonly turns: number;
}

const smallLines = async (folder: string, { scrollMs, rounds, turns }: Pace): Promise<Line[]> => {
  const program = await small(folder);
  const [strip, paged, usual] = [
    await bookOf(program, STRIP.name),
    await bookOf(program, PAGED.name),
    await bookOf(program, SMALL.name),
  ];
  const screen: Screen = { path: `/read/${strip.id}`, scroller: '.strip', pictures: '.strip img', pxPerS: 3000 };
  const screens = {
    'sign-in': '/sign-in',
    home: '/',
    series: `/series/${usual.seriesId}`,
    reader: `/read/${usual.id}`,
  };
  return withClient(program, async (browser) => [
    ...(await startLines(browser, rounds)),
    ...(await firstLines(browser, usual, rounds)),
    ...(await turnLines(browser, paged.id, turns)),
    ...(await scrollLines(
      browser,
      {
        id: 'strip',
        work: `strip of ${STRIP.pagesPerBook} pages of ${STRIP.width} × ${STRIP.height}`,
        screen,
        bare: await bareStrip(browser, screen),
      },
      scrollMs,
    )),
    ...(await lighthouseLines(browser, screens, rounds, folder)),
  ]);
};

export const client: Suite = async ({ quick, folder }) => {
  if (CHROMIUM === undefined) return [skipped('client', 'the web client', 'all of it', 'there is no chromium')];
  const pace = quick ? { scrollMs: 4000, rounds: 3, turns: 12 } : { scrollMs: 8000, rounds: 5, turns: 30 };
  return [...(await smallLines(folder, pace)), ...(await wallLines(folder, pace.scrollMs))];
};
