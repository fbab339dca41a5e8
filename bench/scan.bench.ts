// Scans: a first scan compared with bare reading of the same files, an unchanged rescan compared with find, growth of the cost per book,
// page latency during a scan.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { threadsOf } from '../http/config/engine-options.js';
import { makeLibrary, PLANS } from './corpus.js';
import { pacedP99 } from './load.js';
import { absolute, compared, type Line, median, type Suite } from './measure.js';
import { libraryOf, pssMb, type Running, scan, startProgram } from './program.js';

/** As many as the program has. */
const THREADS = threadsOf(0);

const bareSeconds = async (root: string, withCover: boolean): Promise<number> => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.cbz'))
    .map((file) => join(root, file));
  const started = performance.now();
  await Promise.all(
    Array.from({ length: THREADS }, (_, thread) => {
      const paths = files.filter((_file, index) => index % THREADS === thread);
      const worker = new Worker(new URL('./bare-scan.js', import.meta.url), { workerData: { paths, withCover } });
      return new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    }),
  );
  return (performance.now() - started) / 1000;
};

interface FirstScan {
  /** Until every book can be read. */
  readonly readable: number;
  /** Until the last cover is made. */
  readonly covered: number;
  /** The most memory up to then. */
  readonly readableMb: number;
}

const firstScan = async (folder: string, root: string): Promise<FirstScan> => {
  const program = await startProgram(join(folder, 'data-scan'), false);
  const library = await libraryOf(program, root);
  let readableMb = 0;
  const started = performance.now();
  const readable = await scan(program, library, 'normal', () => {
    readableMb = Math.max(readableMb, pssMb(program.pid));
  });
  const covered = (performance.now() - started) / 1000;
  await program.stop();
  return { readable, covered, readableMb };
};

const READABLE_MB_MAX = 190;

const first = async (folder: string, quick: boolean): Promise<Line[]> => {
  const root = await makeLibrary(folder, PLANS.usual);
  const [ours, bare, bareCovers]: [FirstScan[], number[], number[]] = [[], [], []];
  await bareSeconds(root, false);
  for (let round = 0; round < (quick ? 2 : 3); round += 1) {
    ours.push(await firstScan(folder, root));
    bareCovers.push(await bareSeconds(root, true));
    bare.push(await bareSeconds(root, false));
  }
  const work = 'first scan, 1,000 cbz of 30 pages, files in the page cache';
  const peak = Math.round(median(ours.map(({ readableMb }) => readableMb)));
  return [
    compared({
      id: 'first-scan',
      work: `${work}, until the last cover is made`,
      limit: `bare, ${THREADS} threads: directory, page headers, full hash, and the bare resize of the cover`,
      unit: 's',
      ours: median(ours.map(({ covered }) => covered)),
      bare: median(bareCovers),
      target: { kind: 'max', value: 1.5 },
    }),
    compared({
      id: 'first-scan-no-cover',
      work: `${work}, until every book can be read`,
      limit: `bare, ${THREADS} threads: directory, page headers, full hash, no cover`,
      unit: 's',
      ours: median(ours.map(({ readable }) => readable)),
      bare: median(bare),
      target: { kind: 'max', value: 4 },
    }),
    absolute(
      'first-scan-memory',
      'proportional memory (PSS), peak until every book can be read',
      `≤ ${READABLE_MB_MAX} MB`,
      `${peak} MB`,
      peak <= READABLE_MB_MAX,
    ),
  ];
};

const findSeconds = (root: string): number => {
  const started = performance.now();
  execFileSync('find', [root, '-printf', '%p %s %T@\n'], { maxBuffer: 2 ** 28 });
  return (performance.now() - started) / 1000;
};

const growth = async (folder: string, quick: boolean): Promise<Line[]> => {
  const small = await makeLibrary(folder, PLANS.tiny1k);
  const plan = quick ? { ...PLANS.tiny100k, name: 'tiny10k', books: 10_000 } : PLANS.tiny100k;
  const large = await makeLibrary(folder, plan);
  const program = await startProgram(join(folder, 'data-growth'), false);
  // Threads are warm before the small library is timed: starting them is a cost of the first scan, not of a book.
  await scan(program, await libraryOf(program, await makeLibrary(folder, PLANS.pages300)), 'normal');
  const smallSeconds = await scan(program, await libraryOf(program, small), 'normal');
  const largeId = await libraryOf(program, large);
  const largeSeconds = await scan(program, largeId, 'normal');
  const [again, find]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round += 1) {
    again.push(await scan(program, largeId, 'normal'));
    find.push(findSeconds(large));
  }
  await program.stop();
  return [
    compared({
      id: 'scan-growth',
      work: `scan of a book in a library of ${plan.books}`,
      limit: 'scan of a book in a library of 1,000',
      unit: 'ms/book',
      ours: (largeSeconds * 1000) / plan.books,
      bare: (smallSeconds * 1000) / PLANS.tiny1k.books,
      target: { kind: 'max', value: 1.1 },
    }),
    compared({
      id: 'rescan',
      work: `rescan of ${plan.books} books, nothing changed`,
      limit: "find DIR -printf '%p %s %T@\\n'",
      unit: 's',
      ours: median(again),
      bare: median(find),
      target: { kind: 'max', value: 2 },
    }),
  ];
};

/** Four readers, each turning fifty pages a second. */
const p99 = (program: Running, book: string): Promise<number> =>
  pacedP99(`http://127.0.0.1:${program.port}/api/v1/books/${book}/pages/1`, program.token, 4, 20, 2);

const meanwhile = async (folder: string): Promise<Line> => {
  const program = await startProgram(join(folder, 'data-meanwhile'), false);
  await scan(program, await libraryOf(program, await makeLibrary(folder, PLANS.pages300)), 'normal');
  const { data } = await program.call('GET', '/books?pageSize=1');
  const idle = [await p99(program, data[0].id), await p99(program, data[0].id), await p99(program, data[0].id)];
  const library = await libraryOf(program, await makeLibrary(folder, PLANS.usual));
  const scanning = scan(program, library, 'normal');
  const busy = [await p99(program, data[0].id), await p99(program, data[0].id)];
  await scanning;
  await program.stop();
  return compared({
    id: 'p99-scan',
    work: 'page p99, 4 readers of 50 pages/s each, while a scan runs',
    limit: 'the same when idle',
    unit: 'ms',
    ours: median(busy),
    bare: median(idle),
    target: { kind: 'max', value: 3 },
  });
};

export const scans: Suite = async ({ quick, folder }) => [
  ...(await first(folder, quick)),
  ...(await growth(folder, quick)),
  await meanwhile(folder),
];
