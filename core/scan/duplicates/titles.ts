// Titles of series in the form in which they are compared, kept up to date, and the groups of series and books that they show.
import { type FoundGroup, KIND, reportDuplicates, storeGroups } from '../../catalog/duplicates/store.js';
import { groupedBy } from '../../model/grouped.js';
import { searchKey } from '../../model/search-key.js';
import type { Db } from '../../store/db.js';
import { SYSTEM } from '../../store/feed.js';
import type { SearchStep } from './search-step.js';

/** Series looked at in one read, and written by one transaction. */
const BATCH = 200;
/** Titles whose books are read at once. */
const TITLES = 50;

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Without case, accents and punctuation; series of no letters at all are compared by their names. */
const titleKey = (name: string): string => {
  const key = searchKey(name);
  return key === '' ? name.trim() : key;
};

export const SERIES_TO_KEY = `SELECT s.id, s.name, k.name AS known FROM series s LEFT JOIN series_key k ON k.series_id = s.id
  WHERE s.id > ? ORDER BY s.id LIMIT ${BATCH}`;

/** Series that are new or were renamed. */
export const keyTitles = async (db: Db, { check }: SearchStep): Promise<void> => {
  for (let after = 0; ; ) {
    check();
    const rows = await db.all<Named & { readonly known: string | null }>(SERIES_TO_KEY, [after]);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    const stale = rows.filter(({ name, known }) => name !== known).map(({ id, name }) => [id, name, titleKey(name)]);
    if (stale.length === 0) continue;
    await db.write(SYSTEM, 'background', (tx) => {
      reportDuplicates(tx);
      return tx.run(
        `INSERT OR REPLACE INTO series_key (series_id, name, title_key)
         SELECT s.id, j.value ->> 1, j.value ->> 2 FROM json_each(?) j CROSS JOIN series s ON s.id = j.value ->> 0`,
        [JSON.stringify(stale)],
      );
    });
  }
};

export const TITLE_KEYS = `SELECT title_key AS title FROM series_key WHERE title_key > ?
  GROUP BY title_key ORDER BY title_key LIMIT ${TITLES}`;

/** All titles in order, some at a time. */
async function* titleRanges(db: Db, { check }: SearchStep): AsyncGenerator<readonly [after: string, last: string]> {
  for (let after = ''; ; ) {
    check();
    const last = (await db.all<{ title: string }>(TITLE_KEYS, [after])).at(-1);
    if (last === undefined) return;
    yield [after, last.title];
    after = last.title;
  }
}

export const SERIES_OF_TITLES = `SELECT s.id, s.library_id AS libraryKey, k.title_key AS title
  FROM series_key k CROSS JOIN series s ON s.id = k.series_id
  WHERE k.title_key > ? AND k.title_key <= ? AND s.book_count > 0`;

interface TitledSeries {
  readonly id: number;
  readonly libraryKey: number;
  readonly title: string;
}

const ascending = (keys: readonly number[]): number[] => [...keys].sort((a, b) => a - b);

/** Series of one library with equal titles. */
export const seriesByTitle = async (db: Db, step: SearchStep): Promise<void> => {
  for await (const range of titleRanges(db, step)) {
    const rows = await db.all<TitledSeries>(SERIES_OF_TITLES, range);
    const groups = [...groupedBy(rows, ({ libraryKey, title }) => `${libraryKey} ${title}`).values()].flatMap(
      (series): FoundGroup[] => {
        const [first] = series;
        if (first === undefined || series.length < 2) return [];
        const { libraryKey, title } = first;
        return [{ libraryKey, matchKey: title, members: ascending(series.map(({ id }) => id)) }];
      },
    );
    await storeGroups(db, KIND.series, groups, step.nowMs(), step.seen);
  }
};

export const BOOKS_OF_TITLES = `SELECT b.id, b.file_hash AS hash,
    json_array(k.title_key, b.volume, b.chapter, b.number) AS place
  FROM series_key k CROSS JOIN book b ON b.series_id = k.series_id
  WHERE k.title_key > ? AND k.title_key <= ? AND b.deleted = 0 AND coalesce(b.volume, b.chapter, b.number) IS NOT NULL`;

interface PlacedBook {
  readonly id: number;
  readonly hash: string;
  readonly place: string;
}

/** Books at one place of series with one title, in whatever library, whose files are not all the same. */
export const editionsByNumber = async (
  db: Db,
  step: SearchStep,
  found: (keys: readonly number[]) => void,
): Promise<void> => {
  for await (const range of titleRanges(db, step)) {
    const rows = await db.all<PlacedBook>(BOOKS_OF_TITLES, range);
    for (const books of groupedBy(rows, ({ place }) => place).values())
      if (new Set(books.map(({ hash }) => hash)).size > 1) found(books.map(({ id }) => id));
  }
};
