// What the reader stores in a history entry: the position in the book, so that a reload shows exactly the same part, and the book with
// which the entry began.
import { type KeptPlace, keptPlaceIn } from './rules/kept-place.js';

interface KeptState {
  readonly place?: { readonly bookId: string; readonly kept: unknown };
  readonly firstBook?: string;
}

const stateNow = (): KeptState => (history.state ?? {}) as KeptState;

export const placeInHistory = (bookId: string): KeptPlace | undefined => {
  const { place } = stateNow();
  return place?.bookId === bookId ? keptPlaceIn(place.kept) : undefined;
};

export const storePlaceInHistory = (bookId: string, kept: KeptPlace): void =>
  history.replaceState({ ...history.state, place: { bookId, kept } }, '');

/** The book with which this entry began; the previous entry belongs to that book. */
export const firstBookOf = (bookId: string): string => stateNow().firstBook ?? bookId;

export const storeFirstBook = (bookId: string): void =>
  history.replaceState({ ...history.state, firstBook: bookId }, '');
