// What trackers read and write: counts, how far a series or read list is read without a gap, and marking up to a point.
import { contentsOf, createFilled } from '../../core/catalog/collections/contents.js';
import { addMembers } from '../../core/catalog/collections/members.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import type { AppError } from '../../core/model/errors.js';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import { clearProgress, updateProgress } from '../../core/reading/progress.js';
import { markFirst, markUpToNumber, readCounts, seriesTrack } from '../../core/reading/trackers.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { idOf, openStock, readerOf, type Stock } from './stock.js';

let stock: Stock;
let books: { readonly key: number; readonly id: string }[] = [];
const ME = readerOf(1);
const OTHER = readerOf(2);

/** Series 1, with books of these numbers as their files tell them. */
const series = async (...told: readonly string[]): Promise<void> => {
  await stock.reset(2, 2);
  books = [];
  for (const number of told)
    books.push(await stock.add({ series: 1, number: Math.trunc(Number(number)), pages: 10, analyzed: true }));
  await stock.settle(async (tx) => {
    for (const [at, { key }] of books.entries())
      await tx.run('UPDATE book SET told_number = ? WHERE id = ?', [Number(told[at]), key]);
  });
};

const read = (at: number): Promise<unknown> => updateProgress(stock, ME, books[at]?.id ?? '', { isCompleted: true });
const open = (at: number): Promise<unknown> => updateProgress(stock, ME, books[at]?.id ?? '', { currentPage: 3 });
const track = (who = ME): Promise<unknown> =>
  seriesTrack(stock.db, who.viewer, idOf(1)).then((one) => [
    one.books,
    one.read,
    one.unread,
    one.inProgress,
    one.lastNumber,
    one.maxNumber,
  ]);
const upTo = (number: number): Promise<unknown> => markUpToNumber(stock, ME, idOf(1), number);

const ofSeries = (check: Check): void => {
  check('an unknown series is NotFound for reading and marking', async () => {
    await series('1');
    const refusals = [
      () => seriesTrack(stock.db, ME.viewer, uuidOfHex(newId(0))),
      () => markUpToNumber(stock, ME, uuidOfHex(newId(0)), 1),
      () => readCounts(stock.db, ME.viewer, 'read_list', uuidOfHex(newId(0))),
    ];
    for (const refused of refusals)
      assert.is(((await thrownBy(refused)) as AppError).kind, 'NotFound', String(refused));
  });
  check('counts, the run of read books from the first, and the highest number', async () => {
    await series('1', '2', '3', '4');
    assert.equal(await track(), [4, 0, 4, 0, 0, 4]);
    await read(0);
    await read(1);
    await open(2);
    await read(3);
    assert.equal(await track(), [4, 3, 0, 1, 2, 4]);
    assert.equal(await track(OTHER), [4, 0, 4, 0, 0, 4]);
  });
  check('a run that does not begin at the first book is none', async () => {
    await series('1', '2');
    await read(1);
    assert.equal(await track(), [2, 1, 1, 0, 0, 2]);
  });
  check('the run includes books that cannot be read, but ends with a read one', async () => {
    await series('1', '2', '3', '4', '5');
    const damage = (...at: readonly number[]): Promise<void> =>
      stock.settle(async (tx) => {
        for (const one of at)
          await tx.run(
            "UPDATE book SET analyzed = 0, page_count = 0, analysis_error = 'It is encrypted.' WHERE id = ?",
            [books[one]?.key ?? 0],
          );
      });
    await damage(0, 2, 4);
    assert.equal(await track(), [5, 0, 5, 0, 0, 5]);
    await read(1);
    assert.equal(await track(), [5, 1, 4, 0, 2, 5]);
    await upTo(Number.MAX_VALUE);
    assert.equal(await track(), [5, 2, 3, 0, 4, 5]);
    assert.is((await readCounts(stock.db, ME.viewer, 'series', idOf(1))).readInARow, 4);
    await stock.settle((tx) => tx.run('UPDATE book SET analysis_error = NULL WHERE id = ?', [books[2]?.key ?? 0]));
    assert.equal(await track(), [5, 2, 3, 0, 2, 5]);
  });
  check('a series without books counts nothing', async () => {
    await series();
    assert.equal(await track(), [0, 0, 0, 0, 0, 0]);
  });
  check('marking up to 1.1 includes the book 1.1, as the app rounds it, and not 1.2', async () => {
    await series('1', '1.1', '1.2', '2');
    await upTo(Math.fround(1.1));
    assert.equal(await track(), [4, 2, 2, 0, Math.fround(1.1), 2]);
    await upTo(1.2);
    assert.equal(await track(), [4, 3, 1, 0, Math.fround(1.2), 2]);
  });
  check('marking up to 0, below it or to a lower number un-marks nothing', async () => {
    await series('0', '1', '2');
    for (const number of [0, -1]) await upTo(number);
    assert.equal(await track(), [3, 0, 3, 0, 0, 2]);
    await upTo(2);
    for (const number of [1, 0, -5]) await upTo(number);
    assert.equal(await track(), [3, 3, 0, 0, 2, 2]);
  });
  check('a book that was read keeps its time when more are marked', async () => {
    await series('1', '2');
    await read(0);
    const before = await stock.db.all('SELECT completed_at FROM read_progress');
    stock.advance(60_000);
    await upTo(2);
    const after = await stock.db.all('SELECT completed_at FROM read_progress ORDER BY completed_at LIMIT 1');
    assert.equal(after, before);
  });
  check('the first books of a series are marked by their count', async () => {
    await series('1', '2', '3');
    await markFirst(stock, ME, 'series', idOf(1), 2);
    assert.equal(await track(), [3, 2, 1, 0, 2, 3]);
    assert.is((await readCounts(stock.db, ME.viewer, 'series', idOf(1))).readInARow, 2);
  });
};

const ofLists = (check: Check): void => {
  const listOf = async (...at: readonly number[]): Promise<string> => {
    const members = at.map((one, path) => ({ id: books[one]?.id ?? '', path: `bookIds.${path}` }));
    const wanted = { name: `List ${at.join()}`, ordered: true, members };
    return (await createFilled(stock.db, stock.clock, 'read_list', ME.viewer, wanted)).id;
  };
  check('a read list is marked in its own order, by the count of its books', async () => {
    await series('1', '2', '3');
    const list = await listOf(2, 0, 1);
    await markFirst(stock, ME, 'read_list', list, 2);
    assert.equal(await track(), [3, 2, 1, 0, 1, 3]);
    const counts = await readCounts(stock.db, ME.viewer, 'read_list', list);
    assert.equal(counts, { books: 3, read: 2, unread: 1, inProgress: 0, readInARow: 2 });
    await clearProgress(stock, ME.viewer, books[2]?.id ?? '');
    assert.is((await readCounts(stock.db, ME.viewer, 'read_list', list)).readInARow, 0);
    await markFirst(stock, ME, 'read_list', list, 0);
    assert.is((await readCounts(stock.db, ME.viewer, 'read_list', list)).read, 1);
  });
  check('a book in a read list that cannot be read is skipped', async () => {
    await series('1', '2', '3');
    const list = await listOf(2, 1, 0);
    await stock.settle((tx) =>
      tx.run("UPDATE book SET analyzed = 0, page_count = 0, analysis_error = 'It is damaged.' WHERE id = ?", [
        books[1]?.key ?? 0,
      ]),
    );
    await markFirst(stock, ME, 'read_list', list, 3);
    const counts = await readCounts(stock.db, ME.viewer, 'read_list', list);
    assert.equal(counts, { books: 3, read: 2, unread: 1, inProgress: 0, readInARow: 3 });
  });
  check('a list with an unknown member is not created', async () => {
    await series('1');
    const members = [{ id: uuidOfHex(newId(0)), path: 'bookIds.0' }];
    const refused = await thrownBy(() =>
      createFilled(stock.db, stock.clock, 'read_list', ME.viewer, { name: 'Lost', ordered: true, members }),
    );
    assert.is((refused as AppError).kind, 'BadRequest');
    assert.equal(await stock.db.all("SELECT id FROM read_list WHERE name = 'Lost'"), []);
  });
  check('contents are the ids in order, and grow with the list', async () => {
    await series('1', '2', '3');
    const id = await listOf(2, 0);
    const named = [{ id: books[1]?.id ?? '', path: 'bookIds.0' }];
    const list = await addMembers(stock.db, stock.clock, 'read_list', ME.viewer, id, named);
    const parts = { db: stock.db, sets: new SetCache(stock.db) };
    assert.equal(
      await contentsOf(parts, 'read_list', ME.viewer, list),
      [2, 0, 1].map((at) => books[at]?.id),
    );
  });
};

block(
  'trackers',
  (check) => {
    ofSeries(check);
    ofLists(check);
  },
  {
    before: async () => {
      stock = await openStock();
    },
    after: () => stock.close(),
  },
);
