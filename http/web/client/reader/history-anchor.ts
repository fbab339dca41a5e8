// What an entry of the history knows of the book that is read there: where it was left, so that loading the page again shows the very same part
// of it, and the book with which the entry began.
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

/** The book with which this entry began: what lies before the entry belongs to that one. */
export const firstBookOf = (bookId: string): string => stateNow().firstBook ?? bookId;

export const storeFirstBook = (bookId: string): void =>
  history.replaceState({ ...history.state, firstBook: bookId }, '');
