// A book as a reading app needs it in one document: its record, its metadata, its pages, and what its file contains.
import { NO_FACTS, type StoredFacts } from '../catalog/book-facts.js';
import { bookAndMetadata } from '../catalog/book-metadata.js';
import type { Book } from '../catalog/books.js';
import { outlineOfBook } from '../catalog/outlines.js';
import type { EpubContents } from '../model/epub-contents.js';
import { AppError } from '../model/errors.js';
import type { OutlineEntry } from '../model/outline.js';
import type { PageTable } from '../model/page-table.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { Asking } from './asker.js';
import type { OpenedBook, Pages } from './pages.js';

export interface Publication {
  readonly book: Book;
  readonly facts: StoredFacts;
  /** From the metadata or the file name with its fraction, otherwise its place in the series; null: neither is known. */
  readonly number: number | null;
  /** Null when none of its pages can be read. */
  readonly table: PageTable | null;
  /** Null for what is no EPUB. */
  readonly contents: EpubContents | null;
  /** The table of contents of a PDF: `page=N`. */
  readonly bookmarks: readonly OutlineEntry[];
}

interface Parts {
  readonly db: Db;
  readonly pages: Pages;
}

interface Wanted extends Asking {
  readonly viewer: Viewer;
  /** Lower-case uuid. */
  readonly bookId: string;
}

const numberOf = async (db: Db, bookKey: number): Promise<number | null> => {
  const sql = 'SELECT coalesce(told_number, number) AS number FROM book WHERE id = ?';
  const [row] = await db.all<{ number: number | null }>(sql, [bookKey]);
  return row?.number ?? null;
};

/** Analyses the book first if that has not been done. */
export const readPublication = async ({ db, pages }: Parts, wanted: Wanted): Promise<Publication> => {
  const { file, contents } = await pages.opened(wanted);
  const { book, metadata } = await bookAndMetadata(db, wanted.viewer, wanted.bookId);
  const outline = file.format === 'pdf' ? await outlineOfBook(db, file.key) : null;
  return {
    book,
    number: await numberOf(db, book.key),
    facts: metadata?.facts ?? NO_FACTS,
    table: file.table,
    contents,
    bookmarks: outline?.toc ?? [],
  };
};

/** The contents of an EPUB. Throws BadRequest for another book. */
export const readEpub = async (pages: Pages, wanted: Wanted): Promise<EpubContents> => {
  const { contents }: OpenedBook = await pages.opened(wanted);
  if (contents === null) throw new AppError('BadRequest', 'This book is not an EPUB.');
  return contents;
};
