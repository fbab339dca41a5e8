// Stored state of books: after any change the rows read back as the state that was written, each written once.
import fc from 'fast-check';
import { type BookLock, NO_FACTS, packFacts, type StoredFacts } from '../../core/catalog/book-facts.js';
import { edit, hear, relock, settleBook } from '../../core/catalog/settle-book.js';
import { type BookPlace, resettleBooks, settleBooks, statesOf } from '../../core/catalog/settled-books.js';
import type { BookState, Said } from '../../core/catalog/sources.js';
import { PLAIN_RULES } from '../../core/model/strategies.js';
import type { Db } from '../../core/store/db.js';
import { ALL_ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { assert, block } from '../kit.js';
import { openTempDb, type TempDb } from '../temp-db.js';

const BOOKS = [1, 2, 3] as const;
const placeOf = (key: number): BookPlace => ({
  key,
  seriesKey: 1,
  fileName: `tale ${key}.cbz`,
  folderPath: 'Tales',
  rules: null,
});

let temp: TempDb;

const stock = async (): Promise<void> => {
  temp = await openTempDb('settled');
  await temp.db.write(SYSTEM, 'interactive', async (tx) => {
    tx.report(updated('everything', 'all', ALL_ASPECTS));
    await tx.run(
      `INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (1, randomblob(16), 'L', 'l', '/l', 1, 1)`,
    );
    await tx.run(`INSERT INTO folder (id, library_id, path) VALUES (1, 1, 'Tales')`);
    await tx.run(
      `INSERT INTO series (id, uuid, library_id, path, name, name_sort, created_at, updated_at) VALUES (1, randomblob(16), 1, 'Tales', 'Tales', 'tales', 1, 1)`,
    );
    for (const key of BOOKS)
      await tx.run(
        `INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, created_at, updated_at)
         VALUES (?1, randomblob(16), 1, 1, 1, 'tale ' || ?1 || '.cbz', 1, 1, 'cbz', 'x', 'x', 1, 1)`,
        [key],
      );
  });
};

const text = fc.option(fc.constantFrom('One', 'Two "2"', ''), { nil: null });
const LOCKS: readonly BookLock[] = ['title', 'summary', 'writer', 'customMetadata', 'genres'];
const step = fc.record({
  book: fc.constantFrom(...BOOKS),
  change: fc.oneof(
    fc.record({ kind: fc.constant('read' as const), title: text, summary: text, writer: text, genre: text }),
    fc.record({ kind: fc.constant('gone' as const) }),
    fc.record({
      kind: fc.constant('set' as const),
      title: text,
      writer: text,
      custom: fc.boolean(),
      isLeftOut: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('lock' as const), locks: fc.subarray([...LOCKS]) }),
    fc.record({ kind: fc.constant('again' as const) }),
  ),
});
type Change = (typeof step extends fc.Arbitrary<infer T> ? T : never)['change'];

const saidBy = ({ title, summary, writer, genre }: Extract<Change, { kind: 'read' }>): Said => ({
  facts: { title, summary, authors: writer === null ? [] : [{ name: writer, role: 'writer', sortName: null }] },
  series: genre === null ? {} : { genres: [genre], year: 1999 },
  isComplete: true,
});

const next = (state: BookState, change: Change): BookState => {
  if (change.kind === 'read') return hear(state, 'file', saidBy(change));
  if (change.kind === 'gone') return hear(state, 'file', null);
  if (change.kind === 'lock') return relock(state, new Set(change.locks));
  if (change.kind === 'again') return state;
  const customMetadata = change.custom ? { k: [1] } : null;
  const leftOut = new Set(change.isLeftOut && change.title === null ? ['title'] : []);
  return edit(state, { facts: { title: change.title, customMetadata }, roles: { writer: change.writer }, leftOut });
};

/** Compared as JSON: in a row, an absent value and an empty one are the same. */
const comparable = ({ user, said, locks }: BookState, facts: StoredFacts): unknown => ({
  user,
  said: [...said].map(([name, one]) => [name, packFacts(one.facts), one.series, one.isComplete]),
  locks: [...locks],
  facts: packFacts(facts),
});

const readBack = async (db: Db, key: number): Promise<BookState> =>
  db.write(SYSTEM, 'interactive', async (tx) => {
    const state = (await statesOf(tx, [key])).get(key);
    if (state === undefined) throw new Error(`no book ${key}`);
    return state;
  });

block(
  'stored state of books',
  (check) => {
    check('any change reads back as written, and settling again changes nothing', () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          for (const { book, change } of steps) {
            const state = next(await readBack(temp.db, book), change);
            const { facts, columns } = settleBook(state, state.locks, PLAIN_RULES, placeOf(book));
            await temp.db.write(SYSTEM, 'interactive', (tx) =>
              settleBooks(tx, [{ book: placeOf(book), state, terms: ['genre', 'tag'] }], 5),
            );
            assert.equal(
              comparable(await readBack(temp.db, book), (await readBack(temp.db, book)).facts),
              comparable(state, facts),
            );
            const [row] = await temp.db.all('SELECT title, title_sort AS titleSort FROM book WHERE id = ?', [book]);
            assert.equal(row, { title: columns.title, titleSort: columns.titleSort });
            const isEmpty = state.said.size === 0 && state.locks.size === 0 && Object.keys(state.user).length === 0;
            const rows = await temp.db.all('SELECT 1 FROM book_metadata WHERE book_id = ?', [book]);
            assert.is(rows.length, Number(!isEmpty));
            if (isEmpty) assert.equal((await readBack(temp.db, book)).facts, NO_FACTS);
          }
          const all = () =>
            temp.db.all(
              'SELECT b.*, m.facts, m.locks, s.* FROM book b LEFT JOIN book_metadata m ON m.book_id = b.id LEFT JOIN book_source s ON s.book_id = b.id ORDER BY b.id, s.source',
            );
          const before = await all();
          await temp.db.write(SYSTEM, 'interactive', (tx) => resettleBooks(tx, BOOKS, 9));
          assert.equal(await all(), before);
        }),
        { numRuns: 40 },
      ),
    );
  },
  { before: stock, after: () => temp.close() },
);
