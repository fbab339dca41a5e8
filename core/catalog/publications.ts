// Books as catalogues publish them: rows with what is known of each. One query for all of them.
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import { NO_FACTS, parseFacts, type StoredFacts } from './book-facts.js';
import type { Book } from './books.js';

export interface Publication {
  readonly book: Book;
  readonly facts: StoredFacts;
  /** Those of the book, else of its series. */
  readonly publisher: string | null;
  readonly language: string | null;
  /** Genres, then tags: the book's own and those of its series, each once. */
  readonly subjects: readonly string[];
}

const terms = (kind: 'genre' | 'tag'): string =>
  `SELECT name FROM (SELECT t.name, t.name_key FROM book_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.book_id = b.id
   UNION SELECT t.name, t.name_key FROM series_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.series_id = b.series_id
   ORDER BY 2)`;

const KNOWN = `SELECT json_group_array(json_array(b.id, m.facts, s.publisher, s.language,
  (SELECT json_group_array(name) FROM (SELECT DISTINCT name FROM (SELECT * FROM (${terms('genre')}) UNION ALL SELECT * FROM (${terms('tag')}))))))
  FROM json_each(?) j CROSS JOIN book b ON b.id = j.value JOIN series s ON s.id = b.series_id LEFT JOIN book_metadata m ON m.book_id = b.id`;

type Known = readonly [
  key: number,
  facts: string | null,
  publisher: string | null,
  language: string | null,
  subjects: readonly string[],
];

const UNKNOWN: Omit<Publication, 'book'> = { facts: NO_FACTS, publisher: null, language: null, subjects: [] };

/** In the order of the books, whose viewer may see them. */
export const publicationsOf = async (db: Reads, books: readonly Book[]): Promise<readonly Publication[]> => {
  if (books.length === 0) return [];
  const rows = await db.json<Known[]>(KNOWN, [keyList(books.map(({ key }) => key))]);
  const known = new Map(
    rows.map(([key, text, publisher, language, subjects]) => {
      const facts = parseFacts(text);
      const own = {
        facts,
        publisher: facts.publisher ?? publisher,
        language: facts.languageIso ?? language,
        subjects,
      };
      return [key, own] as const;
    }),
  );
  return books.map((book) => ({ book, ...(known.get(book.key) ?? UNKNOWN) }));
};
