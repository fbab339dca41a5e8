// A position within a page, kept in addition to the page that the server stores, so that a book reopens exactly where it was left.
import type { Anchor } from './strip-layout.js';

export interface KeptPlace {
  readonly anchor: Anchor;
  /** The page, from 0, that counted as read there; null for none. */
  readonly read: number | null;
  /** The share of that page above the window, as reported to the server; none where the page alone says it all. */
  readonly offset?: number;
}

const isPage = (given: unknown): given is number => typeof given === 'number' && Number.isInteger(given) && given >= 0;

const isShare = (given: unknown): given is number => typeof given === 'number' && given >= 0 && given <= 1;

const shareIn = <K extends string>(given: object, name: K): { readonly [key in K]?: number } => {
  const value: unknown = (given as Record<string, unknown>)[name];
  return isShare(value) ? ({ [name]: value } as { readonly [key in K]: number }) : {};
};

export const keptPlaceIn = (stored: unknown): KeptPlace | undefined => {
  if (typeof stored !== 'object' || stored === null || !('anchor' in stored) || !('read' in stored)) return undefined;
  const { anchor, read } = stored;
  if (typeof anchor !== 'object' || anchor === null || !('page' in anchor) || !('share' in anchor)) return undefined;
  const { page, share } = anchor;
  if (!isPage(page) || !isShare(share)) return undefined;
  if (read !== null && !isPage(read)) return undefined;
  return { anchor: { page, share, ...shareIn(anchor, 'above') }, read, ...shareIn(stored, 'offset') };
};

export interface OpeningState {
  /** The last page known to have been read, from 0; null for none. */
  readonly read: number | null;
  /** The share of that page above the window; null if it is not known. */
  readonly offset: number | null;
  /** It was read to the end, and starts over. */
  readonly isCompleted: boolean;
  /** What the address asks for: `last`, or a number from 1. */
  readonly wanted: string | null;
  /** The position saved in this history entry. */
  readonly left: KeptPlace | undefined;
  /** The position saved in this browser. */
  readonly saved: KeptPlace | undefined;
  readonly pageCount: number;
}

const wantedPlace = (wanted: string | null, last: number): Anchor | undefined => {
  if (wanted === 'last') return { page: last, share: 1 };
  const page = Math.floor(Number(wanted));
  return wanted !== null && page >= 1 ? { page: Math.min(last, page - 1), share: 0 } : undefined;
};

/** Where a book opens. A saved position applies only while the progress is still the same. */
export const openingAnchor = (state: OpeningState): Anchor => {
  const { read, offset, isCompleted, wanted, left, saved, pageCount } = state;
  const last = Math.max(0, pageCount - 1);
  const isCurrent = (place: KeptPlace | undefined): place is KeptPlace =>
    place !== undefined && place.read === read && (place.offset ?? null) === offset && place.anchor.page <= last;
  if (isCurrent(left)) return left.anchor;
  const asked = wantedPlace(wanted, last);
  if (asked !== undefined) return asked;
  if (isCompleted) return { page: 0, share: 0 };
  if (isCurrent(saved)) return saved.anchor;
  return { page: Math.min(last, read ?? 0), share: 0, ...(offset === null ? {} : { above: offset }) };
};
