// The reply to a search over everything: a group of each kind, of which series and books may be large.
import type { Caller } from '../../core/access/caller.js';
import type { FoundByName } from '../../core/catalog/search/everything.js';
import type { Reply } from '../server/adapter.js';
import { json } from '../surface/reply.js';
import type { Ctx } from '../surface/route.js';
import type { Wire } from '../surface/wire.js';
import { booksReply, seriesReply } from './full.js';
import type { SearchResults } from './schemas/search.js';
import { collectionView, readListView } from './views/collections.js';

/** A group whose rows are the whole of another reply. */
const groupOf = ({ body }: Reply, total: number): Buffer => {
  const rows = body.kind === 'bytes' ? Buffer.from(body.bytes) : Buffer.from('[]');
  return Buffer.concat([Buffer.from('{"items":'), rows, Buffer.from(`,"total":${total}}`)]);
};

export const foundReply = async (ctx: Ctx<Caller>, found: FoundByName): Promise<Reply> => {
  const { series, books, people, collections, readLists } = found;
  const others: Omit<Wire<typeof SearchResults>, 'series' | 'books'> = {
    people: {
      items: people.items.map(({ name, roles, seriesCount }) => ({ name, roles: [...roles], seriesCount })),
      total: people.total,
    },
    collections: {
      items: collections.items.map((list) => collectionView(list, ctx.viewer)),
      total: collections.total,
    },
    readLists: { items: readLists.items.map(readListView), total: readLists.total },
  };
  const bytes = Buffer.concat([
    Buffer.from('{"series":'),
    groupOf(await seriesReply(ctx, {}, series.items), series.total),
    Buffer.from(',"books":'),
    groupOf(await booksReply(ctx, {}, books.items), books.total),
    Buffer.from(`,${JSON.stringify(others).slice(1)}`),
  ]);
  return { ...json(200, {}), body: { kind: 'bytes', bytes } };
};
