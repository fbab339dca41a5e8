// A place within a page, kept beside the page that the server knows: whoever comes back to that page comes back to the very place.
import type { Anchor } from './strip-layout.js';

export interface KeptPlace {
  readonly anchor: Anchor;
  /** The page, from 0, that counted as read there; null if none did yet. */
  readonly read: number | null;
}

const isPage = (given: unknown): given is number => typeof given === 'number' && Number.isInteger(given) && given >= 0;

export const keptPlaceIn = (stored: unknown): KeptPlace | undefined => {
  if (typeof stored !== 'object' || stored === null || !('anchor' in stored) || !('read' in stored)) return undefined;
  const { anchor, read } = stored;
  if (typeof anchor !== 'object' || anchor === null || !('page' in anchor) || !('share' in anchor)) return undefined;
  const { page, share } = anchor;
  if (!isPage(page) || typeof share !== 'number' || !(share >= 0 && share <= 1)) return undefined;
  return read === null || isPage(read) ? { anchor: { page, share }, read } : undefined;
};

export interface Begin {
  /** The page, from 0, up to which it is known to have been read; null for none. */
  readonly read: number | null;
  /** It was read to its end: it begins anew. */
  readonly isCompleted: boolean;
  /** What the address asks for: `last`, or a number from 1. */
  readonly wanted: string | null;
  /** Where this entry of the history was left. */
  readonly left: KeptPlace | undefined;
  /** Where this browser left the book. */
  readonly saved: KeptPlace | undefined;
  readonly pageCount: number;
}

const wantedPlace = (wanted: string | null, last: number): Anchor | undefined => {
  if (wanted === 'last') return { page: last, share: 1 };
  const page = Math.floor(Number(wanted));
  return wanted !== null && page >= 1 ? { page: Math.min(last, page - 1), share: 0 } : undefined;
};

/** Where a book begins to be shown. A place that was kept holds as long as nobody has read elsewhere meanwhile. */
export const beginOf = ({ read, isCompleted, wanted, left, saved, pageCount }: Begin): Anchor => {
  const last = Math.max(0, pageCount - 1);
  const isHere = (place: KeptPlace | undefined): place is KeptPlace =>
    place !== undefined && place.read === read && place.anchor.page <= last;
  if (isHere(left)) return left.anchor;
  const asked = wantedPlace(wanted, last);
  if (asked !== undefined) return asked;
  if (isCompleted) return { page: 0, share: 0 };
  return isHere(saved) ? saved.anchor : { page: Math.min(last, read ?? 0), share: 0 };
};
