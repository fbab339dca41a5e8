// Draws the page of docs/dashboard.png: `node dist/bench/dashboard.js SECONDS PAGE.html`. Starts the program, has clients read, list, search
// and scan, scrapes it every three seconds, and evaluates the expressions of docs/grafana.json over the scrapes. Grafana is not involved.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { type Panel, pageOf } from './dashboard-page.js';
import { parseText, type Scrape } from './dashboard-query.js';
import { libraryOf, type Running, startProgram } from './program.js';
import { writeZip } from './zip-writer.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRAPE_MS = 3000;
const SERIES = 30;
const BOOKS = 8;
const PAGES = 12;

/** Pictures of noise, so that they take some work to resize. */
const pictures = (): Promise<readonly Buffer[]> =>
  Promise.all(
    Array.from({ length: PAGES }, (_, page) =>
      sharp({
        create: {
          width: 1000,
          height: 1500,
          channels: 3,
          background: '#fff',
          noise: { type: 'gaussian', mean: 90 + 10 * page, sigma: 30 },
        },
      })
        .jpeg({ quality: 70 })
        .toBuffer(),
    ),
  );

const writeShelf = async (shelf: string): Promise<void> => {
  const pages = await pictures();
  for (let series = 1; series <= SERIES; series += 1) {
    mkdirSync(join(shelf, `Series ${series}`), { recursive: true });
    for (let book = 1; book <= BOOKS; book += 1) {
      const items = pages.map((bytes, at) => ({ name: `${at + 1}.jpg`, bytes }));
      const seed = { name: 'seed.txt', bytes: Buffer.from(`${series} ${book}`) };
      const path = join(shelf, `Series ${series}`, `Series ${series} ${String(book).padStart(3, '0')}.cbz`);
      writeFileSync(path, series === SERIES && book > 5 ? Buffer.from('no archive') : writeZip([...items, seed]));
    }
  }
};

const some = (most: number): number => 1 + Math.floor(Math.random() * most);

/** One client: it turns pages, some of them resized, looks at lists and covers, and at times asks for what is not there. */
const read = async ({ port, token }: Running, books: readonly string[], signal: AbortSignal): Promise<void> => {
  const get = async (path: string): Promise<void> => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await reply.arrayBuffer();
  };
  while (!signal.aborted) {
    const book = books[some(books.length) - 1] ?? '';
    await get('/books?pageSize=50');
    await get(`/series?pageSize=${some(100)}`);
    for (let page = 1; page <= some(PAGES); page += 1) {
      await get(`/books/${book}/pages/${page}`);
      if (some(4) === 1) await get(`/books/${book}/pages/${page}?width=${400 + 100 * some(6)}`);
      await delay(some(60));
    }
    for (let cover = 0; cover < 10; cover += 1) await get(`/books/${books[some(books.length) - 1] ?? ''}/thumbnail`);
    if (some(5) === 1) await get(`/books/${book}/pages/999`);
  }
};

const scrapes = async ({ port, token }: Running, seconds: number): Promise<readonly Scrape[]> => {
  const found: Scrape[] = [];
  const headers = { authorization: `Bearer ${token}`, accept: 'text/plain' };
  for (let at = 0; at * SCRAPE_MS < seconds * 1000; at += 1) {
    const text = await (await fetch(`http://127.0.0.1:${port}/api/v1/metrics`, { headers })).text();
    const { atS, series } = parseText(text, performance.now() / 1000);
    found.push({ atS, series: [...series, { name: 'up', labels: { instance: `127.0.0.1:${port}` }, value: 1 }] });
    await delay(SCRAPE_MS);
  }
  return found;
};

const main = async (seconds: number, page: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-dashboard-'));
  const stop = new AbortController();
  const shelf = join(folder, 'Comics');
  await writeShelf(shelf);
  const program = await startProgram(join(folder, 'data'), false);
  try {
    const library = await libraryOf(program, shelf);
    const scanning = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await program.call('POST', `/libraries/${library}/scan?mode=deep`);
        await delay(40_000, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    };
    const measured = scrapes(program, seconds);
    const scans = scanning();
    await delay(6000);
    const { data } = await program.call('GET', '/books?pageSize=500');
    const books = data.map(({ id }: { id: string }) => id);
    const readers = Array.from({ length: 6 }, () => read(program, books, stop.signal));
    const found = await measured;
    stop.abort();
    await Promise.all([scans, ...readers]);
    const { panels } = JSON.parse(readFileSync(join(ROOT, 'docs', 'grafana.json'), 'utf8')) as { panels: Panel[] };
    writeFileSync(page, pageOf(panels, found, `Longbox: ${Math.round(seconds)} s of mixed load on one test machine`));
  } finally {
    stop.abort();
    await program.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

const [seconds = '120', page = 'dashboard.html'] = process.argv.slice(2);
await main(Number(seconds), page);
