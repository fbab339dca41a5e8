// Books as catalogues publish them: rows with what is known of each. One query for all of them.
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import { NO_FACTS, parseFacts, type StoredFacts } from './book-facts.js';
import type { Book } from './books.js';
import { listName } from './taxonomy-links.js';

export interface Publication {
  readonly book: Book;
  readonly facts: StoredFacts;
  /** From the metadata or the file name, otherwise its place in the series; null: neither is known. */
  readonly number: number | null;
  /** Those of the book, else of its series if somebody set them there or its books agree. */
  readonly publisher: string | null;
  readonly language: string | null;
  /** Genres, then tags: the book's own and those that somebody gave its series, each once. */
  readonly subjects: readonly string[];
}

/** The list of a series is the union of those of its books, unless somebody set it. */
const terms = (kind: 'genre' | 'tag'): string =>
  `SELECT name FROM (SELECT t.name, t.name_key FROM book_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.book_id = b.id
   UNION SELECT t.name, t.name_key FROM series_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id
   WHERE o.series_id = b.series_id AND instr(s.locks, '"${listName(kind)}"') > 0 ORDER BY 2)`;

/** Of a series: for its books without one, if somebody set it or no two books differ. */
const shared = (field: 'publisher' | 'language'): string =>
  `CASE WHEN s.${field} IS NULL OR instr(s.locks, '"${field}"') > 0 OR (SELECT count(DISTINCT t.${field})
     FROM book o CROSS JOIN book_text t ON t.book_id = o.id WHERE o.series_id = s.id AND o.deleted = 0) < 2 THEN s.${field} END AS ${field}`;

/** The books of a series are read once for all that lack something. */
const KNOWN = `WITH asked AS MATERIALIZED (SELECT b.id, b.series_id, m.facts,
    m.facts ->> '$.publisher' IS NULL OR m.facts ->> '$.languageIso' IS NULL AS lacks
  FROM json_each(?) j CROSS JOIN book b ON b.id = j.value LEFT JOIN book_metadata m ON m.book_id = b.id),
shared AS MATERIALIZED (SELECT s.id, ${shared('publisher')}, ${shared('language')}
  FROM series s WHERE s.id IN (SELECT series_id FROM asked WHERE lacks))
SELECT json_group_array(json_array(b.id, asked.facts, coalesce(b.told_number, b.number), shared.publisher, shared.language,
  (SELECT json_group_array(name) FROM (SELECT DISTINCT name FROM (SELECT * FROM (${terms('genre')}) UNION ALL SELECT * FROM (${terms('tag')}))))))
  FROM asked CROSS JOIN book b ON b.id = asked.id CROSS JOIN series s ON s.id = asked.series_id
  LEFT JOIN shared ON shared.id = asked.series_id`;

type Known = readonly [
  key: number,
  facts: string | null,
  number: number | null,
  publisher: string | null,
  language: string | null,
  subjects: readonly string[],
];

const UNKNOWN: Omit<Publication, 'book'> = {
  facts: NO_FACTS,
  number: null,
  publisher: null,
  language: null,
  subjects: [],
};

/** In the order of the books, whose viewer may see them. */
export const publicationsOf = async (db: Reads, books: readonly Book[]): Promise<readonly Publication[]> => {
  if (books.length === 0) return [];
  const rows = new Map(
    (await db.json<Known[]>(KNOWN, [keyList(books.map(({ key }) => key))])).map((row) => [row[0], row]),
  );
  return books.map((book) => {
    const row = rows.get(book.key);
    if (row === undefined) return { book, ...UNKNOWN };
    const [, text, number, publisher, language, subjects] = row;
    const facts = parseFacts(text);
    return {
      book,
      facts,
      number,
      publisher: facts.publisher ?? publisher,
      language: facts.languageIso ?? language,
      subjects,
    };
  });
};
