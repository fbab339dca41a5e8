// Collections and read lists as the comic-server API shows them.
import type { List } from '../../../core/catalog/collections/lists.js';
import type { Wire } from '../../surface/wire.js';
import type { Collection, ReadList } from '../schemas/collections.js';
import { idText, moment } from './text.js';

/** `filtered` would tell that something is hidden. */
const listView = (list: List) => ({
  id: idText(list.id),
  name: list.name,
  ordered: list.ordered,
  createdDate: moment(list.createdAt),
  lastModifiedDate: moment(list.updatedAt),
  filtered: false,
});

/** `members` are the ids of what the viewer sees in it. */
export const collectionView = (list: List, members: readonly string[]): Wire<typeof Collection> => ({
  ...listView(list),
  seriesIds: members.map(idText),
});

export const readListView = (list: List, members: readonly string[]): Wire<typeof ReadList> => ({
  ...listView(list),
  summary: list.summary ?? '',
  bookIds: members.map(idText),
});
