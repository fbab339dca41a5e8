// Whether somebody has read further on another device than here.

export interface StoredProgress {
  /** From 1. */
  readonly currentPage: number;
  readonly updatedAt: string;
}

/**
 * The page, from 0, that is further than here. `furthest`: the furthest page of this visit; up to there, the server's progress may be this
 * device's own. `known`: the progress that the server reported before.
 */
export const furtherOnOtherDevice = (
  told: StoredProgress | null | undefined,
  known: StoredProgress | null,
  furthest: number,
): number | null => {
  if (told == null || told.currentPage - 1 <= furthest) return null;
  const isKnown = known !== null && told.currentPage === known.currentPage && told.updatedAt === known.updatedAt;
  return isKnown ? null : told.currentPage - 1;
};
