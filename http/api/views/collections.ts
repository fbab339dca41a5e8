// Collections and read lists as shown on the wire.
import type { List } from '../../../core/catalog/collections/lists.js';
import type { Wire } from '../../surface/wire.js';
import type { Collection, ReadList } from '../schemas/collections.js';
import { instant } from './time.js';

const listView = (list: List) => ({
  id: list.id,
  name: list.name,
  summary: list.summary,
  ordered: list.ordered,
  createdAt: instant(list.createdAt),
  updatedAt: instant(list.updatedAt),
});

/** CollectionDto. */
export const collectionView = (list: List): Wire<typeof Collection> => ({
  ...listView(list),
  automatic: list.condition !== null,
  condition: list.condition,
  seriesCount: list.memberCount,
});

/** ReadListDto. */
export const readListView = (list: List): Wire<typeof ReadList> => ({ ...listView(list), bookCount: list.memberCount });
