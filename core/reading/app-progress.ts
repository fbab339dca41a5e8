// Progress as reader apps report it: a page that the book has, or that it is finished, which needs no page.
import { bookById } from '../catalog/books.js';
import { AppError } from '../model/errors.js';
import { markBookRead, type Reader, type ReadingParts, updateProgress } from './progress.js';

export interface AppReport {
  /** 1-based. */
  readonly page?: number | null | undefined;
  readonly completed?: boolean | null | undefined;
}

const pageFault = (message: string): AppError =>
  new AppError('BadRequest', `The page ${message}.`, [{ path: 'page', message }]);

/** Apps send a page with a finished book that may be any. Of a book that is not analysed yet the last page is not known. */
export const reportFromApp = async (
  parts: ReadingParts,
  reader: Reader,
  bookId: string,
  { page, completed }: AppReport,
): Promise<void> => {
  if (completed === true) {
    await markBookRead(parts, reader, bookId);
    return;
  }
  const { pageCount, analyzed } = await bookById(parts.db, reader.viewer, bookId);
  if (page === null || page === undefined) throw pageFault('is required unless completed is true');
  if (page < 1 || (analyzed && pageCount > 0 && page > pageCount))
    throw pageFault(`must be between 1 and ${pageCount}`);
  const change = { currentPage: page, ...(completed === false ? { isCompleted: false } : {}) };
  await updateProgress(parts, reader, bookId, change);
};
