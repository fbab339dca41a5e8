// What is said about a book in several places.
import type { Book } from './api.js';

type Read = Pick<Book, 'readProgress' | 'pageCount'>;

/** From 0 to 1; null for a book that was not begun. */
export const readShareOf = ({ readProgress, pageCount }: Read): number | null => {
  if (readProgress === undefined || readProgress === null) return null;
  if (readProgress.completed) return 1;
  if (readProgress.progressPercentage !== null) return readProgress.progressPercentage;
  return pageCount === 0 ? null : Math.min(1, readProgress.currentPage / pageCount);
};

export const isRead = ({ readProgress }: Pick<Book, 'readProgress'>): boolean => readProgress?.completed === true;

export const isBegun = ({ readProgress }: Pick<Book, 'readProgress'>): boolean =>
  readProgress !== undefined && readProgress !== null;

/** Whether its pages are pictures, as the reader shows them. */
export const isOfPictures = ({ fileFormat, epubKind }: Pick<Book, 'fileFormat' | 'epubKind'>): boolean =>
  fileFormat !== 'epub' || epubKind === 'images';

export const isReadable = (book: Book): boolean =>
  !book.deleted && book.analysisError === null && (!book.analyzed || book.pageCount > 0) && isOfPictures(book);

/** A book can be marked as read once its last page is known. */
export const hasLastPage = ({ analyzed, pageCount }: Pick<Book, 'analyzed' | 'pageCount'>): boolean =>
  analyzed && pageCount > 0;

const DECIMAL = /^-?\d{1,9}(?:\.\d{1,9})?$/;

/** The number of the issue as shown to users: digits as `shown` writes them, other text as it is; null if it has none of its own. */
export const numberOf = (
  { displayNumber }: Pick<Book, 'displayNumber'>,
  shown: (number: number) => string,
): string | null => {
  if (displayNumber === null) return null;
  return DECIMAL.test(displayNumber) ? shown(Number(displayNumber)) : displayNumber;
};

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether the number need not be said beside the title: it is in it, or the title is the name of the file, and so would be a number in it. */
export const showsNumber = ({
  title,
  displayNumber,
  path,
}: Pick<Book, 'title' | 'displayNumber' | 'path'>): boolean => {
  if (displayNumber === null) return true;
  const name = path.split(/[/\\]/).at(-1) ?? '';
  // A letter ends a number, but not one that has letters itself.
  const within = /\p{L}/u.test(displayNumber) ? '\\d\\p{L}' : '\\d';
  const isInTitle = new RegExp(`(?<![${within}]|\\d[.])0*${escapeRegExp(displayNumber)}(?![${within}]|[.]\\d)`, 'iu');
  return name.startsWith(`${title}.`) || isInTitle.test(title);
};

/** Where to go on in a series: what is being read, else the first that is unread, else the first. */
export const nextToRead = (books: readonly Book[]): Book | null => {
  const readable = books.filter(isReadable);
  const begun = readable.find((book) => isBegun(book) && !isRead(book));
  return begun ?? readable.find((book) => !isRead(book)) ?? readable[0] ?? null;
};
