// The search index is built in slices: no step is long, however large the rows are.

import { listSeries } from '../../core/catalog/list-series.js';
import { keepBatch } from '../../core/catalog/search/index-upkeep.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { Statements, Tx } from '../../core/store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { assert, block } from '../kit.js';
import { type Shelved, withCatalog } from './random-shelf.js';

const BOOKS = 60;
const FACTS_BYTES = 50_000;
const TAGS = 1200;

const uuid = 'randomblob(16)';
const NUMBERS = 'WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < ?)';

/** One series of large books with more tags than are searched. */
const stock = async (tx: Tx): Promise<void> => {
  const steps: readonly (readonly [sql: string, binds: readonly number[]])[] = [
    [
      `INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (1, ${uuid}, 'L', 'l', '/l', 0, 0)`,
      [],
    ],
    [
      `INSERT INTO series (id, uuid, library_id, path, name, name_sort, book_count, created_at, updated_at) VALUES (1, ${uuid}, 1, 'f', 'Large', 'large', ${BOOKS}, 0, 0)`,
      [],
    ],
    ["INSERT INTO folder (id, library_id, path) VALUES (1, 1, 'f')", []],
    [
      `${NUMBERS} INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, created_at, updated_at)
       SELECT v, ${uuid}, 1, 1, 1, v || '.cbz', 1, 1, 'cbz', 'B' || v, 'b' || v, 0, 0 FROM n`,
      [BOOKS],
    ],
    [
      `${NUMBERS} INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at)
       SELECT v, ${uuid}, json_object('summary', printf('%.*c', ${FACTS_BYTES}, 's')), 0, 0 FROM n`,
      [BOOKS],
    ],
    [
      `${NUMBERS} INSERT INTO tag (id, uuid, name, name_key, created_at) SELECT v, ${uuid}, 'tag q' || v || 'q', 'tag q' || v || 'q', 0 FROM n`,
      [TAGS],
    ],
    [`${NUMBERS} INSERT INTO series_tag (series_id, tag_id) SELECT 1, v FROM n`, [TAGS]],
  ];
  for (const [sql, binds] of steps) await tx.run(sql, binds);
};

const longest = (values: Iterable<unknown>): number =>
  Math.max(0, ...[...values].map((value) => (typeof value === 'string' ? value.length : 0)));

const foundBy = async ({ db, ...parts }: Shelved, fullTextSearch: string): Promise<number> => {
  const order = { sort: 'relevance', descending: false } as const;
  const ask = { fullTextSearch, order, window: { page: 1, pageSize: 10 } };
  return (await listSeries({ db, ...parts }, unrestricted(1), ask)).total;
};

block('search: slices', (check) => {
  check('no text between the index and the database is larger than a few books', () =>
    withCatalog(async ({ db }) => {
      await db.write(SYSTEM, 'background', stock);
      let most = 0;
      const note = (values: Iterable<unknown>): void => {
        most = Math.max(most, longest(values));
      };
      const rows = await db.write(SYSTEM, 'background', async (tx) => {
        const watched: Statements = {
          all: async <T>(sql: string, binds: Parameters<Tx['all']>[1] = []) => {
            const found = await tx.all<T>(sql, binds);
            note(binds);
            note(found.flatMap((row) => Object.values(row as object)));
            return found;
          },
          run: (sql, binds = []) => {
            note(binds);
            return tx.run(sql, binds);
          },
        };
        await tx.run('INSERT INTO search_due (kind, id) SELECT 0, id FROM book');
        tx.report(updated('book', 'all', ASPECTS.text));
        return keepBatch(watched);
      });
      assert.is(rows, BOOKS);
      assert.ok(most > FACTS_BYTES && most < 10 * FACTS_BYTES, `${most} characters`);
    }),
  );
  check('search finds a series by many of its tags, but not by all of thousands', () =>
    withCatalog(async (parts) => {
      await parts.db.write(SYSTEM, 'background', stock);
      await parts.db.write(SYSTEM, 'background', async (tx) => tx.report(updated('series', [1], ASPECTS.text)));
      assert.equal([await foundBy(parts, 'q1q'), await foundBy(parts, `q${TAGS}q`)], [1, 0]);
    }),
  );
});
