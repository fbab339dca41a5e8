// A reader who turns pages at a steady pace, in books whose pages take work: resized, packed in a RAR archive, rendered from a PDF. Counts
// turns that take longer than a reader notices, with nothing else to do and during a deep scan of large books.
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeLibrary, makePages, PLANS } from './corpus.js';
import { imagesOf, LARGE_PAGE, once, PACKED, turned } from './format-books.js';
import { absolute, type Line, round, type Suite } from './measure.js';
import { writeScanPdf } from './pdf-writer.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';
import { writeRar } from './rar-writer.js';
import { writeZip } from './zip-writer.js';

/** A turn that takes longer is noticed. */
const NOTICED_MS = 100;
/** The reader has just opened the book: from the third page on, the next ones are there. */
const FIRST = 3;
const DISTINCT = 12;
const WIDTH = 800;

interface Pace {
  readonly perSecond: number;
  readonly turns: number;
}

const PACES: readonly Pace[] = [
  { perSecond: 1, turns: 30 },
  { perSecond: 4, turns: 60 },
];
const QUICK: readonly Pace[] = [
  { perSecond: 1, turns: 8 },
  { perSecond: 4, turns: 20 },
];
const PAGES = 60;

const KINDS = [
  { id: 'resized', work: `resized to ${WIDTH} pixels`, extension: 'cbz', query: `?width=${WIDTH}` },
  { id: 'rar', work: 'packed in a RAR archive', extension: 'cbr', query: '' },
  { id: 'pdf', work: `rendered from a PDF, ${WIDTH} pixels wide`, extension: 'pdf', query: `?width=${WIDTH}` },
] as const;

const MODES = [
  { id: 'idle', work: '', most: 0.02 },
  { id: 'busy', work: ' during a deep scan of 75 MB books', most: 0.05 },
] as const;

const nameOf = (mode: string, pace: Pace, extension: string): string => `${mode} ${pace.perSecond}.${extension}`;

/** One book of each kind for each mode and pace: a page is cached once it was read. */
const books = (folder: string): Promise<string> =>
  once(folder, 'turning', async (root) => {
    const pages = await makePages(LARGE_PAGE, DISTINCT);
    let first = 0;
    for (const mode of MODES)
      for (const pace of PACES) {
        const items = turned(pages, PAGES, first++);
        const put = (extension: string, bytes: Buffer): void => {
          mkdirSync(join(root, extension), { recursive: true });
          writeFileSync(join(root, extension, nameOf(mode.id, pace, extension)), bytes);
        };
        put('cbz', writeZip(items));
        put('cbr', writeRar(items, PACKED));
        put('pdf', writeScanPdf(imagesOf(items, LARGE_PAGE)));
      }
  });

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Until the last byte. */
const fetched = (url: string, token: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`a page was answered with status ${reply.statusCode}`));
      reply.resume();
      reply.once('end', resolve);
    }).once('error', reject);
  });

/** Turns at fixed moments; each time counts from the moment of the wish, also when the page before it came too late. */
const turn = async (program: Running, book: string, query: string, { perSecond, turns }: Pace): Promise<number[]> => {
  const times: number[] = [];
  const started = performance.now();
  for (let page = 1; page <= turns; page += 1) {
    const wished = started + ((page - 1) * 1000) / perSecond;
    await sleep(Math.max(0, wished - performance.now()));
    await fetched(`http://127.0.0.1:${program.port}/api/v1/books/${book}/pages/${page}${query}`, program.token);
    times.push(performance.now() - wished);
  }
  return times.slice(FIRST - 1);
};

const lineOf = (
  kind: (typeof KINDS)[number],
  mode: (typeof MODES)[number],
  pace: Pace,
  times: readonly number[],
): Line => {
  const late = times.filter((ms) => ms > NOTICED_MS).length;
  const share = late / times.length;
  return absolute(
    `turn-${kind.id}-${mode.id}-${pace.perSecond}`,
    `turning pages ${kind.work}, ${pace.perSecond} a second${mode.work}`,
    `≤ ${mode.most * 100} % over ${NOTICED_MS} ms from page ${FIRST} on`,
    `${late} of ${times.length} (${round(share * 100, 1)} %), slowest ${Math.round(Math.max(...times))} ms`,
    share <= mode.most,
  );
};

/** Deep scans, one after the other, while `body` runs. */
const whileScanning = async <T>(program: Running, libraryId: string, body: () => Promise<T>): Promise<T> => {
  let isDone = false;
  const scans = (async (): Promise<void> => {
    while (!isDone)
      await scan(program, libraryId, 'deep').catch((thrown) => {
        if (!isDone) throw thrown; // else it was cancelled below
      });
  })();
  try {
    return await body();
  } finally {
    isDone = true;
    await program.call('POST', `/libraries/${libraryId}/scan/cancel`);
    await scans;
  }
};

export const turning: Suite = async ({ quick, folder }) => {
  const [root, large] = [await books(folder), await makeLibrary(folder, PLANS.large)];
  const program = await startProgram(join(folder, 'data-turning'), false);
  await scan(program, await libraryOf(program, root), 'normal');
  const scanned = await libraryOf(program, large);
  const { data } = await program.call('GET', '/books?pageSize=500');
  const idOf = (name: string): string => data.find((book: { path: string }) => book.path.endsWith(`/${name}`)).id;
  const lines: Line[] = [];
  for (const mode of MODES) {
    const measure = async (): Promise<void> => {
      for (const kind of KINDS) {
        for (const [at, pace] of (quick ? QUICK : PACES).entries()) {
          const book = idOf(nameOf(mode.id, PACES[at] ?? pace, kind.extension));
          lines.push(lineOf(kind, mode, pace, await turn(program, book, kind.query, pace)));
        }
      }
    };
    await (mode.id === 'idle' ? measure() : whileScanning(program, scanned, measure));
  }
  agent.destroy();
  await program.stop();
  return lines;
};
