// Analysing due books: results are stored as they arrive.

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from '../../core/engine/pool.js';
import type { JobName } from '../../core/model/jobs.js';
import { drain } from '../../core/scan/analyse.js';
import type { ScanParts } from '../../core/scan/context.js';
import { ScanTally } from '../../core/scan/scan-tally.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';

const BOOKS = 30;

/** The pool, with one file that is not read, or not answered for, before `released` resolves. */
const withSlowFile = (inner: Pool, name: string, released: Promise<void>, onRead?: () => void): Pool => ({
  backgroundWidth: inner.backgroundWidth,
  tally: inner.tally,
  backgroundShare: inner.backgroundShare,
  documents: inner.documents,
  lostThreads: 0,
  load: () => inner.load(),
  hurry: () => inner.hurry(),
  close: () => inner.close(),
  run: async <K extends JobName>(
    job: K,
    input: Parameters<typeof inner.run<K>>[1],
    options: Parameters<typeof inner.run>[2],
  ) => {
    const isSlow = 'path' in input && String(input.path).endsWith(name);
    if (isSlow && onRead === undefined) await released;
    const found = await inner.run(job, input, options);
    if (isSlow) onRead?.();
    if (isSlow) await released;
    return found;
  },
});

const partsOf = ({ app: { db, blobs, clock, tracing, pool }, faults }: TempApp): ScanParts => ({
  db,
  blobs,
  clock,
  tracing,
  pool,
  limits: LIMITS,
  thumbnail: { side: 300, quality: 80 },
  walkBatchFiles: 1000,
  tally: new ScanTally(),
  ownFolders: [],
  onDue: () => undefined,
  onFault: (thrown) => faults.push(thrown),
});

interface Row {
  readonly due: number;
  readonly pages: number;
}

/** Reads a book of two pages again; `meanwhile` runs once it is read and before that is stored. Returns its row afterwards. */
const readBeside = async (meanwhile: (temp: TempApp, file: string, scan: () => Promise<void>) => Promise<unknown>) => {
  const temp = await tempApp();
  try {
    const { db, pool, scans } = temp.app;
    const token = await temp.tokenOf('admin');
    const file = join(temp.shelf, 'Series', 'Book.cbz');
    writeBook(file, 2, 'first');
    const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
    const scan = async (): Promise<void> => {
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => scans.active().length === 0);
    };
    await scan();
    await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE book SET due = 1'));
    let [release, noteRead] = [(): void => undefined, (): void => undefined];
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const read = new Promise<void>((resolve) => {
      noteRead = resolve;
    });
    const parts = { ...partsOf(temp), pool: withSlowFile(pool, 'Book.cbz', released, noteRead) };
    const filter = { where: '1 = 1', binds: [] };
    const done = drain(parts, { filter, signal: new AbortController().signal, onStored: () => undefined });
    await read;
    await meanwhile(temp, file, scan);
    release();
    await done;
    assert.equal(temp.faults, []);
    const [row] = await db.all<Row>('SELECT due, page_count AS pages FROM book');
    await scan();
    const [later] = await db.all<Row>('SELECT due, page_count AS pages FROM book');
    return { row, later };
  } finally {
    await temp.close();
  }
};

block('analysing due books', (check) => {
  check('one slow file delays no other result', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      for (let n = 0; n < BOOKS; n += 1) writeBook(join(temp.shelf, 'Series', `Book ${n}.cbz`), 1, `book ${n}`);
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const { db, blobs, clock, tracing, pool } = temp.app;
      await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE book SET due = 1'));
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const parts: ScanParts = {
        db,
        blobs,
        clock,
        tracing,
        pool: withSlowFile(pool, 'Book 17.cbz', released),
        limits: LIMITS,
        thumbnail: { side: 300, quality: 80 },
        walkBatchFiles: 1000,
        tally: new ScanTally(),
        ownFolders: [],
        onDue: () => undefined,
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
  check('what was read of a file is not stored once a scan has read its replacement', async () => {
    const { row, later } = await readBeside(async (_, file, scan) => {
      writeBook(file, 3, 'the second version');
      await scan();
    });
    assert.equal(later, { due: 0, pages: 3 });
    assert.equal(row, later);
  });
  check('nor once a scan has only seen that it was replaced: the book stays due', async () => {
    const { row, later } = await readBeside(({ app }, file) => {
      writeBook(file, 3, 'the second version');
      const { size, mtimeMs } = statSync(file);
      const sql = 'UPDATE book SET file_size = ?, file_mtime = ?, due = 1, attempts = 0, analyzed = 0';
      return app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql, [size, Math.floor(mtimeMs)]));
    });
    assert.equal([row?.due, later], [1, { due: 0, pages: 3 }]);
  });
  check('a book that is marked again while it is read stays due', async () => {
    const { row, later } = await readBeside(({ app }) =>
      app.db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE book SET due = 1, attempts = 0')),
    );
    assert.equal(
      [row, later],
      [
        { due: 1, pages: 2 },
        { due: 0, pages: 2 },
      ],
    );
  });
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
      await db.write(SYSTEM, 'interactive', async (tx) => {
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
  check('a book deleted while it is analysed is not counted in its series', async () => {
    const temp = await tempApp({ engine: { inspection: undefined } });
    try {
      const token = await temp.tokenOf('admin');
      const { db, pool } = temp.app;
      for (const name of ['Kept', 'Gone']) writeBook(join(temp.shelf, 'Series', `${name}.cbz`), 2, name);
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      writeBook(join(temp.shelf, 'Series', 'Gone.cbz'), 5, 'more pages');
      await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE book SET due = 1'));
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const parts = { ...partsOf(temp), pool: withSlowFile(pool, 'Gone.cbz', released) };
      const filter = { where: '1 = 1', binds: [] };
      const done = drain(parts, { filter, signal: new AbortController().signal, onStored: () => undefined });
      await until('the other is stored', async () => (await db.all('SELECT 1 FROM book WHERE due = 1')).length === 1);
      const [kept] = await db.all<{ size: number }>("SELECT file_size AS size FROM book WHERE file_name = 'Kept.cbz'");
      await db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run("UPDATE book SET deleted = 1 WHERE file_name = 'Gone.cbz'");
        await tx.run('UPDATE series SET book_count = 1, page_count = 2, file_size = ?', [kept?.size ?? 0]);
      });
      release();
      await done;
      const counts = await db.all('SELECT page_count AS pages, file_size AS size FROM series');
      assert.equal(counts, [{ pages: 2, size: kept?.size }]);
    } finally {
      await temp.close();
    }
  });
  check('a quarantined book says so once, however often it is quarantined', async () => {
    const temp = await tempApp({ engine: { inspection: undefined } });
    try {
      const token = await temp.tokenOf('admin');
      const { db } = temp.app;
      writeBook(join(temp.shelf, 'Series', 'Book.cbz'), 1, 'book');
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const errors: unknown[] = [];
      for (const _ of [1, 2]) {
        await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE book SET due = 1, attempts = 3'));
        const filter = { where: 'b.id > ?', binds: [0] };
        await drain(partsOf(temp), { filter, signal: new AbortController().signal, onStored: () => undefined });
        errors.push((await db.all<{ error: string }>('SELECT analysis_error AS error FROM book'))[0]?.error);
      }
      assert.match(String(errors[0]), /quarantined/);
      assert.is(errors[1], errors[0]);
      writeFileSync(join(temp.shelf, 'Series', 'series.json'), '{"metadata":{"name":"Other"}}');
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const [book] = await db.all('SELECT analysis_error AS error, analyzed, due, attempts FROM book');
      assert.equal(book, { error: null, analyzed: 1, due: 0, attempts: 0 }, 'read again with what is next to it');
    } finally {
      await temp.close();
    }
  });
});
