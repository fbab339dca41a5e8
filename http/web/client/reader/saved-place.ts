// The place within a page at which each book was left, in this browser. The server knows the page alone, and a page of a strip may be many
// windows high.
import { type KeptPlace, keptPlaceIn } from './rules/kept-place.js';

const keyOf = (userId: string, bookId: string): string => `longbox.within.${userId}.${bookId}`;

export const savedPlace = (userId: string, bookId: string): KeptPlace | undefined => {
  try {
    return keptPlaceIn(JSON.parse(localStorage.getItem(keyOf(userId, bookId)) ?? 'null'));
  } catch {
    return undefined; // storage is refused, or somebody else wrote there
  }
};

/** The beginning of a page needs no place of its own. */
export const savePlace = (userId: string, bookId: string, place: KeptPlace): void => {
  const { anchor, read } = place;
  try {
    if (anchor.share === 0 && anchor.page === read) localStorage.removeItem(keyOf(userId, bookId));
    else localStorage.setItem(keyOf(userId, bookId), JSON.stringify(place));
  } catch {
    // the history has it while the page is open
  }
};
