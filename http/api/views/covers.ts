// Uploaded and chosen covers, in the wire format.

import type { StoredCover } from '../../../core/catalog/covers/rows.js';
import type { CoverOwner } from '../../../core/catalog/covers/shown.js';
import type { Wire } from '../../surface/wire.js';
import type { CoverFields } from '../schemas/covers.js';
import { instant } from './time.js';

const OWNER_FIELDS = {
  book: 'bookId',
  series: 'seriesId',
  collection: 'collectionId',
  read_list: 'readListId',
} as const satisfies Record<CoverOwner, string>;

const fieldsView = (cover: StoredCover): Wire<typeof CoverFields> => ({
  id: cover.id,
  source: cover.source,
  path: `uploads/${cover.id}.jpg`,
  isSelected: cover.selected,
  width: cover.width,
  height: cover.height,
  createdAt: instant(cover.createdAt),
  updatedAt: instant(cover.updatedAt),
});

/** BookCoverDto, SeriesCoverDto, and their counterparts for lists. */
export const coverView = (owner: CoverOwner, ownerId: string, cover: StoredCover) => ({
  ...fieldsView(cover),
  [OWNER_FIELDS[owner]]: ownerId,
});
