// Whether somebody has read further on another device than here.

export interface StoredProgress {
  /** From 1. */
  readonly currentPage: number;
  readonly updatedAt: string;
}

/** The progress in the server's answer; null if there is none, as for an unread book. */
export const progressIn = (answer: unknown): StoredProgress | null => {
  if (typeof answer !== 'object' || answer === null || !('currentPage' in answer) || !('updatedAt' in answer))
    return null;
  const { currentPage, updatedAt } = answer;
  const isPage = typeof currentPage === 'number' && Number.isInteger(currentPage) && currentPage >= 1;
  return isPage && typeof updatedAt === 'string' ? { currentPage, updatedAt } : null;
};

/**
 * The page, from 0, that is further than here. `furthest`: the furthest page of this visit; up to there, the server's progress may be this
 * device's own. `known`: the progress that the server reported before.
 */
export const furtherOnOtherDevice = (
  told: StoredProgress | null,
  known: StoredProgress | null,
  furthest: number,
): number | null => {
  if (told === null || told.currentPage - 1 <= furthest) return null;
  const isKnown = known !== null && told.currentPage === known.currentPage && told.updatedAt === known.updatedAt;
  return isKnown ? null : told.currentPage - 1;
};

/** Turning this many pages dismisses the offer. */
export const TURNS_MAX = 2;
