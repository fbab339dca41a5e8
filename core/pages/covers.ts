// Covers of series, libraries, collections and read lists: what somebody chose for them, else the cover of a book that represents them.

import type { ListKind } from '../catalog/collections/kinds.js';
import { COVERS_TRIED, membersWithPages } from '../catalog/collections/members.js';
import { seenOwnerKey } from '../catalog/covers/owners.js';
import { type ShownCover, shownCover } from '../catalog/covers/shown.js';
import { resolve } from '../catalog/public-ids.js';
import type { ListParts } from '../catalog/query/page.js';
import { coverBookOfSeries, coverFileOfSeries, coverSeriesOfLibrary, type SeriesRow } from '../catalog/series.js';
import { AppError, faultOf, KINDS } from '../model/errors.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { Content } from './content.js';
import type { Pages } from './pages.js';
import type { ImageRequest } from './thumbnails.js';
import { isForCard } from './title-cards.js';

type Ask = Omit<ImageRequest, 'viewer'>;

const none = (): AppError => new AppError('NotFound', 'No book in here has a cover yet.');

const coverOf = async (pages: Pages, viewer: Viewer, book: Buffer | undefined, request: Ask): Promise<Content> => {
  if (book === undefined) throw none();
  return pages.cover({ ...request, viewer, bookId: uuidOfBytes(book) });
};

/** What somebody chose; undefined when there is nothing of it to show. */
const chosen = async (
  pages: Pages,
  viewer: Viewer,
  cover: ShownCover | undefined,
  request: Ask,
): Promise<Content | undefined> => {
  if (cover === undefined) return undefined;
  if (cover.kind === 'book') return pages.cover({ ...request, viewer, bookId: cover.bookId });
  return pages.uploaded(cover.id, { ...request, viewer });
};

/** Of a series that the viewer may see. */
const ofSeries = async (db: Db, pages: Pages, viewer: Viewer, series: SeriesRow, request: Ask): Promise<Content> => {
  const own = await chosen(pages, viewer, await shownCover(db, 'series', series.key, viewer), request);
  if (own !== undefined) return own;
  const beside = await coverFileOfSeries(db, series.key);
  const picture =
    beside === undefined ? undefined : await pages.picture(uuidOfBytes(series.uuid), beside, { ...request, viewer });
  return picture ?? coverOf(pages, viewer, await coverBookOfSeries(db, viewer, series.key), request);
};

export const coverOfSeries = async (
  db: Db,
  pages: Pages,
  viewer: Viewer,
  seriesId: string,
  request: Ask,
): Promise<Content> => {
  const { key } = await resolve(db, 'series', seriesId, viewer);
  return ofSeries(db, pages, viewer, { key, uuid: bytesOfUuid(seriesId) }, request);
};

export const coverOfLibrary = async (
  db: Db,
  pages: Pages,
  viewer: Viewer,
  libraryId: string,
  request: Ask,
): Promise<Content> => {
  const { key } = await resolve(db, 'library', libraryId, viewer);
  const first = await coverSeriesOfLibrary(db, viewer, key);
  if (first === undefined) throw none();
  return ofSeries(db, pages, viewer, first, request);
};

/** What somebody chose for a list; undefined when there is nothing of it to show. */
const chosenForList = async (
  parts: ListParts,
  kind: 'collection' | 'read_list',
  pages: Pages,
  viewer: Viewer,
  id: string,
  request: Ask,
): Promise<Content | undefined> => {
  const key = await seenOwnerKey(parts, kind, viewer, id);
  return chosen(pages, viewer, await shownCover(parts.db, kind, key, viewer), request);
};

/** The first picture among the covers of members: text may have none. Without any, the title card of the first. */
const firstPicture = async <T>(
  members: readonly T[],
  request: Ask,
  coverOf: (member: T, request: Ask) => Promise<Content>,
): Promise<Content> => {
  const titled: T[] = [];
  for (const member of members) {
    try {
      return await coverOf(member, { ...request, card: 'none' });
    } catch (thrown) {
      const { kind } = faultOf(thrown);
      if (kind !== 'NotFound' && KINDS[kind].blame !== 'book') throw thrown;
      if (isForCard(thrown)) titled.push(member);
    }
  }
  const [first] = titled;
  if (first === undefined) throw none();
  return coverOf(first, request);
};

export const coverOfCollection = async (
  parts: ListParts,
  pages: Pages,
  viewer: Viewer,
  id: string,
  request: Ask,
): Promise<Content> => {
  const own = await chosenForList(parts, 'collection', pages, viewer, id, request);
  if (own !== undefined) return own;
  const members = await membersWithPages(parts, 'collection', viewer, id);
  return firstPicture(members, request, (series, asked) => ofSeries(parts.db, pages, viewer, series, asked));
};

export const coverOfReadList = async (
  parts: ListParts,
  pages: Pages,
  viewer: Viewer,
  id: string,
  request: Ask,
): Promise<Content> => {
  const own = await chosenForList(parts, 'read_list', pages, viewer, id, request);
  if (own !== undefined) return own;
  const members = await membersWithPages(parts, 'read_list', viewer, id);
  return firstPicture(members, request, ({ uuid }, asked) => coverOf(pages, viewer, uuid, asked));
};

/** Of a queue, whose series or books are given in its order. */
export const coverOfQueue = (
  db: Db,
  pages: Pages,
  { kind, memberIds }: { readonly kind: ListKind; readonly memberIds: readonly string[] },
  request: ImageRequest,
): Promise<Content> =>
  firstPicture(memberIds.slice(0, COVERS_TRIED), request, async (id, asked) =>
    kind === 'collection'
      ? coverOfSeries(db, pages, request.viewer, id, asked)
      : pages.cover({ ...asked, viewer: request.viewer, bookId: id }),
  );
