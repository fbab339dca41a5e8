// Where in a book an entry of the history was left, so that loading the page again shows the very same part of it.
import type { Anchor } from './rules/strip-layout.js';

interface KeptState {
  readonly place?: { readonly bookId: string; readonly anchor: Anchor };
}

export const anchorInHistory = (bookId: string): Anchor | undefined => {
  const { place } = (history.state ?? {}) as KeptState;
  return place?.bookId === bookId ? place.anchor : undefined;
};

export const storeAnchorInHistory = (bookId: string, anchor: Anchor): void =>
  history.replaceState({ ...history.state, place: { bookId, anchor } }, '');
