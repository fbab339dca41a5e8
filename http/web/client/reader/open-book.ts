// Everything the reader needs to know of a book before its first page is shown, asked for at once.
import { type Book, booksGet, type Page, pagesList, profilesList } from '../state/api.js';
import { type Size, sizesOf } from './rules/pages.js';
import type { Device, StoredProfile } from './rules/profiles.js';
import type { BookShape } from './rules/resolved.js';
import { looksLikeStrip } from './rules/strip-detection.js';

export interface OpenBook {
  readonly book: Book;
  readonly pages: readonly Page[];
  readonly sizes: readonly Size[];
  readonly shape: BookShape;
  readonly device: Device;
  readonly profiles: readonly StoredProfile[];
}

const PROFILES_MAX = 50;

export const openBook = async (id: string, device: Device, signal: AbortSignal): Promise<OpenBook> => {
  const [{ book }, pages] = await Promise.all([
    booksGet({ id }, { signal }) as Promise<{ readonly book: Book }>,
    pagesList({ id }, { signal }),
  ]);
  const { data: profiles } = await profilesList(
    { seriesId: book.seriesId, device, pageSize: PROFILES_MAX },
    { signal },
  );
  const shape = { direction: book.readingDirection, isStrip: looksLikeStrip(pages) };
  return { book, pages, sizes: sizesOf(pages), shape, device, profiles };
};
