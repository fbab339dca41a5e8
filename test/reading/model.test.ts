// Random reading on a random shelf: counters and lists of the database match those of plain arrays.

import fc from 'fast-check';
import { booksOf } from '../../core/catalog/books.js';
import { listBooks } from '../../core/catalog/list-books.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { seriesOf } from '../../core/catalog/series.js';
import { EVERYTHING, unrestricted } from '../../core/model/viewer.js';
import { historySummary } from '../../core/reading/history.js';
import { booksInProgress, readyInProgress, seriesInProgress } from '../../core/reading/in-progress.js';
import { markSeriesRead, markSeriesUnread } from '../../core/reading/mark.js';
import { booksOnDeck, readyOnDeck } from '../../core/reading/on-deck.js';
import { clearProgress, markBookRead, updateProgress } from '../../core/reading/progress.js';
import { recentlyRead } from '../../core/reading/recent.js';
import { progressRecords } from '../../core/reading/records.js';
import { assert, block, IS_FULL } from '../kit.js';
import { Shadow, type ShadowBook } from './shadow.js';
import { idOf, openStock, readerOf, type Stock } from './stock.js';

const USERS = 2;
const SERIES = 3;
const ALL = { page: 1, pageSize: 500 };

const user = fc.integer({ min: 1, max: USERS });
const series = fc.integer({ min: 1, max: SERIES });
/** An index into the existing books. */
const pick = fc.nat(50);

const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    series,
    number: fc.option(fc.integer({ min: 1, max: 4 })),
    pages: fc.integer({ min: 1, max: 4 }),
    analyzed: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  }),
  fc.record({
    do: fc.constantFrom('delete' as const, 'restore' as const, 'purge' as const, 'damage' as const, 'repair' as const),
    pick,
  }),
  fc.record({ do: fc.constant('move' as const), pick, series }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      user,
      pick,
      page: fc.nat(3),
      done: fc.constantFrom(undefined, undefined, true, false),
      late: fc.constantFrom(0, 0, 0, 500, 3000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('read' as const, 'unread' as const), user, pick }) },
  fc.record({ do: fc.constantFrom('readAll' as const, 'unreadAll' as const), user, series }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const changeBook = async (
  stock: Stock,
  shadow: Shadow,
  book: ShadowBook,
  todo: Extract<Step, { do: 'delete' | 'restore' | 'purge' | 'move' | 'damage' | 'repair' }>,
): Promise<void> => {
  if (todo.do === 'purge') {
    await stock.settle((tx) => tx.run('DELETE FROM book WHERE id = ?', [book.key]));
    return shadow.purge(book);
  }
  if (todo.do === 'move') {
    // Series 1 and 3 share a library; a book never leaves its library.
    const target = book.series === 2 ? 2 : todo.series === 2 ? 1 : todo.series;
    await stock.settle((tx) => tx.run('UPDATE book SET series_id = ? WHERE id = ?', [target, book.key]));
    book.series = target;
    return;
  }
  if (todo.do === 'damage' || todo.do === 'repair') {
    book.damaged = todo.do === 'damage';
    const error = book.damaged ? 'damaged' : null;
    await stock.settle((tx) => tx.run('UPDATE book SET analysis_error = ? WHERE id = ?', [error, book.key]));
    return;
  }
  book.deleted = todo.do === 'delete';
  await stock.settle((tx) => tx.run('UPDATE book SET deleted = ? WHERE id = ?', [Number(book.deleted), book.key]));
};

const readBook = async (
  stock: Stock,
  shadow: Shadow,
  book: ShadowBook,
  todo: Extract<Step, { do: 'put' | 'read' | 'unread' }>,
): Promise<void> => {
  const now = stock.clock.now();
  if (todo.do === 'put') {
    const page = 1 + (todo.page % book.pages);
    const change = { currentPage: page, isCompleted: todo.done, at: now - todo.late };
    await updateProgress(stock, readerOf(todo.user), book.id, change);
    return shadow.put(todo.user, book, page, todo.done, now - todo.late);
  }
  if (todo.do === 'unread') {
    await clearProgress(stock, unrestricted(todo.user), book.id);
    return shadow.clear(todo.user, book, now);
  }
  await markBookRead(stock, readerOf(todo.user), book.id).catch((thrown: unknown) => {
    if (book.analyzed) throw thrown;
  });
  shadow.read(todo.user, book, now);
};

const readSeries = async (
  stock: Stock,
  shadow: Shadow,
  todo: Extract<Step, { do: 'readAll' | 'unreadAll' }>,
): Promise<void> => {
  const now = stock.clock.now();
  if (todo.do === 'readAll') {
    await markSeriesRead(stock, readerOf(todo.user), idOf(todo.series));
    for (const book of shadow.ofSeries(todo.series))
      if ((shadow.find(todo.user, book)?.completedAt ?? null) === null) shadow.read(todo.user, book, now);
    return;
  }
  await markSeriesUnread(stock, unrestricted(todo.user), idOf(todo.series));
  for (const book of shadow.books)
    if (book.series === todo.series && shadow.find(todo.user, book) !== undefined) shadow.clear(todo.user, book, now);
};

const take = async (stock: Stock, shadow: Shadow, todo: Step): Promise<void> => {
  stock.advance(1000);
  if (todo.do === 'add') {
    const { do: _do, ...book } = todo;
    const made = await stock.add(book);
    shadow.books.push({ ...book, ...made, addedAt: stock.clock.now(), deleted: false, damaged: false });
    return;
  }
  if (!('pick' in todo)) return readSeries(stock, shadow, todo);
  const book = shadow.books[todo.pick % Math.max(1, shadow.books.length)];
  if (book === undefined) return;
  if ('user' in todo) return readBook(stock, shadow, book, todo);
  return changeBook(stock, shadow, book, todo);
};

const ids = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

const totalled = (found: readonly string[]) => [found, found.length];

/** Sees both libraries, but as somebody who might not. */
const seeingAll = (one: number) => ({ ...unrestricted(one), scope: { ...EVERYTHING, libraries: [1, 2] } });

const compareLists = async ({ db }: Stock, shadow: Shadow, one: number): Promise<void> => {
  const live = shadow.live(one);
  const open = live.filter(({ completedAt }) => completedAt === null);
  const found = await booksInProgress(db, unrestricted(one), undefined, ALL);
  assert.equal([ids(found.items), found.total], [open.map(({ book }) => book.id), open.length], 'in progress');
  assert.equal(
    ids(await recentlyRead(db, unrestricted(one), undefined, 500)),
    live.map(({ book }) => book.id),
    'recently read',
  );
  const records = await progressRecords(db, unrestricted(one), false, ALL);
  assert.equal(
    records.items.map(({ bookId, currentPage, completedAt, startedAt }) => [
      bookId,
      currentPage,
      completedAt,
      startedAt,
    ]),
    live.map(({ book, page, completedAt, startedAt }) => [book.id, page, completedAt, startedAt]),
    'records',
  );
  assert.equal(
    (await progressRecords(db, unrestricted(one), true, ALL)).items.map(({ bookId }) => bookId),
    ids(found.items),
  );
  const deck = await booksOnDeck(db, unrestricted(one), undefined, ALL);
  const expected = shadow.onDeck(one, false);
  assert.equal([ids(deck.items), deck.total], [expected, expected.length], 'on deck');
  for (const viewer of [unrestricted(one), seeingAll(one)]) {
    const begun = await readyInProgress(db, viewer, ALL, null);
    assert.equal([ids(begun.items), begun.total], totalled(shadow.open(one, true)), 'in progress and readable');
    const next = await readyOnDeck(db, viewer, ALL, null);
    assert.equal([ids(next.items), next.total], totalled(shadow.onDeck(one, true)), 'on deck and readable');
  }
  assert.equal(
    (await seriesInProgress(db, unrestricted(one), undefined, 500)).map(({ key }) => key),
    [...new Set(open.map(({ book }) => book.series))].sort((a, b) => a - b),
    'series in progress',
  );
  for (const library of [1, 2]) {
    const own = (key: number): boolean => 1 + (key % 2) === library;
    const bookSeries = new Map(shadow.books.map(({ id, series: key }) => [id, key]));
    const kept = (list: readonly string[]): string[] => list.filter((id) => own(bookSeries.get(id) ?? 0));
    assert.equal(
      ids((await booksOnDeck(db, unrestricted(one), idOf(library), ALL)).items),
      kept(expected),
      'on deck of a library',
    );
    assert.equal(ids((await booksInProgress(db, unrestricted(one), idOf(library), ALL)).items), kept(ids(found.items)));
    assert.equal(
      ids(await recentlyRead(db, unrestricted(one), idOf(library), 500)),
      kept(live.map(({ book }) => book.id)),
    );
  }
};

const compareRows = async ({ db }: Stock, shadow: Shadow, one: number): Promise<void> => {
  const rows = await db.all(
    `SELECT series_id, book_count, completed_count, in_progress_count, last_read_at, last_completed_at
     FROM series_reading WHERE user_id = ? ORDER BY series_id`,
    [one],
  );
  assert.equal(rows, shadow.counters(one), 'counters');
  for (const row of await seriesOf(
    db,
    unrestricted(one),
    { sql: 'SELECT id FROM series', binds: [], rows: 500 },
    's.id',
  )) {
    const books = shadow.ofSeries(row.key);
    const done = books.filter((book) => (shadow.find(one, book)?.completedAt ?? null) !== null);
    assert.equal([row.bookCount, row.completedCount], [books.length, done.length], 'series');
    const times = books.map(
      (book) => shadow.history.filter((entry) => entry.user === one && entry.book === book).length,
    );
    const least = times.length === 0 ? 0 : Math.min(...times);
    assert.is((await historySummary(db, unrestricted(one), 'series', row.key)).count, least, 'history');
  }
  for (const row of await booksOf(
    db,
    unrestricted(one),
    { sql: 'SELECT id FROM book', binds: [], rows: 500 },
    'b.id',
  )) {
    const record = shadow.records.find(({ user: who, book }) => who === one && book.id === row.id);
    assert.equal([row.currentPage, row.readAt], [record?.page ?? null, record?.at ?? null], 'book');
  }
};

const compare = async (stock: Stock, shadow: Shadow): Promise<void> => {
  for (let one = 1; one <= USERS; one += 1) {
    await compareRows(stock, shadow, one);
    await compareLists(stock, shadow, one);
  }
  const parts = { db: stock.db, sets: new SetCache(stock.db) };
  const added = await listBooks(parts, unrestricted(1), {
    order: { sort: 'created_at', descending: true },
    window: ALL,
  });
  const live = shadow.books.filter(({ deleted }) => !deleted).sort((a, b) => b.addedAt - a.addedAt);
  assert.equal([ids(added.items), added.total], [ids(live), live.length], 'recently added');
};

let stock: Stock;

block(
  'reading: against plain arrays',
  (check) => {
    check('counters and lists agree after any sequence of steps', () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
          await stock.reset(USERS, SERIES);
          const shadow = new Shadow();
          for (const one of steps) await take(stock, shadow, one);
          await compare(stock, shadow);
        }),
        { numRuns: IS_FULL ? 70 : 25, interruptAfterTimeLimit: 7000 },
      ),
    );
  },
  {
    before: async () => {
      stock = await openStock();
    },
    after: () => stock.close(),
  },
);
