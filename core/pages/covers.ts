// Covers of series, libraries, collections and read lists: the cover of a book that represents them.

import { firstWithCover } from '../catalog/collections/members.js';
import { resolve } from '../catalog/public-ids.js';
import type { ListParts } from '../catalog/query/page.js';
import { coverBookOfLibrary, coverBookOfSeries, coverFileOfSeries, seriesById } from '../catalog/series.js';
import { AppError } from '../model/errors.js';
import { uuidOfBytes } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { Content } from './content.js';
import type { Pages } from './pages.js';
import type { ImageRequest } from './thumbnails.js';

type Ask = Omit<ImageRequest, 'viewer'>;

const coverOf = async (pages: Pages, viewer: Viewer, book: Buffer | undefined, request: Ask): Promise<Content> => {
  if (book === undefined) throw new AppError('NotFound', 'No book in here has a cover yet.');
  return pages.cover({ ...request, viewer, bookId: uuidOfBytes(book) });
};

export const coverOfSeries = async (
  db: Db,
  pages: Pages,
  viewer: Viewer,
  seriesId: string,
  request: Ask,
): Promise<Content> => {
  const series = await seriesById(db, viewer, seriesId);
  const picture = await coverFileOfSeries(db, series.key);
  const own = picture === undefined ? undefined : await pages.picture(series.id, picture, { ...request, viewer });
  if (own !== undefined) return own;
  return coverOf(pages, viewer, await coverBookOfSeries(db, series.key), request);
};

export const coverOfLibrary = async (
  db: Db,
  pages: Pages,
  viewer: Viewer,
  libraryId: string,
  request: Ask,
): Promise<Content> => {
  const { key } = await resolve(db, 'library', libraryId, viewer);
  return coverOf(pages, viewer, await coverBookOfLibrary(db, viewer, key), request);
};

export const coverOfCollection = async (
  parts: ListParts,
  pages: Pages,
  viewer: Viewer,
  id: string,
  request: Ask,
): Promise<Content> => {
  const first = await firstWithCover(parts, 'collection', viewer, id);
  return coverOf(
    pages,
    viewer,
    first === undefined ? undefined : await coverBookOfSeries(parts.db, first.key),
    request,
  );
};

export const coverOfReadList = async (
  parts: ListParts,
  pages: Pages,
  viewer: Viewer,
  id: string,
  request: Ask,
): Promise<Content> => coverOf(pages, viewer, (await firstWithCover(parts, 'read_list', viewer, id))?.uuid, request);
