// What follows a scan, however it ends: books marked while it ran are read, and no others; the series it left are settled.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLibrary, type Library } from '../../core/catalog/libraries.js';
import { STORED_RULES } from '../../core/model/stored-rules.js';
import { SYSTEM } from '../../core/store/feed.js';
import { openTasks } from '../../core/tasks/task-rows.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const bookAt = ({ shelf }: TempApp, n: number): string => join(shelf, 'A', `Book ${n}.cbz`);
const LAST = 4;

/** The last book is not analysed until the gate opens or its scan is cancelled. */
const held = (temp: TempApp): (() => void) => {
  const { pool } = temp.app;
  const { run } = pool;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  pool.run = async (name, input, options) => {
    if (name === 'analyze' && (input as { readonly path: string }).path === bookAt(temp, LAST))
      await Promise.race([
        gate,
        new Promise<void>((resolve) => options.signal?.addEventListener('abort', () => resolve())),
      ]);
    return run.call(pool, name, input, options) as never;
  };
  return open;
};

interface Shelf {
  readonly temp: TempApp;
  readonly library: Library;
  open(): void;
}

const run = ({ app }: TempApp, sql: string): Promise<number> =>
  app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));

const dueBooks = async ({ app }: TempApp): Promise<string[]> =>
  (await app.db.all<{ name: string }>('SELECT file_name AS name FROM book WHERE due = 1 ORDER BY id')).map(
    ({ name }) => name,
  );

/** A scan that has read all books but the last one, the first of which is damaged. */
const withScan = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  const { app } = temp;
  for (let n = 0; n <= LAST; n += 1) writeBook(bookAt(temp, n), 2, `book ${n}`);
  writeFileSync(bookAt(temp, 0), 'no archive');
  const open = held(temp);
  try {
    const library = await createLibrary(app.db, app.clock, SYSTEM, { name: 'S', path: temp.shelf }, app.ownFolders);
    await app.scans.start(library, { mode: 'normal' });
    await until(
      'one book is left',
      async () => (await app.db.all('SELECT id FROM book WHERE due = 0')).length === LAST,
    );
    await use({ temp, library, open });
  } finally {
    open();
    await temp.close();
  }
};

const isIdle = ({ app }: TempApp, ...types: readonly string[]): Promise<void> =>
  until('the tasks have ended', async () => {
    for (const type of types) if ((await openTasks(app.db, type)).length > 0) return false;
    return true;
  });

/** Who marks a book that the scan has read already. */
const MARKS: Readonly<Record<string, (temp: TempApp) => Promise<string>>> = {
  'a person who retries all errors': async (temp) => {
    writeBook(bookAt(temp, 0), 2, 'mended');
    const token = await temp.tokenOf('admin');
    const { json } = await temp.call('POST', '/api/v1/books/retry-all-errors', { token, body: {} });
    assert.ok(JSON.stringify(json).includes('1'), JSON.stringify(json));
    return 'Book 0.cbz';
  },
  'an update': async (temp) => {
    await run(
      temp,
      "UPDATE book_pages SET rule = 1, page_table = x'00' WHERE book_id = (SELECT id FROM book WHERE file_name = 'Book 1.cbz')",
    );
    await temp.app.tasks.enqueue('apply_rule', null, { rule: 'pages', number: STORED_RULES.pages });
    await isIdle(temp, 'apply_rule');
    return 'Book 1.cbz';
  },
};

const ENDINGS: Readonly<Record<string, (shelf: Shelf) => Promise<void>>> = {
  completed: async ({ open }) => open(),
  cancelled: async ({ temp, library, open }) => {
    await temp.app.scans.cancel(library.key);
    open();
  },
  failed: async ({ temp, open }) => {
    await run(
      temp,
      "CREATE TRIGGER fails BEFORE UPDATE OF last_scanned_at ON library BEGIN SELECT RAISE(ABORT, 'cut short'); END",
    );
    open();
  },
};

block('what follows a scan', (check) => {
  for (const [who, mark] of Object.entries(MARKS))
    for (const [state, end] of Object.entries(ENDINGS))
      check(`books that ${who} marked while it ran are read once it is ${state}`, () =>
        withScan(async (shelf) => {
          const { temp, library } = shelf;
          const { app } = temp;
          const name = await mark(temp);
          await isIdle(temp, 'analyze_books');
          assert.equal(await dueBooks(temp), [name, `Book ${LAST}.cbz`]);
          await end(shelf);
          await until('the scan ends', () => app.scans.active().length === 0);
          assert.is((await app.scans.status(library)).state, state);
          await until('the marked book is read', async () => !(await dueBooks(temp)).includes(name));
          assert.equal(await app.db.all(`SELECT page_count, analysis_error FROM book WHERE file_name = '${name}'`), [
            { page_count: 2, analysis_error: null },
          ]);
        }),
      );
  check('a cancelled scan reads nothing more when nobody asked for it, but its series are settled', () =>
    withScan(async ({ temp, library, open }) => {
      const { app } = temp;
      await app.scans.cancel(library.key);
      open();
      const { filesProcessed, errors } = await app.scans.status(library);
      assert.equal(
        [filesProcessed, errors.length],
        [LAST, 1],
        'the book that was under way is neither read nor damaged',
      );
      await until(
        'the series are settled',
        async () => (await app.db.all('SELECT id FROM series WHERE due <> 0')).length === 0,
      );
      await isIdle(temp, 'scan_library', 'settle_series', 'analyze_books');
      assert.equal(await dueBooks(temp), [`Book ${LAST}.cbz`]);
      assert.equal(temp.faults, []);
    }),
  );
  check('the scan after a cancelled one does not count what is still to be read as processed', () =>
    withScan(async ({ temp, library, open }) => {
      const { app } = temp;
      await app.scans.cancel(library.key);
      await isIdle(temp, 'scan_library', 'settle_series', 'analyze_books');
      const counts: number[] = [];
      const { write } = app.db;
      app.db.write = (...args) => {
        counts.push(app.scans.active()[0]?.filesProcessed ?? 0);
        return write.apply(app.db, args) as never;
      };
      await app.scans.start(library, { mode: 'normal' });
      await until('it has found all', () => app.scans.active()[0]?.filesTotal === LAST + 1);
      await until('it reads', () => app.scans.active()[0]?.filesProcessed === LAST);
      assert.ok(Math.max(...counts) <= LAST, `${counts}`);
      open();
      await until('the scan ends', () => app.scans.active().length === 0);
      assert.is((await app.scans.status(library)).filesProcessed, LAST + 1);
    }),
  );
});
