// Covers of series, libraries, collections and read lists: the cover of a book that stands for them.

import { firstWithCover } from '../catalog/collections/members.js';
import { libraryById } from '../catalog/libraries.js';
import type { ListParts } from '../catalog/query/page.js';
import { coverBookOfLibrary, coverBookOfSeries, coverFileOfSeries, seriesById } from '../catalog/series.js';
import { AppError } from '../model/errors.js';
import { uuidOfBytes } from '../model/ids.js';
import type { Db } from '../store/db.js';
import type { Content } from './content.js';
import type { Ask, Pages } from './pages.js';

type Asking = Omit<Ask, 'bookId'>;

const coverOf = async (pages: Pages, book: Buffer | undefined, asking: Asking): Promise<Content> => {
  if (book === undefined) throw new AppError('NotFound', 'There is no book with a cover in here yet.');
  return pages.cover({ ...asking, bookId: uuidOfBytes(book) });
};

export const coverOfSeries = async (
  db: Db,
  pages: Pages,
  userKey: number,
  seriesId: string,
  asking: Asking,
): Promise<Content> => {
  const series = await seriesById(db, userKey, seriesId);
  const picture = await coverFileOfSeries(db, series.key);
  const own = picture === undefined ? undefined : await pages.picture(series.id, picture, asking);
  if (own !== undefined) return own;
  return coverOf(pages, await coverBookOfSeries(db, series.key), asking);
};

export const coverOfLibrary = async (db: Db, pages: Pages, libraryId: string, asking: Asking): Promise<Content> => {
  const library = await libraryById(db, libraryId);
  return coverOf(pages, await coverBookOfLibrary(db, library.key), asking);
};

export const coverOfCollection = async (
  parts: ListParts,
  pages: Pages,
  userKey: number,
  id: string,
  asking: Asking,
): Promise<Content> => {
  const first = await firstWithCover(parts, 'collection', userKey, id);
  return coverOf(pages, first === undefined ? undefined : await coverBookOfSeries(parts.db, first.key), asking);
};

export const coverOfReadList = async (
  parts: ListParts,
  pages: Pages,
  userKey: number,
  id: string,
  asking: Asking,
): Promise<Content> => coverOf(pages, (await firstWithCover(parts, 'read_list', userKey, id))?.uuid, asking);
