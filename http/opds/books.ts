// What feeds say of a book, whatever their format: names, addresses, what can be done with it.

import type { Book } from '../../core/catalog/books.js';
import type { Publication } from '../../core/catalog/publications.js';
import { offeredNameOf, stemOf } from '../../core/model/formats.js';
import { lastDayOf } from '../../core/model/instant.js';
import type { Author, AuthorRole } from '../../core/model/metadata.js';
import { progressOf } from '../../core/reading/progress.js';
import type { Place } from './place.js';
import { cleanText, cleanTitle } from './text.js';

const fileNameOf = ({ path }: Pick<Book, 'path'>): string => path.slice(path.lastIndexOf('/') + 1);

export const offeredName = (book: Pick<Book, 'path' | 'format'>): string =>
  offeredNameOf(fileNameOf(book), book.format);

export const titleOf = (book: Book): string =>
  cleanTitle(book.title.trim() === '' ? stemOf(fileNameOf(book)) : book.title);

/** For lists of books of many series. */
export const titleAmongOthers = ({ book, number }: Publication): string => {
  const [title, series] = [titleOf(book), cleanTitle(book.seriesName)];
  if (title.toLowerCase().includes(series.toLowerCase())) return title;
  return `${series}${number === null ? '' : ` ${number}`}: ${title}`;
};

export const bookPath = ({ id }: Book): string => `/books/${id}`;
export const filePath = (book: Book): string =>
  `${bookPath(book)}/file/${encodeURIComponent(offeredName(book).toWellFormed())}`;
export const coverPath = (book: Book): string => `${bookPath(book)}/thumbnail`;

/** Whether its pages are images that can be sent one by one: text that flows has no pages. */
export const isStreamed = ({ format, pageCount, epubKind }: Book): boolean =>
  pageCount > 0 && (format !== 'epub' || epubKind === 'images');

/** The address of a page as OPDS-PSE templates it, numbered from 0. */
export const pageTemplate = ({ root }: Place, book: Book): string =>
  `${root}${bookPath(book)}/pages/{pageNumber}?zero_based=true&width={maxWidth}`;

export interface ReadSoFar {
  /** 1-based. */
  readonly page: number;
  /** 0 to 1. For a text, a client may report only this. */
  readonly share: number;
  readonly isCompleted: boolean;
  readonly at: number;
}

/** Null for a book that its reader has not begun. */
export const readSoFar = (book: Book): ReadSoFar | null => {
  const progress = progressOf(book);
  if (progress === undefined) return null;
  const { currentPage, completed, percentage, updatedAt } = progress;
  return { page: currentPage, share: completed ? 1 : (percentage ?? 0), isCompleted: completed, at: updatedAt };
};

/** Who comes first where only one author counts. */
const MAIN: readonly AuthorRole[] = ['writer', 'author', 'co_author', 'illustrator', 'penciller'];

export interface People {
  readonly main: Author | null;
  readonly others: readonly Author[];
}

/** Each person once. */
export const peopleOf = ({ facts: { authors } }: Publication): People => {
  const rank = (role: AuthorRole): number => (MAIN.includes(role) ? MAIN.indexOf(role) : MAIN.length);
  const ranked = authors
    .map((one) => ({ ...one, name: cleanText(one.name).trim() }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => rank(a.role) - rank(b.role));
  const [main = null, ...others] = ranked.filter(
    ({ name }, at) => ranked.findIndex((other) => other.name === name) === at,
  );
  return { main, others };
};

/** `2024`, `2024-03` or `2024-03-05`; null where no year is known. */
export const issuedOf = ({ facts: { year, month, day } }: Publication): string | null => {
  if (year === null || year < 1 || year > 9999) return null;
  const two = (value: number): string => String(value).padStart(2, '0');
  const text = String(year).padStart(4, '0');
  if (month === null || month < 1 || month > 12) return text;
  return day === null || day < 1 || day > lastDayOf(year, month)
    ? `${text}-${two(month)}`
    : `${text}-${two(month)}-${two(day)}`;
};

export const isbnsOf = ({ facts: { isbns } }: Publication): readonly string[] =>
  (isbns ?? '').split(',').flatMap((one) => /[0-9X]{10,13}/.exec(one.trim())?.[0] ?? []);
