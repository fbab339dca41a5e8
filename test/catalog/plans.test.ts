// The plans of lists: the chosen plans match a committed table; every sort walks its index, every filter finds its rows through one.

import { readFileSync } from 'node:fs';
import { APP_BOOK_FIELDS, BOOK_FIELDS, SERIES_FIELDS } from '../../core/catalog/conditions/fields.js';
import { parseCondition } from '../../core/catalog/conditions/parse.js';
import { type Sets, setsOf } from '../../core/catalog/conditions/sets.js';
import { parseBookCondition } from '../../core/catalog/list-books.js';
import type { ListScope } from '../../core/catalog/query/plan.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { volumeCount } from '../../core/catalog/series.js';
import {
  APP_BOOK_COLUMN_SORTS,
  BOOK_COLUMN_SORTS,
  type BookSort,
  SERIES_COLUMN_SORTS,
  type SeriesSort,
} from '../../core/catalog/sorts.js';
import { BOOK_QUERIES, SERIES_QUERIES } from '../../core/catalog/sql/list-queries.js';
import type { IdQuery } from '../../core/catalog/sql/predicates.js';
import { queryOf } from '../../core/catalog/sql/set-queries.js';
import type { RowKind } from '../../core/model/row-kind.js';
import { firstOfKey } from '../../core/model/sort-key.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block, type Check } from '../kit.js';
import { openTempDb, type TempDb } from '../temp-db.js';
import { planTable } from './plan-table.js';
import type { Shelved } from './random-shelf.js';

const planOf = async ({ db }: Shelved, { sql, binds }: IdQuery, limited: boolean): Promise<string> => {
  const rows = await db.all<{ detail: string }>(
    `EXPLAIN QUERY PLAN ${sql}${limited ? ' LIMIT ? OFFSET ?' : ''}`,
    limited ? [...binds, 50, 100] : binds,
  );
  return rows.map(({ detail }) => detail).join('; ');
};

const queriesOf = (rows: RowKind, sets: Sets): readonly IdQuery[] => {
  if ('set' in sets) return [queryOf(rows, sets.set)];
  if ('not' in sets) return queriesOf(rows, sets.not);
  return ('all' in sets ? sets.all : sets.any).flatMap((part) => queriesOf(rows, part));
};

/** Nothing here writes, so one catalog serves all. */
let catalog: TempDb;
const onCatalog = (use: (parts: Shelved) => Promise<void>): Promise<void> =>
  use({ db: catalog.db, sets: new SetCache(catalog.db) });

const NARROWS: readonly ListScope[] = [{}, { library: 1 }];

/** A scan without an index, or a sort. */
const SLOW = /SCAN \w+(?! USING)(?:;|$)|TEMP B-TREE/;

const ID = '018f0000-0000-7000-8000-000000000001';
const is = (value: string) => ({ operator: 'is', value });

const BOOK_CLAUSES: Readonly<Record<string, unknown>> = {
  libraryId: is(ID),
  seriesId: is(ID),
  genre: is('x'),
  tag: is('x'),
  title: is('three'),
  titleSort: is('three'),
  author: is('x'),
  writer: is('x'),
  publisher: is('x'),
  language: is('en'),
  year: { operator: 'between', min: 2000, max: 2005 },
  readStatus: is('read'),
  hasError: { operator: 'isTrue' },
  inReadList: { operator: 'isTrue' },
  bookType: is('manga'),
  format: is('pdf'),
  path: is('/a/b.cbz'),
  pageCount: { operator: 'gt', value: 3 },
  dateAdded: { operator: 'after', value: '2024-01-01' },
};

const SERIES_CLAUSES: Readonly<Record<string, unknown>> = {
  libraryId: is(ID),
  genre: is('x'),
  tag: is('x'),
  sharingTag: is('x'),
  publisher: is('x'),
  status: is('ended'),
  language: is('en'),
  author: is('x'),
  writer: is('x'),
  year: { operator: 'eq', value: 2000 },
  inCollection: { operator: 'isTrue' },
};

/** Lines of one text that are not in the other. */
const linesWithout = (text: string, other: string, sign: string): string[] => {
  const known = new Set(other.split('\n'));
  return text.split('\n').flatMap((line) => (known.has(line) ? [] : [`${sign} ${line}`]));
};

const plans = (check: Check): void => {
  check('each sort with each family of filters uses the plan in the committed table', () => {
    const [written, now] = [readFileSync(fixture('plans.txt'), 'utf8'), planTable()];
    const difference = [...linesWithout(written, now, '-'), ...linesWithout(now, written, '+')];
    assert.equal(difference, [], difference.join('\n'));
    assert.is(now, written);
  });
  const walks = <S extends string>(
    what: string,
    sorts: readonly S[],
    shelf: { walk(order: { sort: S; descending: boolean }, narrow: ListScope, reversed: boolean): IdQuery },
  ): void => {
    for (const sort of sorts) {
      check(`${what} by ${sort}: a walk of an index in both directions, of all and of a library`, () =>
        onCatalog(async (parts) => {
          for (const narrow of NARROWS) {
            for (const [descending, reversed] of [
              [false, false],
              [true, false],
              [false, true],
              [true, true],
            ] as const) {
              const query = shelf.walk({ sort, descending }, narrow, reversed);
              assert.not.match(await planOf(parts, query, true), SLOW);
            }
          }
        }),
      );
    }
  };
  const bookSorts = Object.keys({ ...BOOK_COLUMN_SORTS, ...APP_BOOK_COLUMN_SORTS }) as BookSort[];
  walks<BookSort>('books', [...bookSorts, 'series'], BOOK_QUERIES);
  walks<SeriesSort>('series', Object.keys(SERIES_COLUMN_SORTS) as SeriesSort[], SERIES_QUERIES);

  const filters = (rows: RowKind, clauses: Readonly<Record<string, unknown>>, compiled: (clause: unknown) => Sets) =>
    check(`${rows}: no filter scans a table`, () =>
      onCatalog(async (parts) => {
        for (const [field, clause] of Object.entries(clauses)) {
          const queries = queriesOf(rows, compiled({ [field]: clause }));
          assert.ok(queries.length > 0, field);
          for (const query of queries)
            assert.not.match(
              await planOf(parts, query, false),
              /SCAN (?:b|s|x|o|p|book|series)(?! USING)(?:;|$)/,
              field,
            );
        }
      }),
    );
  filters('book', BOOK_CLAUSES, (clause) => setsOf(parseBookCondition(clause), BOOK_FIELDS, 1));
  filters('series', SERIES_CLAUSES, (clause) => setsOf(parseCondition(clause, SERIES_FIELDS), SERIES_FIELDS, 1));
  check('the volumes of a series are counted in an index, without reading its books', () =>
    onCatalog(async (parts) => {
      const query = {
        sql: `SELECT ${volumeCount('FROM book b WHERE b.series_id = s.id AND b.deleted = 0')} FROM series s WHERE s.id = ?`,
        binds: [1],
        dependsOn: 'catalog',
      } as const;
      assert.match(await planOf(parts, query, false), /SEARCH b USING COVERING INDEX book_volume/);
    }),
  );
  check('the numbers of reader apps are found in their index', () =>
    onCatalog(async (parts) => {
      const test = { kind: 'range', comparisons: [{ sign: '=', value: 1.5 }] } as const;
      for (const query of queriesOf('book', setsOf({ field: 'number', test, negated: false }, APP_BOOK_FIELDS, 1)))
        assert.match(await planOf(parts, query, false), /INDEX book_by_sort_number/);
    }),
  );
  check('books are found by people, publisher, language and year through the indexes of those', () =>
    onCatalog(async (parts) => {
      for (const [field, test, index] of [
        [
          'author',
          is('x'),
          /SEARCH p USING COVERING INDEX person_by_case .*; SEARCH c USING INDEX credit_by_(?:person|role) /,
        ],
        [
          'writer',
          is('x'),
          /SEARCH p USING COVERING INDEX person_by_case .*; SEARCH c USING INDEX credit_by_(?:person|role) /,
        ],
        [
          'publisher',
          is('x'),
          /SEARCH x USING COVERING INDEX book_text_publisher .*SEARCH t USING (?:COVERING )?INDEX series_text_publisher /,
        ],
        [
          'language',
          is('x'),
          /SEARCH x USING COVERING INDEX book_text_language .*SEARCH t USING (?:COVERING )?INDEX series_text_language /,
        ],
        ['year', { operator: 'eq', value: 2000 }, /SEARCH b USING COVERING INDEX book_by_released /],
      ] as const)
        for (const query of queriesOf('book', setsOf(parseBookCondition({ [field]: test }), BOOK_FIELDS, 1)))
          assert.match(await planOf(parts, query, false), index, field);
    }),
  );
  check('letters are counted from their index', () =>
    onCatalog(async (parts) => {
      const letter = firstOfKey('s.name_sort');
      const query = {
        sql: `SELECT ${letter}, json_group_array(s.id) FROM series s WHERE s.book_count > 0 GROUP BY ${letter}`,
        binds: [],
        dependsOn: 'catalog',
      } as const;
      assert.match(await planOf(parts, query, false), /^SCAN s USING (?:COVERING )?INDEX series_by_letter$/);
    }),
  );
  check('books by time of reading: index walks, of read books and of the rest', () =>
    onCatalog(async (parts) => {
      for (const narrow of NARROWS)
        for (const descending of [false, true])
          for (const { walk } of Object.values(BOOK_QUERIES.history({ sort: 'last_read', descending }, narrow, 1)))
            for (const reversed of [false, true])
              assert.not.match(await planOf(parts, walk(reversed), true), /SCAN \w+(?! USING)(?:;|$)|B-TREE FOR ORDER/);
    }),
  );
  check('hidden rows are found through an index', () =>
    onCatalog(async (parts) => {
      for (const { hidden } of [BOOK_QUERIES, SERIES_QUERIES])
        assert.match(await planOf(parts, hidden, false), /USING (?:COVERING )?INDEX/);
    }),
  );
};

block('plans of lists', plans, {
  before: async () => {
    catalog = await openTempDb('plans');
  },
  after: () => catalog.close(),
});
