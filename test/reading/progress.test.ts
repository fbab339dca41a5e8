// The rules of a progress record, long series in batches, and plans of lists.

import { AppError } from '../../core/model/errors.js';
import { newId } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { ProgressChange } from '../../core/reading/completion.js';
import { readHistory } from '../../core/reading/history.js';
import { booksInProgress, seriesInProgress } from '../../core/reading/in-progress.js';
import { markSeriesRead, markSeriesUnread } from '../../core/reading/mark.js';
import { booksOnDeck } from '../../core/reading/on-deck.js';
import { readPosition, storeNewerPosition, storePosition } from '../../core/reading/position.js';
import { clearProgress, markBookRead, type Progress, updateProgress } from '../../core/reading/progress.js';
import { recentlyRead } from '../../core/reading/recent.js';
import { progressRecords } from '../../core/reading/records.js';
import type { Db } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { idOf, type NewBook, openStock, readerOf, type Stock } from './stock.js';

let stock: Stock;

const BOOK: NewBook = { series: 1, number: 1, pages: 10, analyzed: true };
const ME = readerOf(1);

const bookWith = async (change: Partial<NewBook> = {}): Promise<string> => {
  await stock.reset(2, 2);
  return (await stock.add({ ...BOOK, ...change })).id;
};

const kindOf = async (body: () => unknown): Promise<string> => {
  const thrown = await thrownBy(body);
  return thrown instanceof AppError ? thrown.kind : String(thrown);
};

/** The record after a change; it must exist. */
const changed = async (id: string, change: ProgressChange): Promise<Progress> => {
  const record = await updateProgress(stock, ME, id, change);
  if (record === undefined) throw new Error('there is no record');
  return record;
};

/** Applies the changes in order to a fresh book. Returns the page, state and percentage after the last. */
const after = async (book: Partial<NewBook>, ...changes: readonly ProgressChange[]): Promise<unknown> => {
  const id = await bookWith(book);
  let last: unknown;
  for (const change of changes) {
    stock.advance(2000);
    const { currentPage, completed, percentage } = await changed(id, change);
    last = [currentPage, completed, percentage];
  }
  return last;
};

const refusals = (check: Check): void => {
  for (const [currentPage, nearest] of [
    [0, 1],
    [-1, 1],
    [11, 10],
    [2 ** 31 - 1, 10],
  ] as const) {
    check(`page ${currentPage} of 10 is page ${nearest}`, async () => {
      const id = await bookWith();
      assert.is((await changed(id, { currentPage })).currentPage, nearest);
    });
  }
  check('an empty change is refused, and so is a book that does not exist', async () => {
    const id = await bookWith();
    assert.is(await kindOf(() => updateProgress(stock, ME, id, {})), 'BadRequest');
    assert.is(await kindOf(() => updateProgress(stock, ME, idOf(99), { currentPage: 1 })), 'NotFound');
    assert.is(await kindOf(() => clearProgress(stock, unrestricted(1), idOf(99))), 'NotFound');
  });
  check('a book that is not analysed takes any page, is never completed and cannot be marked', async () => {
    const book = { analyzed: false, pages: 0 };
    assert.equal(await after(book, { currentPage: 700, isCompleted: true }), [700, false, null]);
    assert.equal(await after(book, { isCompleted: true }), [1, false, null]);
    const id = await bookWith(book);
    assert.is(await kindOf(() => markBookRead(stock, ME, id)), 'Conflict');
    assert.equal(await markSeriesRead(stock, ME, idOf(1)), { marked: 0, skipped: 1 });
  });
  check('whoever marks a book that cannot be read is told why', async () => {
    const id = await bookWith({ analyzed: false, pages: 0 });
    const refusal = async (): Promise<string> => String(await thrownBy(() => markBookRead(stock, ME, id)));
    assert.match(await refusal(), /not been analysed yet/);
    await stock.settle((tx) => tx.run("UPDATE book SET analysis_error = 'It is encrypted.'"));
    assert.match(await refusal(), /The book cannot be read\. It is encrypted\.$/);
    await stock.settle((tx) => tx.run('UPDATE book SET analysis_error = NULL, analyzed = 1'));
    assert.match(await refusal(), /The book has no pages\.$/);
  });
};

const rules = (check: Check): void => {
  const epub = { format: 'epub' } as const;
  const table: readonly (readonly [string, Partial<NewBook>, readonly ProgressChange[], unknown])[] = [
    ['the last page completes', {}, [{ currentPage: 10 }], [10, true, 1]],
    ['the last page completes even when told not to', {}, [{ currentPage: 10, isCompleted: false }], [10, true, 1]],
    ['an explicit true completes below the last page', {}, [{ currentPage: 3, isCompleted: true }], [3, true, 0.3]],
    ['an explicit false wins below it', {}, [{ currentPage: 9, isCompleted: false }], [9, false, 0.9]],
    ['completed without a page is the last page', {}, [{ currentPage: 2 }, { isCompleted: true }], [10, true, 1]],
    ['going back is honoured', {}, [{ currentPage: 10 }, { currentPage: 4 }], [4, false, 0.4]],
    ['a share determines the page', {}, [{ percentage: 0.41 }], [5, false, 0.5]],
    ['an EPUB keeps its share', epub, [{ currentPage: 2, percentage: 0.123 }], [2, false, 0.123]],
    ['an EPUB reported by page forgets its share', epub, [{ percentage: 0.3 }, { currentPage: 5 }], [5, false, 0.5]],
    ['an EPUB read nearly to the end is read', epub, [{ percentage: 0.985 }], [10, true, 0.985]],
    ['unless told not to', epub, [{ percentage: 0.985, isCompleted: false }], [10, false, 0.985]],
    ['an EPUB marked as read is whole', epub, [{ percentage: 0.3 }, { isCompleted: true }], [10, true, 1]],
  ];
  for (const [fact, book, changes, result] of table)
    check(fact, async () => assert.equal(await after(book, ...changes), result));
  check('a book that is analysed again stays completed', async () => {
    const id = await bookWith();
    await markBookRead(stock, ME, id);
    await stock.settle((tx) => tx.run('UPDATE book SET analyzed = 0'));
    assert.is((await changed(id, { currentPage: 5 })).completed, true);
    assert.is((await changed(id, { isCompleted: true })).completed, true);
    assert.is((await changed(id, { isCompleted: false })).completed, false);
  });
};

const times = (check: Check): void => {
  check('what was read earlier never overwrites what was read later', async () => {
    const id = await bookWith();
    const now = stock.clock.now();
    await updateProgress(stock, ME, id, { currentPage: 5, at: now - 10_000 });
    assert.is((await changed(id, { currentPage: 2, at: now - 20_000 })).currentPage, 5);
    const newer = await changed(id, { currentPage: 3, at: now - 5000 });
    assert.equal([newer.currentPage, newer.updatedAt], [3, now - 5000]);
    await updateProgress(stock, ME, id, { currentPage: 7 });
    assert.is((await changed(id, { currentPage: 8, at: now - 5000 })).currentPage, 7);
  });
  check('reading from before a clearing does not come back', async () => {
    const id = await bookWith();
    const now = stock.clock.now();
    await updateProgress(stock, ME, id, { currentPage: 5, at: now - 10_000 });
    await clearProgress(stock, unrestricted(1), id);
    assert.is(await updateProgress(stock, ME, id, { currentPage: 8, at: now - 5000 }), undefined);
    assert.is(await storePosition(stock, ME, id, { document: {}, at: now - 5000 }), false);
    assert.equal((await progressRecords(stock.db, unrestricted(1), false, { page: 1, pageSize: 9 })).items, []);
    stock.advance(5000);
    assert.is((await changed(id, { currentPage: 2 })).currentPage, 2);
    await markSeriesUnread(stock, unrestricted(1), idOf(1));
    assert.is(await updateProgress(stock, ME, id, { currentPage: 8, at: now + 1000 }), undefined);
    assert.is((await updateProgress(stock, readerOf(2), id, { currentPage: 8, at: now }))?.currentPage, 8);
  });
  check('a fast clock does not block what is read next', async () => {
    const id = await bookWith();
    const now = stock.clock.now();
    assert.is((await changed(id, { currentPage: 5, at: now + 1e9 })).updatedAt, now);
    assert.is((await changed(id, { currentPage: 6 })).currentPage, 6);
  });
  check('a time without a fraction counts as the same second', async () => {
    const id = await bookWith();
    stock.advance(700);
    const now = stock.clock.now();
    await updateProgress(stock, ME, id, { currentPage: 5 });
    const next = await changed(id, { currentPage: 6, at: now - 700 });
    assert.equal([next.currentPage, next.updatedAt], [6, now]);
  });
  check('a read-through counts once, and a fresh start begins the next one', async () => {
    const id = await bookWith();
    for (const currentPage of [10, 9, 10]) await updateProgress(stock, ME, id, { currentPage });
    assert.is((await readHistory(stock, unrestricted(1), 'book', id)).count, 1);
    stock.advance(5000);
    await clearProgress(stock, unrestricted(1), id);
    await markBookRead(stock, ME, id);
    const { count, lastCompletedAt, entries } = await readHistory(stock, unrestricted(1), 'series', idOf(1));
    assert.equal([count, lastCompletedAt, entries.length], [2, stock.clock.now(), 2]);
    assert.is((await readHistory(stock, unrestricted(2), 'book', id)).count, 0);
  });
  check('a position is returned as received, updates the progress, and is cleared with it', async () => {
    const id = await bookWith({ format: 'epub' });
    const now = stock.clock.now();
    const locations = { position: 4, totalProgression: 0.37 };
    const document = { locator: { href: 'x', other: ['kept'], locations } };
    const at = now - 10_000;
    assert.is(await storePosition(stock, ME, id, { document, at }), true);
    assert.is(await storePosition(stock, ME, id, { document: {}, at: at - 10_000 }), false);
    const older = { document: {}, at: at - 10_000 };
    assert.is(await kindOf(() => storeNewerPosition(stock, ME, id, older)), 'Conflict');
    assert.equal((await readPosition(stock.db, unrestricted(1), id))?.document, document);
    const [record] = (await progressRecords(stock.db, unrestricted(1), true, { page: 1, pageSize: 9 })).items;
    assert.equal([record?.currentPage, record?.percentage, record?.updatedAt], [4, 0.37, at]);
    const long = { document: 'x'.repeat(40_000), at: undefined };
    assert.is(await kindOf(() => storePosition(stock, ME, id, long)), 'PayloadTooLarge');
    await clearProgress(stock, unrestricted(1), id);
    assert.is(await readPosition(stock.db, unrestricted(1), id), undefined);
  });
};

/** Runs `work`, and counts the other interactive writes that got through meanwhile. */
const writesBetween = async (db: Db, work: () => Promise<unknown>): Promise<number> => {
  let writes = 0;
  let over = false;
  const others = (async () => {
    for (; !over; writes += 1)
      await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE user SET updated_at = 1 WHERE id = 2'));
  })();
  await work();
  over = true;
  await others;
  return writes;
};

const LONG = 5000;
/** Writes that got through: another one gets in after every batch. */
const WRITES_MIN = 20;

const long = (check: Check): void => {
  check(`a series of ${LONG} books is marked read and unread in batches that let others write`, async () => {
    await bookWith();
    const rows = Array.from({ length: LONG - 1 }, (_, index) => [newId(stock.clock.now()), `x${index}`, index + 2]);
    await stock.settle((tx) =>
      tx.run(
        `INSERT INTO book (uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, number, page_count, analyzed, created_at, updated_at)
         SELECT unhex(value ->> 0), 2, 1, 2, value ->> 1, 1, 1, 'cbz', '', '', value ->> 2, 3, 1, 0, 0 FROM json_each(?)`,
        [JSON.stringify(rows)],
      ),
    );
    let marked = 0;
    const read = await writesBetween(stock.db, async () => {
      marked = (await markSeriesRead(stock, ME, idOf(1))).marked;
    });
    assert.is(marked, LONG);
    assert.is((await markSeriesRead(stock, ME, idOf(1))).marked, 0);
    const unread = await writesBetween(stock.db, async () => {
      marked = (await markSeriesUnread(stock, unrestricted(1), idOf(1))).marked;
    });
    assert.is(marked, LONG);
    assert.equal(await stock.db.all('SELECT * FROM series_reading'), []);
    assert.ok(Math.min(read, unread) >= WRITES_MIN, `others wrote ${read} and ${unread} times`);
  });
};

const onDeck = (check: Check): void => {
  check('on deck is the first unread book, even in a gap; one that cannot be read is passed over', async () => {
    await stock.reset(2, 2);
    const books = [];
    for (const number of [1, 2, 3, 4]) books.push(await stock.add({ ...BOOK, number }));
    const [first, second, third, fourth] = books.map(({ id }) => id);
    const next = async (): Promise<readonly string[]> =>
      (await booksOnDeck(stock.db, unrestricted(1), undefined, { page: 1, pageSize: 9 })).items.map(({ id }) => id);
    for (const id of [first, third]) await markBookRead(stock, ME, id ?? '');
    assert.equal(await next(), [second]);
    await stock.settle((tx) => tx.run(`UPDATE book SET analysis_error = 'damaged' WHERE number = 2`));
    assert.equal(await next(), [fourth]);
    await markBookRead(stock, ME, fourth ?? '');
    assert.equal(await next(), []);
  });
};

/** A database that records queries and returns no rows. */
const listening = (heard: [string, readonly unknown[]][]): Db => ({
  ...stock.db,
  all: async (sql, binds = []) => {
    heard.push([sql, binds]);
    return [];
  },
  json: async <T>(sql: string, binds: readonly unknown[] = []): Promise<T> => {
    heard.push([sql, binds]);
    return [] as T;
  },
});

const plans = (check: Check): void => {
  const window = { page: 2, pageSize: 50 };
  const lists: Readonly<Record<string, (db: Db, library: string | undefined) => Promise<unknown>>> = {
    'in progress': (db, library) => booksInProgress(db, unrestricted(1), library, window),
    'on deck': (db, library) => booksOnDeck(db, unrestricted(1), library, window),
    'recently read': (db, library) => recentlyRead(db, unrestricted(1), library, 50),
    'series in progress': (db, library) => seriesInProgress(db, unrestricted(1), library, 50),
    records: (db) => progressRecords(db, unrestricted(1), true, window),
  };
  for (const [name, ask] of Object.entries(lists)) {
    check(`${name}: no table is scanned`, async () => {
      const heard: [string, readonly unknown[]][] = [];
      for (const library of [undefined, idOf(1)]) await ask(listening(heard), library);
      for (const [sql, binds] of heard) {
        const plan = await stock.db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, binds as never);
        const lines = plan.map(({ detail }) => detail);
        const inner = lines.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(line)?.[1] ?? []);
        const scans = lines.filter(
          (line) => line.startsWith('SCAN ') && line !== 'SCAN CONSTANT ROW' && !inner.includes(line.slice(5)),
        );
        assert.equal(scans, [], lines.join('\n'));
      }
    });
  }
};

block(
  'reading: progress',
  (check) => {
    for (const part of [refusals, rules, times, long, onDeck, plans]) part(check);
  },
  {
    before: async () => {
      stock = await openStock();
    },
    after: () => stock.close(),
  },
);
