// The parts of the search index are merged after a scan that changed much, and after rules were applied again; searches stay the same.
import { mergeSearchIndex } from '../../core/catalog/search/merge.js';
import type { Db } from '../../core/store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { titles, withTitles } from './searched.js';
import { withShelf } from './told-shelf.js';

const INDEXES = ['book_words', 'series_words', 'book_trigram'];

/** How many parts an index has at most. */
const partsOf = async ({ all }: Pick<Db, 'all'>): Promise<number> => {
  const counts: number[] = [];
  for (const name of INDEXES) {
    const [row] = await all<{ n: number }>(`SELECT count(DISTINCT segid) AS n FROM ${name}_idx`);
    counts.push(row?.n ?? 0);
  }
  return Math.max(...counts);
};

const addWord = (db: Db, keys: readonly number[], word: string): Promise<void> =>
  db.write(SYSTEM, 'interactive', async (tx) => {
    for (const key of keys) await tx.run('UPDATE book SET title = title || ? WHERE id = ?', [` ${word}`, key]);
    tx.report(updated('book', keys, ASPECTS.text | ASPECTS.list | ASPECTS.content | ASPECTS.details));
  });

const NAMES = Array.from({ length: 60 }, (_, at) => `Harbour ${at} ${'abcdefghij'.charAt(at % 10).repeat(4)}`);

block('search: merging the index', (check) => {
  check('rows that are written again and again leave one part, and are found as before', () =>
    withTitles(NAMES, async (parts) => {
      const { db } = parts;
      const rows = await db.all<{ id: number }>('SELECT id FROM book ORDER BY id');
      const keys = rows.map(({ id }) => id);
      for (let turn = 0; turn < 2; turn += 1)
        await addWord(
          db,
          keys.filter((key) => key % 3 === turn),
          'again',
        );
      const queries = ['harbour', 'arbou', 'aaaa', 'again', 'hrbour 7', '12'];
      const before = await Promise.all(queries.map((query) => titles(parts, query)));
      assert.ok((await partsOf(db)) > 1);
      await mergeSearchIndex(db);
      assert.is(await partsOf(db), 1);
      parts.sets.forget();
      assert.equal(await Promise.all(queries.map((query) => titles(parts, query))), before);
      await addWord(db, keys.slice(0, 1), 'lagoon');
      assert.equal(await titles(parts, 'lagoon'), ['Harbour 0 aaaa again lagoon']);
      assert.equal(await titles(parts, '0 aaaa'), ['Harbour 0 aaaa again lagoon']);
    }),
  );
  check('an empty index and a merged one are left as they are', () =>
    withTitles([], async ({ db }) => {
      for (let turn = 0; turn < 2; turn += 1) await mergeSearchIndex(db);
      assert.ok((await partsOf(db)) <= 1);
    }),
  );
  check('a first scan ends with a merged index', () =>
    withShelf(async (shelf) => {
      for (const name of ['One', 'Two', 'Three']) writeBook(shelf.path(name, `${name}.cbz`), 1, name);
      await shelf.scan();
      assert.is(await partsOf(shelf.temp.app.db), 1);
    }),
  );
});
