// Lists of books that can be read now, for somebody who has begun thousands: their totals are counted in indexes, and only once.
import { KeptRows } from '../../core/catalog/query/kept-rows.js';
import { EVERYTHING, unrestricted, type Viewer } from '../../core/model/viewer.js';
import { booksInProgress, readyInProgress } from '../../core/reading/in-progress.js';
import { booksOnDeck, readyOnDeck } from '../../core/reading/on-deck.js';
import { markBookRead, updateProgress } from '../../core/reading/progress.js';
import type { Db } from '../../core/store/db.js';
import { Versions } from '../../core/store/versions.js';
import { assert, block } from '../kit.js';
import { openStock, readerOf, type Stock } from './stock.js';

let stock: Stock;

const WINDOW = { page: 1, pageSize: 50 };
type Heard = [sql: string, binds: readonly (string | number | null | Uint8Array)[]][];

const heardBy = (heard: Heard): Db => ({
  ...stock.db,
  all: (sql, binds = []) => {
    heard.push([sql, binds]);
    return stock.db.all(sql, binds);
  },
});

const LISTS = {
  'in progress': readyInProgress,
  'on deck': readyOnDeck,
  'on deck, analysed or not': (db: Db, viewer: Viewer, window: typeof WINDOW, kept: null) =>
    booksOnDeck(db, viewer, undefined, window, kept),
} as const;
/** The index that a list is walked by, and the alias of its rows. */
const WALKS = {
  'in progress': 'SEARCH p USING COVERING INDEX read_progress_open (user_id=?)',
  'on deck': 'SEARCH r USING COVERING INDEX series_reading_on_deck (user_id=?)',
  'on deck, analysed or not': 'SEARCH r USING COVERING INDEX series_reading_on_deck (user_id=?)',
} as const;

const LIMITED: Viewer = { ...unrestricted(1), scope: { ...EVERYTHING, libraries: [1] } };

block(
  'reading: lists of readable books',
  (check) => {
    check('a list is counted once, although its keys are read before its rows', async () => {
      await stock.reset(1, 2);
      const book = { pages: 4, analyzed: true };
      const finished = await stock.add({ ...book, series: 1, number: 1 });
      await stock.add({ ...book, series: 1, number: 2 });
      const begun = await stock.add({ ...book, series: 2, number: 1 });
      await markBookRead(stock, readerOf(1), finished.id);
      await updateProgress(stock, readerOf(1), begun.id, { currentPage: 2 });
      for (const list of [booksInProgress, booksOnDeck]) {
        const kept = new KeptRows(stock.db.feed, new Versions(stock.db.feed, { epoch: '', shared: 0, own: [] }));
        const heard: Heard = [];
        const found = await list(heardBy(heard), unrestricted(1), undefined, WINDOW, kept);
        assert.equal([found.items.length, found.total], [1, 1]);
        assert.is(heard.filter(([sql]) => /SELECT count\(\*\)\s+FROM (?!book u)/.test(sql)).length, 1);
      }
    });
    // Last: a connection that has explained a statement keeps seeing the rows of that moment.
    for (const name of ['in progress', 'on deck', 'on deck, analysed or not'] as const)
      check(`${name}: page and total walk an index of the user, and look for unreadable books in theirs`, async () => {
        for (const viewer of [unrestricted(1), LIMITED]) {
          const heard: Heard = [];
          await LISTS[name](heardBy(heard), viewer, WINDOW, null);
          assert.is(heard.length, 1);
          for (const [sql, binds] of heard) {
            const plan = await stock.db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, binds);
            const lines = plan.map(({ detail }) => detail);
            const count = (line: string): number => lines.filter((one) => one.startsWith(line)).length;
            assert.equal(
              [count(WALKS[name]), count('SEARCH u USING INDEX book_unready (series_id=?')],
              [2, 2],
              lines.join('\n'),
            );
          }
        }
      });
  },
  {
    before: async () => {
      stock = await openStock();
    },
    after: () => stock.close(),
  },
);
