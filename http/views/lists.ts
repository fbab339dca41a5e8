// Collections and read lists as the wire shows them.
import type { List } from '../../core/catalog/lists.js';
import { instant } from './time.js';

const listView = (list: List) => ({
  id: list.id,
  name: list.name,
  summary: list.summary,
  ordered: list.ordered,
  createdAt: instant(list.createdAt),
  updatedAt: instant(list.updatedAt),
});

/** CollectionDto. Collections that fill themselves do not exist here yet, so none has a condition. */
export const collectionView = (list: List) => ({
  ...listView(list),
  automatic: false,
  condition: null,
  seriesCount: list.memberCount,
});

/** ReadListDto. */
export const readListView = (list: List) => ({ ...listView(list), bookCount: list.memberCount });
