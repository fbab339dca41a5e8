// Faults of the server never count against a book: its work is retried, also by the next start.

import { copyFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allLibraries, createLibrary } from '../../core/catalog/libraries.js';
import type { Pool } from '../../core/engine/pool.js';
import { AppError } from '../../core/model/errors.js';
import { drain } from '../../core/scan/analyse.js';
import type { ScanParts } from '../../core/scan/context.js';
import { ScanTally } from '../../core/scan/scan-tally.js';
import { SYSTEM } from '../../core/store/feed.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { fixture } from '../../fixtures/index.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';

interface State {
  readonly analyzed: number;
  readonly due: number;
  readonly attempts: number;
  readonly error: string | null;
}

const states = (temp: TempApp): Promise<State[]> =>
  temp.app.db.all<State>('SELECT analyzed, due, attempts, analysis_error AS error FROM book ORDER BY id');

const READ: State = { analyzed: 1, due: 0, attempts: 0, error: null };

const scanned = async (temp: TempApp, books: number): Promise<void> => {
  for (let n = 0; n < books; n += 1) writeBook(join(temp.shelf, 'A', `Book ${n}.cbz`), 2, `book ${n}`);
  const library = await createLibrary(
    temp.app.db,
    temp.app.clock,
    SYSTEM,
    { name: 'Shelf', path: temp.shelf },
    temp.app.ownFolders,
  );
  await temp.app.scans.start(library, { mode: 'normal' });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
};

const within = async (body: (temp: TempApp) => Promise<void>, overrides: never[] = []): Promise<void> => {
  const temp = await tempApp({ overrides });
  try {
    await body(temp);
  } finally {
    await temp.close();
  }
};

/** A pool that is overloaded for its first jobs, then works. */
const busyFor = (pool: Pool, times: number): Pool => {
  let left = times;
  return {
    backgroundWidth: pool.backgroundWidth,
    tally: pool.tally,
    backgroundShare: pool.backgroundShare,
    documents: pool.documents,
    lostThreads: 0,
    load: () => pool.load(),
    hurry: () => pool.hurry(),
    close: () => pool.close(),
    run: (name, input, options) => {
      left -= 1;
      return left >= 0 ? Promise.reject(new AppError('Overloaded')) : pool.run(name, input, options);
    },
  };
};

/** A pool whose thread ends whenever it reads this file. */
const deadlyWith = (pool: Pool, name: string): { pool: Pool; deaths: () => number } => {
  let deaths = 0;
  const run: Pool['run'] = (job, input, options) => {
    if (!('path' in input && String(input.path).endsWith(name))) return pool.run(job, input, options);
    deaths += 1;
    return Promise.reject(new AppError('WorkerCrashed'));
  };
  return { pool: { ...busyFor(pool, 0), run }, deaths: () => deaths };
};

const partsOf = (temp: TempApp, pool: Pool): ScanParts => ({
  ...temp.app,
  pool,
  limits: LIMITS,
  thumbnail: { side: 100, quality: 80 },
  walkBatchFiles: 100,
  tally: new ScanTally(),
  onDue: () => undefined,
  onFault: (thrown: unknown) => temp.faults.push(thrown),
});

/** Analyses what an earlier run left, if anything. */
const resumed = async ({ app }: TempApp): Promise<void> => {
  const id = await app.analyses.resume();
  if (id !== undefined) await until('it is done', async () => (await taskById(app.db, id)).state === 'completed');
};

block('faults of the server', (check) => {
  check('a busy server delays analyses for a while, and no book is blamed', () =>
    within(async (temp) => {
      await scanned(temp, 4);
      await temp.app.db.write(SYSTEM, 'background', (tx) => tx.run('UPDATE book SET due = 1, analyzed = 0'));
      await drain(partsOf(temp, busyFor(temp.app.pool, 5)), {
        filter: { where: '1', binds: [] },
        signal: new AbortController().signal,
        onStored: () => undefined,
      });
      assert.equal(await states(temp), [READ, READ, READ, READ]);
      assert.equal(temp.faults, []);
    }),
  );
  check('a file that ends its thread twice is quarantined by the same pass, and the others are read', () =>
    within(async (temp) => {
      await scanned(temp, 4);
      await temp.app.db.write(SYSTEM, 'background', (tx) => tx.run('UPDATE book SET due = 1'));
      const deadly = deadlyWith(temp.app.pool, 'Book 1.cbz');
      await drain(partsOf(temp, deadly.pool), {
        filter: { where: '1', binds: [] },
        signal: new AbortController().signal,
        onStored: () => undefined,
      });
      const [, aside, ...others] = await states(temp);
      assert.match(aside?.error ?? '', /quarantined/);
      assert.equal([aside?.due, others, deadly.deaths()], [0, [READ, READ], 2]);
    }),
  );
  check('books that an earlier version blamed for its own fault are read again after a start', () =>
    within(async (temp) => {
      await scanned(temp, 3);
      await temp.app.db.write(SYSTEM, 'background', async (tx) => {
        await tx.run(
          "UPDATE book SET analyzed = 0, analysis_error = 'The analysis failed; the log says why.', analysis_kind = 'Internal' WHERE id <> 2",
        );
        await tx.run(
          "INSERT INTO book_error (book_id, type, message, fault, occurred_at) SELECT id, 'other', 'The analysis failed; the log says why.', 'Internal', 1 FROM book WHERE id <> 2",
        );
      });
      await resumed(temp);
      assert.equal(await states(temp), [READ, READ, READ]);
      assert.equal(await temp.app.db.all('SELECT * FROM book_error'), []);
    }),
  );
  check('what a run left due is read after a start, unless a scan does it', () =>
    within(async (temp) => {
      await scanned(temp, 3);
      const [library] = await allLibraries(temp.app.db);
      await temp.app.db.write(SYSTEM, 'background', (tx) => tx.run('UPDATE book SET due = 1, analyzed = 0'));
      const running = 'UPDATE scan SET status = ? WHERE library_id = ?';
      const mark = (status: string): Promise<number> =>
        temp.app.db.write(SYSTEM, 'background', (tx) => tx.run(running, [status, library?.key ?? 0]));
      await mark('running');
      await resumed(temp);
      assert.is((await states(temp)).filter(({ due }) => due === 1).length, 3);
      await mark('completed');
      await resumed(temp);
      assert.equal(await states(temp), [READ, READ, READ]);
    }),
  );
  check('a book that cannot be stored blocks no other, is not blamed, and is read once it can be', () =>
    within(async (temp) => {
      await temp.app.db.write(SYSTEM, 'background', (tx) =>
        tx.run(
          "CREATE TRIGGER refuse BEFORE UPDATE OF page_count ON book WHEN new.id = 2 BEGIN SELECT RAISE(ABORT, 'refused'); END",
        ),
      );
      await scanned(temp, 3);
      assert.equal(await states(temp), [READ, { analyzed: 0, due: 1, attempts: 0, error: null }, READ]);
      assert.equal(temp.faults.length, 1);
      await temp.app.db.write(SYSTEM, 'background', (tx) => tx.run('DROP TRIGGER refuse'));
      await resumed(temp);
      assert.equal(await states(temp), [READ, READ, READ]);
    }),
  );
  check('a page that a busy server could not read yet is retried, and not called damaged', () =>
    within(async (temp) => {
      await scanned(temp, 1);
      await temp.app.db.write(SYSTEM, 'background', (tx) => tx.run('UPDATE book SET due = 1, analyzed = 0'));
      const token = await temp.tokenOf('admin');
      const [{ id }] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
      const { pool } = temp.app;
      const { run } = pool;
      pool.run = busyFor({ ...pool, run: run.bind(pool) } as Pool, Number.POSITIVE_INFINITY).run;
      assert.is((await temp.call('GET', `/api/v1/books/${id}/pages/1`, { token })).status, 503);
      pool.run = run;
      assert.is((await temp.call('GET', `/api/v1/books/${id}/pages/1`, { token })).status, 200);
    }),
  );
  check('a book that could not be opened is not called damaged, and is read as soon as possible', () =>
    within(async (temp) => {
      await scanned(temp, 1);
      const token = await temp.tokenOf('admin');
      const [{ id }] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
      await temp.app.db.write(SYSTEM, 'background', (tx) => tx.run('UPDATE book SET due = 1, analyzed = 0'));
      const path = join(temp.shelf, 'A', 'Book 0.cbz');
      renameSync(path, `${path}.away`);
      symlinkSync(`${path}.away`, path);
      const page = async (): Promise<readonly [number, string]> => {
        const { status, json } = await temp.call('GET', `/api/v1/books/${id}/pages/1`, { token });
        return [status, json?.error];
      };
      assert.equal([await page(), await page()], Array(2).fill([503, 'FileUnreadable']));
      renameSync(`${path}.away`, path);
      await until('it is read', async () => (await page())[0] === 200);
      assert.equal(await states(temp), [READ]);
    }),
  );
  check('a book whose file was damaged is read again when the file is replaced', () =>
    within(async (temp) => {
      await scanned(temp, 1);
      const token = await temp.tokenOf('admin');
      const [{ id }] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
      const path = join(temp.shelf, 'A', 'Book 0.cbz');
      const page = async (): Promise<number> =>
        (await temp.call('GET', `/api/v1/books/${id}/pages/1`, { token })).status;
      renameSync(path, `${path}.whole`);
      writeFileSync(path, 'half');
      assert.equal([await page(), await page()], [422, 422]);
      renameSync(`${path}.whole`, path);
      assert.is(await page(), 200);
      assert.equal(await states(temp), [READ]);
    }),
  );
  check('reading goes on without an unpacked file that disappears', () =>
    within(async (temp) => {
      copyFileSync(fixture('books/rar5-solid.cbr'), join(temp.shelf, 'solid.cbr'));
      await scanned(temp, 0);
      const token = await temp.tokenOf('admin');
      const [book] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
      const page = async (number: number): Promise<number> =>
        (await temp.call('GET', `/api/v1/books/${book.id}/pages/${number}`, { token })).status;
      assert.is(await page(1), 200);
      rmSync(join(temp.app.ownFolders[1] ?? '', 'spill'), { recursive: true });
      assert.equal([await page(2), await page(1)], [200, 200]);
    }),
  );
  check('an unpacked file that disappears under a resized page is no fault of the book', () =>
    within(async (temp) => {
      copyFileSync(fixture('books/rar5-solid.cbr'), join(temp.shelf, 'solid.cbr'));
      await scanned(temp, 0);
      const token = await temp.tokenOf('admin');
      const [book] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
      const page = async (wish: string): Promise<number> =>
        (await temp.call('GET', `/api/v1/books/${book.id}/pages/${wish}`, { token })).status;
      assert.is(await page('1'), 200);
      rmSync(join(temp.app.ownFolders[1] ?? '', 'spill'), { recursive: true });
      assert.equal([await page('2?width=20&format=png'), await page('2?width=20&format=png')], [503, 200]);
    }),
  );
  check('a cache folder that is a file: books are read, pages are made, one warning, health says so', () =>
    within(
      async (temp) => {
        await scanned(temp, 3);
        assert.equal(await states(temp), [READ, READ, READ]);
        const token = await temp.tokenOf('admin');
        const { data } = (await temp.call('GET', '/api/v1/books', { token })).json;
        for (const { id } of data) {
          assert.is((await temp.call('GET', `/api/v1/books/${id}/pages/1?width=1&format=jpeg`, { token })).status, 200);
          assert.is((await temp.call('GET', `/api/v1/books/${id}/thumbnail`, { token })).status, 200);
        }
        assert.equal((await temp.call('GET', '/api/v1/health')).json, {
          status: 'degraded',
          version: 'test',
          database: 'ok',
        });
        const details = await temp.call('GET', '/api/v1/health/details', { token });
        assert.match(details.json.cache, /cache folder/);
        assert.is((await temp.call('GET', '/api/v1/health/details')).status, 401);
        assert.is(
          (await temp.call('GET', '/api/v1/health/details', { token: await temp.tokenOf('reader') })).status,
          403,
        );
        assert.is(temp.warnings.length, 1, temp.warnings.join('\n'));
        assert.equal(temp.faults, []);
      },
      [{ key: 'cache.path', text: fixture('books/rar5-solid.cbr') }] as never[],
    ),
  );
  check('a solid archive is read page by page when its unpacked file cannot be written', () =>
    within(
      async (temp) => {
        copyFileSync(fixture('books/rar5-solid.cbr'), join(temp.shelf, 'solid.cbr'));
        await scanned(temp, 0);
        const token = await temp.tokenOf('admin');
        const [book] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
        for (let page = 1; page <= book.pageCount; page += 1) {
          const answer = await temp.call('GET', `/api/v1/books/${book.id}/pages/${page}`, { token });
          assert.equal([answer.status, answer.bytes.length > 100], [200, true], `page ${page}`);
          const small = await temp.call('GET', `/api/v1/books/${book.id}/pages/${page}?width=20&format=png`, { token });
          assert.is(small.status, 200, `page ${page}, small`);
        }
      },
      [{ key: 'cache.path', text: fixture('books/rar5-solid.cbr') }] as never[],
    ),
  );
});
