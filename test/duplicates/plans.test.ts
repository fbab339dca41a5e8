// No statement of a search, nor of its answers, reads a whole table of books or series at once, or sorts one.
import { bookGroupsSql, seriesGroupsSql } from '../../core/catalog/duplicates/groups.js';
import { KIND } from '../../core/catalog/duplicates/store.js';
import { unrestricted, type Viewer } from '../../core/model/viewer.js';
import { BOOKS_WITH_LOOKS, PAGE_COUNTS } from '../../core/scan/duplicates/editions.js';
import { BOOKS_OF_HASHES, SHARED_HASHES, UNHASHED_TWINS } from '../../core/scan/duplicates/files.js';
import { BOOKS_TO_LOOK_AT } from '../../core/scan/duplicates/looks.js';
import { BOOKS_OF_TITLES, SERIES_OF_TITLES, SERIES_TO_KEY, TITLE_KEYS } from '../../core/scan/duplicates/titles.js';
import { tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const LIMITED: Viewer = {
  ...unrestricted(1),
  scope: { libraries: [1], ageLimit: 12, showUnrated: true, deniedTags: [1], allowedTags: [2], removing: [] },
};

const STATEMENTS: Readonly<Record<string, string>> = {
  UNHASHED_TWINS,
  SHARED_HASHES,
  BOOKS_OF_HASHES,
  SERIES_TO_KEY,
  TITLE_KEYS,
  SERIES_OF_TITLES,
  BOOKS_OF_TITLES,
  BOOKS_TO_LOOK_AT,
  PAGE_COUNTS,
  BOOKS_WITH_LOOKS,
  'files of a limited person': bookGroupsSql(LIMITED, KIND.file),
  'editions of somebody else': bookGroupsSql(unrestricted(1), KIND.edition),
  'series of a limited person': seriesGroupsSql(LIMITED),
};

/** A table that is read by an index, or a list that is given, is no whole table. */
const isWhole = (step: string): boolean => /^SCAN (?!j )/.test(step);
const isSort = (step: string): boolean => step === 'USE TEMP B-TREE FOR ORDER BY' || step.endsWith('FOR GROUP BY');

block('plans of searches for duplicates', (check) => {
  check('every step goes by an index, in its order', async () => {
    const temp = await tempApp();
    try {
      for (const [name, sql] of Object.entries(STATEMENTS)) {
        const binds = Array.from({ length: Math.max(2, sql.split('?').length - 1) }, () => 1);
        const count = /\?3/.test(sql) ? 3 : sql.split('?').length - 1;
        const rows = await temp.app.db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, binds.slice(0, count));
        const steps = rows.map(({ detail }) => detail);
        assert.equal(
          steps.filter((step) => isWhole(step) || isSort(step)),
          [],
          `${name}: ${steps.join(' | ')}`,
        );
      }
    } finally {
      await temp.close();
    }
  });
});
