// The position within a page at which each book was left, in this browser. The server stores the page and the share of it
// above the window; here, the window shows exactly what it showed.
import { type KeptPlace, keptPlaceIn } from './rules/kept-place.js';

const keyOf = (userId: string, bookId: string): string => `longbox.within.${userId}.${bookId}`;

export const savedPlace = (userId: string, bookId: string): KeptPlace | undefined => {
  try {
    return keptPlaceIn(JSON.parse(localStorage.getItem(keyOf(userId, bookId)) ?? 'null'));
  } catch {
    return undefined; // storage is blocked, or the entry is malformed
  }
};

/** The start of a page needs no entry. */
export const savePlace = (userId: string, bookId: string, place: KeptPlace): void => {
  const { anchor, read } = place;
  try {
    if (anchor.share === 0 && anchor.page === read) localStorage.removeItem(keyOf(userId, bookId));
    else localStorage.setItem(keyOf(userId, bookId), JSON.stringify(place));
  } catch {
    // the history entry has it while the page is open
  }
};
