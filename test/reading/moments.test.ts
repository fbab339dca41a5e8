// An answer made of several reads is consistent: a write between any two of them is visible entirely or not at all.

import { createList } from '../../core/catalog/collections/lists.js';
import { addMembers, booksOfReadList } from '../../core/catalog/collections/members.js';
import { listBooks } from '../../core/catalog/list-books.js';
import { listSeries } from '../../core/catalog/list-series.js';
import { KeptRows } from '../../core/catalog/query/kept-rows.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import type { PageOf } from '../../core/model/paging.js';
import { unrestricted } from '../../core/model/viewer.js';
import { readHistory } from '../../core/reading/history.js';
import { booksInProgress, readyInProgress } from '../../core/reading/in-progress.js';
import { booksOnDeck, readyOnDeck } from '../../core/reading/on-deck.js';
import { clearProgress, markBookRead, updateProgress } from '../../core/reading/progress.js';
import { progressRecords } from '../../core/reading/records.js';
import type { Db, Reads } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { Versions } from '../../core/store/versions.js';
import { assert, block, type Check } from '../kit.js';
import { idOf, openStock, readerOf, type Stock } from './stock.js';

const SERIES = 8;
const ME = readerOf(1);
const READ = 4;
const UNREAD = 5;
const OPEN = 6;

let stock: Stock;
/** Two books per series. */
let books: { readonly key: number; readonly id: string }[][] = [];
let readList = '';
let kept: KeptRows;

const bookOf = (series: number, at: number): string => books[series - 1]?.[at]?.id ?? '';

/** Series 1 to 4 have a finished book, series 6 has one in progress, the others are unread. */
const prepare = async (): Promise<void> => {
  await stock.reset(1, SERIES);
  await stock.db.write(SYSTEM, 'background', (tx) => tx.run('DELETE FROM read_list'));
  books = [];
  for (let series = 1; series <= SERIES; series += 1) {
    const book = { series, pages: 9, analyzed: true };
    books.push([await stock.add({ ...book, number: 1 }), await stock.add({ ...book, number: 2 })]);
  }
  for (let series = 1; series <= READ; series += 1) {
    stock.advance(2000);
    await markBookRead(stock, ME, bookOf(series, 0));
  }
  await updateProgress(stock, ME, bookOf(OPEN, 0), { currentPage: 2 });
  readList = (await createList(stock.db, stock.clock, 'read_list', unrestricted(1), { name: 'L', ordered: true })).id;
  const named = [1, 2].map((series) => ({ id: bookOf(series, 0), path: '' }));
  await addMembers(stock.db, stock.clock, 'read_list', unrestricted(1), readList, named);
};

/** The same database, with `write` committed right after the read with that number has its rows. */
const writing = (db: Db, at: number, write: () => Promise<unknown>): { readonly db: Db; reads(): number } => {
  let reads = 0;
  const then = async <T>(found: Promise<T>): Promise<T> => {
    const rows = await found;
    reads += 1;
    if (reads === at) await write();
    return rows;
  };
  const heard = (from: Reads): Reads => ({
    all: (sql, binds) => then(from.all(sql, binds)),
    json: (sql, binds) => then(from.json(sql, binds)),
  });
  return {
    db: { ...db, ...heard(db), snapshot: (body) => db.snapshot((inside) => body(heard(inside))) },
    reads: () => reads,
  };
};

type Ask = (db: Db) => Promise<unknown>;

const window = { page: 1, pageSize: 500 };
const parts = (db: Db) => ({ db, sets: new SetCache(db) });
const idsOf = ({ items, total }: PageOf<{ readonly id: string }>) => ({ ids: items.map(({ id }) => id), total });

const series =
  (sort: 'date_read' | 'name', page = window, libraryId?: string): Ask =>
  async (db) =>
    idsOf(await listSeries(parts(db), unrestricted(1), { libraryId, order: { sort, descending: true }, window: page }));
const bookList =
  (sort: 'last_read' | 'title', page = window): Ask =>
  async (db) =>
    idsOf(await listBooks(parts(db), unrestricted(1), { order: { sort, descending: true }, window: page }));

const removeBook = (of: number, at: number): Promise<unknown> =>
  stock.settle((tx) => tx.run('DELETE FROM book WHERE id = ?', [books[of - 1]?.[at]?.key ?? 0]));

const WRITES: Readonly<Record<string, () => Promise<unknown>>> = {
  'an unread series is begun': () => updateProgress(stock, ME, bookOf(UNREAD, 0), { currentPage: 3 }),
  'the open book is finished': () => markBookRead(stock, ME, bookOf(OPEN, 0)),
  'a read book is unread': () => clearProgress(stock, unrestricted(1), bookOf(2, 0)),
  'a book goes': () => removeBook(1, 0),
};

const ASKS: Readonly<Record<string, Ask>> = {
  'series by time of reading': series('date_read'),
  'series by time of reading, page 2': series('date_read', { page: 2, pageSize: 3 }),
  'series by time of reading in a library': series('date_read', window, idOf(1)),
  'series by name, the last page': series('name', { page: 3, pageSize: 3 }),
  'books by time of reading': bookList('last_read'),
  'books by time of reading, page 2': bookList('last_read', { page: 2, pageSize: 3 }),
  'books by title': bookList('title'),
  'books by title, the last page': bookList('title', { page: 4, pageSize: 5 }),
  'books in progress': async (db) => idsOf(await booksInProgress(db, unrestricted(1), undefined, window)),
  'books on deck': async (db) => idsOf(await booksOnDeck(db, unrestricted(1), undefined, window)),
  'books in progress, their rows kept': async (db) =>
    idsOf(await booksInProgress(db, unrestricted(1), undefined, window, kept)),
  'books on deck, their rows kept': async (db) =>
    idsOf(await booksOnDeck(db, unrestricted(1), undefined, window, kept)),
  'books in progress that can be read, with a cached total': async (db) =>
    idsOf(await readyInProgress(db, unrestricted(1), window, kept)),
  'books on deck that can be read, with a cached total': async (db) =>
    idsOf(await readyOnDeck(db, unrestricted(1), window, kept)),
  'records of progress': async (db) => idsOf(await progressRecords(db, unrestricted(1), false, window)),
  'books of a read list': async (db) =>
    idsOf(await booksOfReadList({ db }, unrestricted(1), readList, { sort: undefined, descending: false }, window)),
  'history of a series': (db) => readHistory({ db }, unrestricted(1), 'series', idOf(2)),
};

/** Lists whose totals are cached while nothing changes. */
const counting = (check: Check): void => {
  const lists = { 'books in progress': readyInProgress, 'books on deck': readyOnDeck };
  for (const [name, list] of Object.entries(lists)) {
    check(`${name} that can be read: recounted after each change`, async () => {
      for (const [what, write] of Object.entries(WRITES)) {
        await prepare();
        for (let turn = 0; turn < 2; turn += 1)
          assert.equal(
            await list(stock.db, unrestricted(1), window, kept),
            await list(stock.db, unrestricted(1), window, null),
          );
        await write();
        assert.equal(
          await list(stock.db, unrestricted(1), window, kept),
          await list(stock.db, unrestricted(1), window, null),
          what,
        );
      }
    });
  }
};

/** Asks with rows that are kept, before and after each write, and compares with the same list read anew. */
const keeping = (check: Check): void => {
  const lists = { 'books in progress': booksInProgress, 'books on deck': booksOnDeck };
  for (const [name, list] of Object.entries(lists)) {
    check(`${name}: rows that are kept are not read again, and never shown when they have changed`, async () => {
      for (const [what, write] of Object.entries(WRITES)) {
        await prepare();
        const ask = (db: Db, rows: KeptRows | null): Promise<unknown> =>
          list(db, unrestricted(1), undefined, window, rows);
        const heard = writing(stock.db, 0, async () => undefined);
        for (const reads of [2, 3]) {
          assert.equal(await ask(heard.db, kept), await ask(stock.db, null));
          assert.is(heard.reads(), reads);
        }
        await write();
        assert.equal(await ask(stock.db, kept), await ask(stock.db, null), what);
      }
    });
  }
};

block(
  'answers of one moment',
  (check) => {
    for (const [list, ask] of Object.entries(ASKS)) {
      check(`${list}: consistent, whatever is written between any two reads`, async () => {
        for (const [what, write] of Object.entries(WRITES)) {
          for (let at = 1, reads = 1; at <= reads; at += 1) {
            await prepare();
            const before = await ask(stock.db);
            const heard = writing(stock.db, at, write);
            const found = JSON.stringify(await ask(heard.db));
            reads = heard.reads();
            const moments = [before, await ask(stock.db)].map((one) => JSON.stringify(one));
            assert.ok(moments.includes(found), `${what} after read ${at}: ${found} is none of ${moments.join(' ')}`);
          }
        }
      });
    }
    keeping(check);
    counting(check);
  },
  {
    before: async () => {
      stock = await openStock();
      kept = new KeptRows(stock.db.feed, new Versions(stock.db.feed, { epoch: '', shared: 0, own: [] }));
    },
    after: () => stock.close(),
  },
);
