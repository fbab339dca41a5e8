// What remains after work: anonymous memory, mapped files, heap and threads of a program that did everything once and was then left alone.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LibraryPlan, makeLibrary } from './corpus.js';
import { mixedBooks } from './format-books.js';
import { openStreams, readEverything } from './idle-load.js';
import { absolute, figure, IDLE_MAX_MB, IDLE_TARGET, type Line, residentMb, type Suite } from './measure.js';
import { askProbe } from './probe.js';
import { libraryOf, pssMb, type Running, scan, startProgram } from './program.js';

const planOf = (books: number): LibraryPlan => ({
  name: `idle${books}`,
  books,
  pagesPerBook: 3,
  booksPerSeries: 25,
  width: 600,
  height: 860,
  pageBytes: 30_000,
});
const BOOKS = 2000;
const QUICK_BOOKS = 200;
const FULL_MS = 10 * 60_000;
/** A quick run ends idle threads soon and rests only for as long as it takes to free memory after that; lists are still in memory then. */
const QUICK_MS = 20_000;
const QUICK = { SVC_POOL__IDLE_TIMEOUT_MS: '2000' };

interface Rest {
  readonly own: number;
  readonly mapped: number;
  readonly pss: number;
  readonly threads: number;
  readonly heapMb: string;
}

const restOf = async ({ pid }: Running, probe: string): Promise<Rest> => {
  const { all, own } = residentMb(pid);
  const pss = Math.round(pssMb(pid));
  const threads = readdirSync(`/proc/${pid}/task`).length;
  const { found } = JSON.parse(await askProbe(pid, probe)) as { readonly found: NodeJS.MemoryUsage };
  const mb = (bytes: number): number => Math.round(bytes / 2 ** 20);
  return {
    own,
    mapped: all - own,
    pss,
    threads,
    heapMb: `${mb(found.heapUsed)} of ${mb(found.heapTotal)} MB used, ${mb(found.external)} MB of buffers`,
  };
};

const text = ({ own, mapped, pss, threads }: Rest): string =>
  `${own} MB (mapped files ${mapped} MB, PSS ${pss} MB, ${threads} threads)`;

interface Done {
  readonly books: number;
  readonly rested: string;
}

const linesOf = (fresh: Rest, after: Rest, { books, rested }: Done): Line[] => [
  figure('idle-fresh', 'memory without mapped files, after the start', text(fresh)),
  absolute(
    'idle-after',
    `memory without mapped files, ${rested} after a scan of ${books} books, covers, pages, lists, searches and event streams`,
    IDLE_TARGET,
    text(after),
    after.own <= IDLE_MAX_MB,
  ),
  absolute(
    'idle-threads',
    `threads of the process, ${rested} after that, compared with those after the start`,
    'as many',
    `${after.threads} (${fresh.threads} after the start)`,
    after.threads <= fresh.threads,
  ),
  figure('idle-heap', `JavaScript heap of the main thread, ${rested} after that`, after.heapMb),
];

export const idle: Suite = async ({ quick, folder }) => {
  const books = quick ? QUICK_BOOKS : BOOKS;
  const many = await makeLibrary(folder, planOf(books));
  const mixed = await mixedBooks(folder);
  const probe = join(folder, 'idle.json');
  const program = await startProgram(join(folder, 'data-idle'), false, [], {
    ...(quick ? QUICK : {}),
    NODE_OPTIONS: `--import=${new URL('./heap-probe.js', import.meta.url).href}`,
    LONGBOX_HEAP_FILE: probe,
  });
  try {
    const [manyId, mixedId] = [await libraryOf(program, many), await libraryOf(program, mixed)];
    const fresh = await restOf(program, probe);
    const closeStreams = await openStreams(program);
    for (const id of [manyId, mixedId]) await scan(program, id, 'normal');
    await readEverything(program);
    closeStreams();
    await sleep(quick ? QUICK_MS : FULL_MS);
    const rested = quick ? `${QUICK_MS / 1000} seconds` : 'ten minutes';
    return linesOf(fresh, await restOf(program, probe), { books, rested });
  } finally {
    await program.stop();
  }
};
