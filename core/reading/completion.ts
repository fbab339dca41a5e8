// What a reading report means: which page it names, whether the book is finished, and what a record shows. Pure rules.
import type { BookFormat } from '../model/formats.js';

export interface ProgressChange {
  /** 1-based. Absent: the page of `percentage`; else the page stays, or is the last one when the book is completed. */
  readonly currentPage?: number | undefined;
  readonly isCompleted?: boolean | undefined;
  /** 0 to 1. Stored for EPUB, whose pages depend on the device; for other formats it only determines the page. */
  readonly percentage?: number | undefined;
  /** 0 to 1: the share of `currentPage` that is above the window, where pages are taller than windows. */
  readonly pageOffset?: number | undefined;
  /** When it was read, by the client's clock; now when absent. */
  readonly at?: number | undefined;
}

/** The stored percentage of an EPUB, else the page divided by the number of pages. */
export const percentageOf = (
  format: BookFormat,
  stored: number | null,
  page: number,
  pageCount: number,
): number | null => {
  if (format === 'epub' && stored !== null) return stored;
  return pageCount > 0 ? Math.min(1, page / pageCount) : null;
};

/** How many pages have been read, where the place inside the current one is known; else with all of that page. */
export const pagesRead = (page: number, offset: number | null): number => (offset === null ? page : page - 1 + offset);

/** A book may have fewer pages now than when it was read. The stored position is kept, and shown as the nearest page. */
export const pageShown = (page: number, pageCount: number): number =>
  pageCount > 0 ? Math.min(page, pageCount) : page;

/** What the rules need to know of a book and of the record before the change; null where there is no record. */
export interface Before {
  readonly pageCount: number;
  readonly analyzed: number;
  readonly format: BookFormat;
  readonly page: number | null;
  readonly percentage: number | null;
  readonly completed: number | null;
  readonly pageOffset: number | null;
}

/** The last page is unknown until the book is analysed. */
export const isKnown = ({ analyzed, pageCount }: Before): boolean => analyzed === 1 && pageCount > 0;

/** Readers rarely turn to the end matter of a book: an EPUB read this far counts as read. */
export const READ_FROM = 0.98;

export const pageOf = (state: Before, { currentPage, percentage, isCompleted }: ProgressChange): number => {
  const { pageCount } = state;
  const known = isKnown(state);
  // Readers count covers and end matter differently: a page outside the book becomes the nearest one.
  if (currentPage !== undefined) return Math.max(1, known ? Math.min(pageCount, currentPage) : currentPage);
  if (!known) return state.page ?? 1;
  if (percentage !== undefined) return Math.max(1, Math.min(pageCount, Math.ceil(percentage * pageCount)));
  return isCompleted === true ? pageCount : Math.min(state.page ?? 1, pageCount);
};

/**
 * Reaching the end completes a book, and so does an explicit true. An explicit false wins below the end, and going back is honoured. With a
 * place inside the last page, the last page is not the end yet: an explicit false wins there too.
 * Nothing completes while the end is unknown; what was completed before then stays so, unless the user says otherwise.
 */
export const completes = (state: Before, page: number, change: ProgressChange): boolean => {
  const { isCompleted, percentage, pageOffset } = change;
  if (!isKnown(state)) return state.completed === 1 && isCompleted !== false;
  const atEnd =
    state.format === 'epub' && percentage !== undefined
      ? percentage >= (isCompleted === false ? 1 : READ_FROM)
      : page >= state.pageCount && (isCompleted !== false || pageOffset === undefined);
  return atEnd || isCompleted === true;
};

export const storedPercentage = (state: Before, change: ProgressChange): number | null => {
  if (state.format !== 'epub') return null;
  if (change.percentage !== undefined) return change.percentage;
  return change.currentPage === undefined && change.isCompleted !== true ? state.percentage : null;
};

/** A client that knows pages alone, and names the same page again, does not lose the place inside it. */
export const storedOffset = (state: Before, page: number, change: ProgressChange): number | null => {
  if (completes(state, page, change)) return null;
  if (change.currentPage !== undefined && change.pageOffset !== undefined) return change.pageOffset;
  return page === state.page && change.percentage === undefined ? state.pageOffset : null;
};
