// Whether somebody has read further on another device than here.

export interface StoredProgress {
  /** From 1. */
  readonly currentPage: number;
  /** The share of that page above the window; null if it is not known. */
  readonly pageOffset: number | null;
  readonly updatedAt: string;
}

/** A place in a book: a page, from 0, and the share of it that comes before. */
export interface PlaceRead {
  readonly page: number;
  readonly share: number;
}

/** The progress in an answer or event of the server; null if there is none, as for an unread book. */
export const progressIn = (answer: unknown): StoredProgress | null => {
  if (typeof answer !== 'object' || answer === null || !('currentPage' in answer) || !('updatedAt' in answer))
    return null;
  const { currentPage, updatedAt } = answer;
  const offset = 'pageOffset' in answer ? answer.pageOffset : null;
  const isPage = typeof currentPage === 'number' && Number.isInteger(currentPage) && currentPage >= 1;
  if (!isPage || typeof updatedAt !== 'string') return null;
  return { currentPage, updatedAt, pageOffset: typeof offset === 'number' ? offset : null };
};

export const isFurther = (place: PlaceRead, than: PlaceRead): boolean =>
  place.page > than.page || (place.page === than.page && place.share > than.share);

/**
 * The place that is further than here. `furthest`: the end of what was on the screen in this visit; up to there, the server's progress may be
 * this device's own, and there is nothing to go to. `known`: the progress that the server reported before.
 */
export const furtherOnOtherDevice = (
  told: StoredProgress | null,
  known: StoredProgress | null,
  furthest: PlaceRead,
): PlaceRead | null => {
  if (told === null) return null;
  const place = { page: told.currentPage - 1, share: told.pageOffset ?? 0 };
  const isKnown =
    known !== null &&
    told.currentPage === known.currentPage &&
    told.pageOffset === known.pageOffset &&
    told.updatedAt === known.updatedAt;
  return isKnown || !isFurther(place, furthest) ? null : place;
};

/** Of a spread, both pages were on the screen, even before the first turn. */
export const withSpread = (furthest: PlaceRead, spread: readonly [first: number, last: number] | null): PlaceRead => {
  const end = { page: spread?.[1] ?? 0, share: 1 };
  return spread !== null && isFurther(end, furthest) ? end : furthest;
};

/** Turning this many pages dismisses the offer. */
export const TURNS_MAX = 2;
