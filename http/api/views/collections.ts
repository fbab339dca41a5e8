// Collections and read lists as shown on the wire.
import { seesEmpty } from '../../../core/catalog/collections/kinds.js';
import type { List } from '../../../core/catalog/collections/lists.js';
import type { Viewer } from '../../../core/model/viewer.js';
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

/** CollectionDto. A condition names genres and libraries, which may be hidden: only users who see or may change all collections get it. */
export const collectionView = (list: List, viewer: Viewer): Wire<typeof Collection> => ({
  ...listView(list),
  automatic: list.condition !== null,
  condition: seesEmpty('collection', viewer) ? list.condition : null,
  seriesCount: list.memberCount,
});

/** ReadListDto. */
export const readListView = (list: List): Wire<typeof ReadList> => ({ ...listView(list), bookCount: list.memberCount });
