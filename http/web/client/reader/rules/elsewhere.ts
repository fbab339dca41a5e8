// Whether somebody has read further on another device than here.

export interface StoredPlace {
  /** From 1. */
  readonly currentPage: number;
  readonly updatedAt: string;
}

/**
 * The page, from 0, that is news here. `furthest`: of this visit; what the server knows up to there may have been told by this device. `known`:
 * what it said before.
 */
export const furtherElsewhere = (
  told: StoredPlace | null | undefined,
  known: StoredPlace | null,
  furthest: number,
): number | null => {
  if (told == null || told.currentPage - 1 <= furthest) return null;
  const isKnown = known !== null && told.currentPage === known.currentPage && told.updatedAt === known.updatedAt;
  return isKnown ? null : told.currentPage - 1;
};
