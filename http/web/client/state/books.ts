// What is said about a book in several places.
import type { Book } from './api.js';

/** From 0 to 1; null for a book that was not begun. */
export const readShareOf = ({ readProgress, pageCount }: Pick<Book, 'readProgress' | 'pageCount'>): number | null => {
  if (readProgress === undefined || readProgress === null) return null;
  if (readProgress.completed) return 1;
  if (readProgress.progressPercentage !== null) return readProgress.progressPercentage;
  return pageCount === 0 ? null : Math.min(1, readProgress.currentPage / pageCount);
};
