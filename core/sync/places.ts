// Where in a book an e-reader is, and what it is told: KOReader names a page by its number, and a place in a text by a pointer whose first part
// is an item of the spine. Pure.
import type { BookFormat } from '../model/formats.js';
import { type ProgressChange, READ_FROM } from '../reading/completion.js';
import { placeOfShare, type Spine } from '../reading/places.js';

/** A place as it travels: `share` is of the whole book, 0 to 1. */
export interface DevicePlace {
  readonly progress: string;
  readonly share: number;
}

const PAGE_MAX = 2 ** 31 - 1;
const PAGE = /^\d{1,12}$/;
/** Counted from 1. */
const FRAGMENT = /^\/body\/DocFragment\[(\d{1,9})\]/;
/** Of older versions, counted from 0. */
const OLD_FRAGMENT = /^#?_doc_fragment_(\d{1,9})_/;

/** Undefined for a text that is no page number. */
export const pageIn = (progress: string): number | undefined => {
  if (!PAGE.test(progress)) return undefined;
  const page = Number(progress);
  return page < 1 ? undefined : Math.min(page, PAGE_MAX);
};

/** The item of the spine that a pointer leads into, from 0; undefined for any other text. */
export const itemIn = (progress: string): number | undefined => {
  const counted = FRAGMENT.exec(progress)?.[1];
  if (counted !== undefined) return counted === '0' ? undefined : Number(counted) - 1;
  const old = OLD_FRAGMENT.exec(progress)?.[1];
  return old === undefined ? undefined : Number(old);
};

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** The largest share that is not the end, and how far behind its beginning a share is surely in an item: shares are rounded. */
const BELOW_END = 1 - 1e-6;
const INSIDE = 2e-6;

/** Devices count the text of a book in their own way: the item they name holds, and their share within it. */
const shareWithin = ({ items, before, total }: Spine, index: number | undefined, share: number): number => {
  const item = index === undefined ? undefined : items[index];
  const start = index === undefined ? undefined : before[index];
  if (item === undefined || start === undefined || total === 0) return share;
  return clamp(share, start / total + INSIDE, (start + item.positions) / total);
};

/** What a place means for the progress in a book. `spine` is null where it is not known. */
export const changeOf = (
  { progress, share: given }: DevicePlace,
  format: BookFormat,
  spine: Spine | null,
): ProgressChange => {
  const share = clamp(given, 0, 1);
  if (format === 'epub') {
    const percentage = spine === null || share >= READ_FROM ? share : shareWithin(spine, itemIn(progress), share);
    // Only what the device says completes a book, not where its item begins by our count.
    return { percentage: share < READ_FROM ? Math.min(percentage, BELOW_END) : share, isCompleted: share >= READ_FROM };
  }
  return { currentPage: pageIn(progress), percentage: share, isCompleted: share >= 1 ? true : undefined };
};

/** The place of a share in a book, as a device understands it. */
export const progressAt = (share: number, page: number, spine: Spine | null): string => {
  const place = spine === null ? undefined : placeOfShare(spine, share);
  return place === undefined ? String(page) : `/body/DocFragment[${place.index + 1}].0`;
};
