// Books as catalogues publish them: rows with what is known of each. One query for all of them.
import { PageTable } from '../model/page-table.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import { NO_FACTS, parseFacts, type StoredFacts } from './book-facts.js';
import type { Book } from './books.js';

export interface Publication {
  readonly book: Book;
  readonly facts: StoredFacts;
  /** From the metadata or the file name, otherwise its place in the series; null: neither is known. */
  readonly number: number | null;
  /** Those of the book, else of its series. */
  readonly publisher: string | null;
  readonly language: string | null;
  /** Whether somebody chose a cover for it, or it has pages that can be one. */
  readonly hasPicture: boolean;
  /** Genres, then tags: the book's own and those of its series, each once. */
  readonly subjects: readonly string[];
}

const terms = (kind: 'genre' | 'tag'): string =>
  `SELECT name FROM (SELECT t.name, t.name_key FROM book_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.book_id = b.id
   UNION SELECT t.name, t.name_key FROM series_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.series_id = b.series_id
   ORDER BY 2)`;

/** A packed page table of this size is sure to list pages. */
const TABLE_BYTES = 2000;

const KNOWN = `SELECT json_group_array(json_array(b.id, m.facts, coalesce(b.told_number, b.number), s.publisher, s.language,
  (SELECT json_group_array(name) FROM (SELECT DISTINCT name FROM (SELECT * FROM (${terms('genre')}) UNION ALL SELECT * FROM (${terms('tag')})))),
  EXISTS (SELECT 1 FROM cover c WHERE c.book_id = b.id AND c.selected = 1),
  (SELECT iif(length(g.page_table) < ${TABLE_BYTES}, hex(g.page_table), '') FROM book_pages g
   WHERE g.book_id = b.id AND b.format = 'epub' AND b.epub_kind IS NOT 'images')))
  FROM json_each(?) j CROSS JOIN book b ON b.id = j.value JOIN series s ON s.id = b.series_id LEFT JOIN book_metadata m ON m.book_id = b.id`;

type Known = readonly [
  key: number,
  facts: string | null,
  number: number | null,
  publisher: string | null,
  language: string | null,
  subjects: readonly string[],
  isCoverChosen: 0 | 1,
  /** Of an EPUB of text, in hex; '' for a large one, null for any other book. */
  table: string | null,
];

/** The pages of a text EPUB are not pictures: it has one if there is an image in its file. */
const hasPages = ({ pageCount }: Book, table: string | null): boolean => {
  if (table === null || table === '') return pageCount > 0;
  return new PageTable(Buffer.from(table, 'hex')).firstSound() !== undefined;
};

const UNKNOWN: Omit<Publication, 'book'> = {
  facts: NO_FACTS,
  number: null,
  publisher: null,
  language: null,
  subjects: [],
  hasPicture: false,
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
    const [, text, number, publisher, language, subjects, isCoverChosen, table] = row;
    const facts = parseFacts(text);
    return {
      book,
      facts,
      number,
      publisher: facts.publisher ?? publisher,
      language: facts.languageIso ?? language,
      subjects,
      hasPicture: isCoverChosen === 1 || hasPages(book, table),
    };
  });
};
