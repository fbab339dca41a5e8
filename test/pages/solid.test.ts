// Solid archives with real threads: one pass serves all pages, a small budget only makes more passes.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openPool, type Pool } from '../../core/engine/pool.js';
import { AppError } from '../../core/model/errors.js';
import type { PageEntry } from '../../core/model/jobs.js';
import { PageTable } from '../../core/model/page-table.js';
import type { WaitingAsker } from '../../core/pages/asker.js';
import type { BookFile } from '../../core/pages/book-files.js';
import { FailingPages } from '../../core/pages/failing-pages.js';
import { SolidPages } from '../../core/pages/solid.js';
import { CacheDisk } from '../../core/store/cache-disk.js';
import { Spills } from '../../core/store/spills.js';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from '../workers/analysed.js';

const SOLID = fixture('books/rar5-solid.cbr');
let folder = '';
let pool: Pool;
let jobs = 0;
let file: BookFile;

const bookFile = async (): Promise<BookFile> => {
  const { pageTable } = await analysed(SOLID);
  const { size, mtimeMs } = statSync(SOLID);
  return {
    seriesKey: 1,
    neverReadable: false,
    key: 1,
    id: '01890000-0000-7000-8000-00000000000a',
    path: SOLID,
    format: 'cbr',
    epubKind: null,
    root: dirname(SOLID),
    title: 'Solid',
    size,
    mtimeMs: Math.floor(mtimeMs),
    version: '0.1.2',
    deleted: false,
    analyzed: true,
    analysisError: null,
    analysisKind: null,
    table: pageTable === null ? null : new PageTable(pageTable),
    cover: null,
  };
};

const counting = (inner: Pool): Pool => ({
  backgroundWidth: inner.backgroundWidth,
  tally: inner.tally,
  backgroundShare: inner.backgroundShare,
  documents: inner.documents,
  lostThreads: 0,
  load: () => inner.load(),
  hurry: () => inner.hurry(),
  close: () => inner.close(),
  run: (name, input, options) => {
    jobs += 1;
    return inner.run(name, input, options);
  },
});

const leaving = (signal: AbortSignal): WaitingAsker => ({ user: 1, signal });
const STAYING = leaving(new AbortController().signal);

const bytesOf = async (solid: SolidPages, number: number, book: BookFile = file): Promise<Buffer> => {
  const { table } = book;
  const entry = table?.entry(number - 1);
  if (table === null || entry === undefined) throw new Error('no such page');
  const page = await solid.page(book, table, entry, STAYING);
  if (page === undefined) throw new Error('there is no room');
  try {
    return readFileSync(page.path).subarray(page.offset, page.offset + entry.size);
  } finally {
    page.release();
  }
};

const partsWith = (pool: Pool) => ({ pool, limits: LIMITS, failing: new FailingPages() });

const isPng = (bytes: Buffer): boolean => bytes.length === 3108 && bytes.toString('latin1', 1, 4) === 'PNG';

block(
  'pages of solid archives',
  (check) => {
    check('all pages at once, and again, take one pass', async () => {
      jobs = 0;
      const solid = new SolidPages(
        partsWith(counting(pool)),
        new Spills(join(folder, 'a'), 1_000_000, new CacheDisk(folder, () => undefined)),
      );
      const first = await Promise.all([3, 1, 2].map((number) => bytesOf(solid, number)));
      assert.ok(first.every(isPng));
      assert.ok((await bytesOf(solid, 3)).equals(first[0] ?? Buffer.alloc(0)));
      assert.is(jobs, 1);
    });
    check('a budget of one page makes one pass per page', async () => {
      jobs = 0;
      const solid = new SolidPages(
        partsWith(counting(pool)),
        new Spills(join(folder, 'b'), 4000, new CacheDisk(folder, () => undefined)),
      );
      const covered = (): boolean[] =>
        [1, 2, 3].map((number) => solid.has(file, file.table?.entry(number - 1) as PageEntry));
      assert.equal(covered(), [false, false, false]);
      assert.ok(isPng(await bytesOf(solid, 3)));
      assert.equal(covered(), [false, false, true]);
      for (const number of [1, 2]) assert.ok(isPng(await bytesOf(solid, number)), `page ${number}`);
      assert.is(jobs, 3);
    });
    check('the least recently read book is evicted, not the one that was opened first', async () => {
      jobs = 0;
      const solid = new SolidPages(
        partsWith(counting(pool)),
        new Spills(join(folder, 'lru'), 30_000, new CacheDisk(folder, () => undefined)),
      );
      const [first, second, third, fourth] = ['1', '2', '3', '4'].map((id) => ({ ...file, id })) as [
        BookFile,
        BookFile,
        BookFile,
        BookFile,
      ];
      for (const book of [first, second, first, third, fourth]) await bytesOf(solid, 1, book);
      await bytesOf(solid, 1, first);
      assert.is(jobs, 4, 'the first was read after the second, so the second gave way');
      await bytesOf(solid, 1, second);
      assert.is(jobs, 5);
    });
    check('a caller who leaves while waiting gets an error; the pass goes on for the others', async () => {
      const solid = new SolidPages(
        partsWith(counting(pool)),
        new Spills(join(folder, 'c'), 1_000_000, new CacheDisk(folder, () => undefined)),
      );
      const entry = file.table?.entry(2);
      if (file.table === null || entry === undefined) throw new Error('no such page');
      const left = await thrownBy(() => solid.page(file, file.table as PageTable, entry, leaving(AbortSignal.abort())));
      assert.ok(left instanceof AppError && left.kind === 'Cancelled');
      assert.ok(isPng(await bytesOf(solid, 1)));
    });
    check('a page is there once it is written, not while it is still to be unpacked', async () => {
      let letGo = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const held: Pool = {
        ...counting(pool),
        run: async (name, input, options) => {
          await gate;
          return pool.run(name, input, options);
        },
      };
      const spills = new Spills(join(folder, 'e'), 1_000_000, new CacheDisk(folder, () => undefined));
      const solid = new SolidPages(partsWith(held), spills);
      const there = (): boolean[] =>
        [1, 2, 3].map((number) => solid.has(file, file.table?.entry(number - 1) as PageEntry));
      const first = bytesOf(solid, 1);
      await until('the pass begins', () => spills.has(`${file.id}/${file.version}`));
      assert.equal(there(), [false, false, false]);
      letGo();
      assert.ok(isPng(await first));
      await until('the pass is at its end', () => there().every(Boolean));
    });
    check('a pass that nobody waits for is stopped; the next request starts another', async () => {
      const told: (AbortSignal | undefined)[] = [];
      const stuck: Pool = {
        ...counting(pool),
        run: (name, input, options) => {
          told.push(options.signal);
          if (told.length > 1) return pool.run(name, input, options);
          return new Promise((_, reject) => {
            options.signal?.addEventListener('abort', () => reject(new AppError('Cancelled')));
          });
        },
      };
      const spills = new Spills(join(folder, 'd'), 1_000_000, new CacheDisk(folder, () => undefined));
      const solid = new SolidPages(partsWith(stuck), spills, 1);
      const reader = new AbortController();
      const { table } = file;
      const entry = table?.entry(0);
      if (table === null || entry === undefined) throw new Error('no such page');
      const waiting = solid.page(file, table, entry, leaving(reader.signal));
      await until('the pass begins', () => told.length === 1);
      reader.abort();
      assert.ok((await thrownBy(() => waiting)) instanceof AppError);
      await until('the pass is stopped', () => told[0]?.aborted === true);
      assert.ok(isPng(await bytesOf(solid, 1)));
      assert.is(told.length, 2);
    });
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-solid-'));
      file = await bookFile();
      pool = openPool({
        entry: new URL('../../workers/entry.js', import.meta.url).href,
        threads: 2,
        idleTimeoutMs: 500,
        queueInteractive: 64,
        queueBackground: 64,
        jobDeadlineMs: 20_000,
      });
    },
    after: async () => {
      await pool.close();
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
