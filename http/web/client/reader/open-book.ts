// Everything the reader needs to know of a book before its first page is shown, asked for at once.
import { type Book, type BookDetail, booksGet, type Page, pagesList, profilesList } from '../state/api.js';
import { type Crop, cropOf, isCropWanted } from './rules/crop.js';
import type { Grouped } from './rules/group-change.js';
import { type BookShape, pageLayoutOf } from './rules/page-layout.js';
import { type Size, sizesOf } from './rules/pages.js';
import { type Device, merged, type StoredProfile } from './rules/profiles.js';
import { looksLikeStrip } from './rules/strip-detection.js';

export interface OpenBook {
  readonly book: Book;
  readonly grouped: Grouped;
  readonly pages: readonly Page[];
  readonly sizes: readonly Size[];
  readonly shape: BookShape;
  readonly device: Device;
  readonly profiles: readonly StoredProfile[];
  /** The part of each page that is shown; null unless borders are cropped. */
  readonly crops: readonly (Crop | null)[] | null;
}

const PROFILES_MAX = 500;

export const groupedOf = ({ volume, chapter }: Book, metadata: BookDetail['metadata']): Grouped => ({
  volume,
  chapter,
  translator: metadata?.translator ?? null,
  language: metadata?.languageIso ?? null,
});

/** The server finds the borders of pages when they are to be cropped. Null if it cannot: the pages are shown whole. */
export const cropsOf = async (id: string, signal: AbortSignal): Promise<readonly (Crop | null)[] | null> => {
  try {
    return (await pagesList({ id, crop: '1' }, { signal })).map(cropOf);
  } catch {
    signal.throwIfAborted();
    return null;
  }
};

export const openBook = async (id: string, device: Device, signal: AbortSignal): Promise<OpenBook> => {
  const [{ book, metadata }, pages, { data }] = await Promise.all([
    booksGet({ id }, { signal }) as Promise<BookDetail>,
    pagesList({ id }, { signal }),
    profilesList({ bookId: id, pageSize: PROFILES_MAX }, { signal }),
  ]);
  const profiles = data.filter((profile) => profile.device === null || profile.device === device);
  const shape = { direction: book.readingDirection, isStrip: looksLikeStrip(pages) };
  const settings = merged(profiles);
  const isCropped = isCropWanted(settings, pageLayoutOf(settings, shape, { width: innerWidth, height: innerHeight }));
  const crops = isCropped ? await cropsOf(id, signal) : null;
  const grouped = groupedOf(book, metadata);
  return { book, grouped, pages, sizes: sizesOf(pages), shape, device, profiles, crops };
};
