// Analysing due books: results are stored as they arrive.
import { join } from 'node:path';
import { libraryById } from '../../core/catalog/libraries.js';
import type { Pool } from '../../core/engine/pool.js';
import { uuidOfHex } from '../../core/model/ids.js';
import type { JobName } from '../../core/model/jobs.js';
import { drain } from '../../core/scan/analyse.js';
import type { ScanParts } from '../../core/scan/context.js';
import { runScan } from '../../core/scan/scan.js';
import { ASPECTS, keysIn, updated } from '../../core/store/feed.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';

const BOOKS = 30;

/** The pool, with one file that is not read before `released` resolves. */
const withSlowFile = (inner: Pool, name: string, released: Promise<void>): Pool => ({
  backgroundWidth: inner.backgroundWidth,
  lostThreads: 0,
  load: () => inner.load(),
  hurry: () => inner.hurry(),
  close: () => inner.close(),
  run: async <K extends JobName>(
    job: K,
    input: Parameters<typeof inner.run<K>>[1],
    options: Parameters<typeof inner.run>[2],
  ) => {
    if ('path' in input && String(input.path).endsWith(name)) await released;
    return inner.run(job, input, options);
  },
});

const partsOf = ({ app: { db, blobs, clock, pool }, faults }: TempApp): ScanParts => ({
  db,
  blobs,
  clock,
  pool,
  limits: LIMITS,
  thumbnail: { side: 300, quality: 80 },
  walkBatchFiles: 1000,
  ownFolders: [],
  onFault: (thrown) => faults.push(thrown),
});

const COMIC_INFO = {
  name: 'ComicInfo.xml',
  bytes: Buffer.from('<ComicInfo><Number>7</Number><Publisher>House</Publisher></ComicInfo>'),
};

/** A scanned library numbered by what files say, as if no series had been finished; every book is due again. */
const withUnfinished = async (use: (temp: TempApp, shown: () => Promise<unknown>) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const { db } = temp.app;
    const token = await temp.tokenOf('admin');
    for (const n of [1, 2]) writeBook(join(temp.shelf, `Series ${n}`, 'Book.cbz'), 1, `book ${n}`, [COMIC_INFO]);
    const body = { name: 'Shelf', path: temp.shelf, numberStrategy: 'metadata' };
    const made = await temp.call('POST', '/api/v1/libraries', { token, body });
    assert.is(made.status, 201);
    await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
    await until('the scan ends', () => temp.app.scans.active().length === 0);
    const shown = (): Promise<unknown> =>
      db.all('SELECT b.number, s.publisher FROM book b JOIN series s ON s.id = b.series_id ORDER BY b.id');
    assert.equal(await shown(), FINISHED);
    await db.write('interactive', async (tx) => {
      await tx.run('UPDATE book SET due = 1, number = 1');
      await tx.run('UPDATE series SET publisher = NULL');
    });
    await use(temp, shown);
  } finally {
    await temp.close();
  }
};

const FINISHED = [
  { number: 7, publisher: 'House' },
  { number: 7, publisher: 'House' },
];

block('analysing due books', (check) => {
  check('one slow file delays no other result', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      for (let n = 0; n < BOOKS; n += 1) writeBook(join(temp.shelf, 'Series', `Book ${n}.cbz`), 1, `book ${n}`);
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const { db, blobs, clock, pool } = temp.app;
      await db.write('interactive', (tx) => tx.run('UPDATE book SET due = 1'));
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const parts: ScanParts = {
        db,
        blobs,
        clock,
        pool: withSlowFile(pool, 'Book 17.cbz', released),
        limits: LIMITS,
        thumbnail: { side: 300, quality: 80 },
        walkBatchFiles: 1000,
        ownFolders: [],
        onFault: (thrown) => temp.faults.push(thrown),
      };
      const filter = { where: '1 = 1', binds: [] };
      const done = drain(parts, { filter, signal: new AbortController().signal, onStored: () => undefined });
      const due = async (): Promise<number> => (await db.all('SELECT 1 FROM book WHERE due = 1')).length;
      await until('all others are stored', async () => (await due()) === 1);
      release();
      await done;
      assert.equal([await due(), temp.faults], [0, []]);
    } finally {
      await temp.close();
    }
  });
  check('series whose books were read before a cancellation are numbered and settled', () =>
    withUnfinished(async (temp, shown) => {
      const cancelled = new AbortController();
      const { db } = temp.app;
      await db.write('interactive', (tx) => tx.run('UPDATE book SET due = 0 WHERE id = (SELECT max(id) FROM book)'));
      const filter = { where: '1 = 1', binds: [] };
      const onStored = (): void => cancelled.abort();
      await drain(partsOf(temp), { filter, signal: cancelled.signal, onStored }).catch(() => undefined);
      assert.equal(await shown(), [FINISHED[0], { number: 1, publisher: null }]);
      // If the next start does that, the shutdown does not wait for it.
      await db.write('interactive', (tx) => tx.run('UPDATE book SET due = 1, number = 1'));
      const isParked = (): boolean => true;
      await drain(partsOf(temp), { filter, signal: AbortSignal.timeout(60_000), isParked, onStored: () => undefined });
      assert.equal(await db.all('SELECT number FROM book WHERE due = 1 OR number <> 1'), []);
    }),
  );
  check('a resumed scan settles what its first part read, even when it is cancelled', () =>
    withUnfinished(async (temp, shown) => {
      const { db } = temp.app;
      await db.write('interactive', (tx) => tx.run('UPDATE book SET due = 0'));
      const [hex = ''] = await db.json<string[]>('SELECT json_group_array(lower(hex(uuid))) FROM library');
      const library = await libraryById(db, uuidOfHex(hex));
      const request = { library, mode: 'normal', resumed: true, acceptMissing: false } as const;
      const report = { warn: () => undefined, progress: () => undefined };
      const scanned = (isParked: boolean): Promise<void> =>
        runScan(partsOf(temp), { ...request, signal: AbortSignal.abort(), isParked: () => isParked }, report);
      for (const isParked of [true, false]) {
        await scanned(isParked).catch(() => undefined);
        const left = { number: 1, publisher: null };
        assert.equal(await shown(), isParked ? [left, left] : FINISHED);
      }
    }),
  );
  check('a process that ends between the books and their series leaves nothing unfinished', () =>
    withUnfinished(async (temp, shown) => {
      const { db, analyses, tasks } = temp.app;
      const keys = (await db.all<{ id: number }>('SELECT id FROM book')).map(({ id }) => id);
      // What is stored if it ends there: the books have been read, and the task names their series.
      await db.write('interactive', (tx) => tx.run('UPDATE book SET due = 0'));
      const series = (await db.all<{ id: number }>('SELECT id FROM series')).map(({ id }) => id);
      const taskId = await db.write('interactive', async (tx) => {
        const id = await tasks.add(tx, 'analyze_books', null);
        const rows = await tx.all<{ id: number }>('UPDATE task SET checkpoint = ? RETURNING id', [
          JSON.stringify(series),
        ]);
        tx.report(updated('task', keysIn(rows), ASPECTS.details));
        return id;
      });
      tasks.wake();
      await until('it is done', async () => (await taskById(db, taskId)).state === 'completed');
      assert.equal(await shown(), FINISHED);
      // The task does name them.
      await analyses
        .add('analyze_books', null, keys)
        .then(({ taskId: id }) => until('it is done', async () => (await taskById(db, id)).state === 'completed'));
      const [last] = await db.all<{ checkpoint: string }>('SELECT checkpoint FROM task ORDER BY id DESC LIMIT 1');
      assert.equal(JSON.parse(last?.checkpoint ?? '[]'), series);
    }),
  );
  check('a series is rated as soon as its book is read, not after the whole batch', async () => {
    const temp = await tempApp();
    try {
      const { db, pool } = temp.app;
      const token = await temp.tokenOf('admin');
      const rating = {
        name: 'ComicInfo.xml',
        bytes: Buffer.from('<ComicInfo><AgeRating>R18+</AgeRating></ComicInfo>'),
      };
      for (const name of ['Free', 'Locked', 'Cleared'])
        writeBook(join(temp.shelf, name, 'Book.cbz'), 1, name, [rating]);
      for (const name of ['Slow 1', 'Slow 2']) writeBook(join(temp.shelf, name, `${name}.cbz`), 1, name);
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      await db.write('interactive', async (tx) => {
        await tx.run('UPDATE book SET due = 1');
        await tx.run('UPDATE series SET age_rating = NULL');
        await tx.run(`UPDATE series SET locks = '["ageRating"]' WHERE name = 'Locked'`);
        await tx.run(`UPDATE series SET cleared = '{"ageRating":18}' WHERE name = 'Cleared'`);
      });
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const parts = { ...partsOf(temp), pool: withSlowFile(pool, 'Slow 1.cbz', released) };
      const filter = { where: '1 = 1', binds: [] };
      const done = drain(parts, { filter, signal: new AbortController().signal, onStored: () => undefined });
      const due = async (): Promise<number> => (await db.all('SELECT 1 FROM book WHERE due = 1')).length;
      await until('all others are stored', async () => (await due()) === 1);
      const shown = (): Promise<unknown> =>
        db.all("SELECT name, age_rating AS rating FROM series WHERE name NOT LIKE 'Slow%' ORDER BY name");
      const expected = [
        { name: 'Cleared', rating: null },
        { name: 'Free', rating: 18 },
        { name: 'Locked', rating: null },
      ];
      assert.equal(await shown(), expected);
      release();
      await done;
      assert.equal(await shown(), expected);
    } finally {
      await temp.close();
    }
  });
});
