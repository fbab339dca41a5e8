// What a series of which little is known takes from its first book, once all its books of a scan are read: which of them is read first
// depends on the threads, and must not decide.
import { READING_ORDER } from '../catalog/books.js';
import type { Lane } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import type { Finished, ScanParts } from './context.js';

/** A transaction looks at so many series; a long one costs a look at each of its books. */
const PER_TRANSACTION = 50;

/** The facts of the first book, in reading order, that has what `says` asks for. */
const firstThat = (says: string): string => `(SELECT m.facts FROM book b CROSS JOIN book_metadata m ON m.book_id = b.id
  WHERE b.series_id = s.id AND b.deleted = 0 AND ${says} ORDER BY ${READING_ORDER} LIMIT 1)`;

const unlocked = (...names: readonly string[]): string =>
  `NOT EXISTS (SELECT 1 FROM json_each(s.locks) WHERE value IN (${names.map((name) => `'${name}'`).join(', ')}))`;

/** Together or not at all: the summary of one book and the year of another would tell of no series. */
const STORY = `UPDATE series SET summary = f.facts ->> '$.summary', year = f.facts ->> '$.year',
    publisher = coalesce(publisher, f.facts ->> '$.publisher'), updated_at = ?2
  FROM (SELECT s.id, ${firstThat(`coalesce(m.facts ->> '$.summary', m.facts ->> '$.publisher', m.facts ->> '$.year') IS NOT NULL`)} AS facts
    FROM json_each(?1) j CROSS JOIN series s ON s.id = j.value
    WHERE s.summary IS NULL AND s.year IS NULL AND ${unlocked('summary', 'publisher', 'year')}) f
  WHERE f.id = series.id AND coalesce(f.facts ->> '$.summary', f.facts ->> '$.year', CASE WHEN publisher IS NULL THEN f.facts ->> '$.publisher' END) IS NOT NULL`;

const AUTHORS = `UPDATE series SET authors = f.facts -> '$.authors', updated_at = ?2
  FROM (SELECT s.id, ${firstThat(`json_array_length(m.facts, '$.authors') > 0`)} AS facts
    FROM json_each(?1) j CROSS JOIN series s ON s.id = j.value WHERE s.authors IS NULL AND ${unlocked('authors')}) f
  WHERE f.id = series.id AND f.facts IS NOT NULL`;

/** Whether this book can supply anything. */
export const saysOfSeries = ({ analysis }: Finished): boolean => {
  const book = analysis?.metadata?.book;
  return (
    book !== undefined &&
    (book.summary !== null || book.publisher !== null || book.year !== null || book.authors.length > 0)
  );
};

/** Fills summary, publisher and year of series that have neither summary nor year, and authors of those without any. */
export const supplySeries = async ({ db, clock }: ScanParts, keys: readonly number[], lane: Lane): Promise<void> => {
  for (let at = 0; at < keys.length; at += PER_TRANSACTION) {
    const some = JSON.stringify(keys.slice(at, at + PER_TRANSACTION));
    await db.write(lane, async (tx) => {
      for (const sql of [STORY, AUTHORS]) {
        const filled = await tx.all<{ id: number }>(`${sql} RETURNING series.id AS id`, [some, clock.now()]);
        tx.report(updated('series', keysIn(filled), ASPECTS.list | ASPECTS.text));
      }
    });
  }
};
