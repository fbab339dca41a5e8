// The feed of a series: its books in reading order.
import Type from 'typebox';
import { booksAt, keysInSeries, READY, readyOfSeries } from '../../../core/catalog/list-books.js';
import { seriesById } from '../../../core/catalog/series.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { byId } from '../../surface/schemas.js';
import { feedRows } from '../dialect.js';
import { feedOf, uuidUrn } from '../feed.js';
import { pagingFields, windowOf } from '../paging.js';
import { ownPath } from '../place.js';
import { bookEntries } from '../published.js';
import { READ_STATUSES, readFacets } from './series-lists.js';

const booksWithStatus = (seriesId: string, read: string) => ({
  seriesId,
  where: READY,
  condition: { readStatus: { operator: 'is', value: read } },
  descending: false,
});

export const ONE_SERIES_FEED = feedRows({
  id: 'series.one',
  paths: ['/series/{id}'],
  access: 'BooksRead',
  params: byId,
  query: Type.Object({ ...pagingFields, read: Type.Optional(Type.Enum(Object.keys(READ_STATUSES))) }),
  about: 'Books of a series in reading order.',
  make: async (ctx, { params, query }) => {
    const { viewer } = ctx;
    const parts = partsFor(ctx);
    const series = await seriesById(listReads(ctx), viewer, params.id);
    const window = windowOf(query);
    const found =
      query.read === undefined
        ? await readyOfSeries(parts, viewer, series, window)
        : await booksAt(
            parts,
            viewer,
            await keysInSeries(parts, viewer, booksWithStatus(series.id, query.read)),
            window,
          );
    const path = ownPath(ctx);
    return feedOf({
      id: uuidUrn(series.id),
      title: series.name,
      kind: 'acquisition',
      path,
      up: { title: series.libraryName, path: `/libraries/${series.libraryId}`, kind: 'navigation' },
      page: found,
      facets: readFacets(path, query.read),
      entries: await bookEntries(ctx, found.items),
      isOfSeries: true,
      updatedAt: series.updatedAt,
    });
  },
});
