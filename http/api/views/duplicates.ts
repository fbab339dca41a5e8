// Groups of duplicates in the wire format.
import type { BookGroup, Groups, SeriesGroup } from '../../../core/catalog/duplicates/groups.js';
import type { Wire } from '../../surface/wire.js';
import type { DuplicateList, SeriesDuplicateList } from '../schemas/duplicates.js';
import { instant } from './time.js';

/** ListDuplicatesResponse. */
export const duplicatesView = ({
  groups,
  totalGroups,
  totalMembers,
}: Groups<BookGroup>): Wire<typeof DuplicateList> => ({
  duplicates: groups.map(({ id, fileHash, bookIds, createdAt, updatedAt }) => ({
    id,
    fileHash,
    bookIds: [...bookIds],
    duplicateCount: bookIds.length,
    createdAt: instant(createdAt),
    updatedAt: instant(updatedAt),
  })),
  totalGroups,
  totalDuplicateBooks: totalMembers,
});

/** ListSeriesDuplicatesResponse. The groups of all types are counted, whichever are listed. */
export const seriesDuplicatesView = (
  { groups, totalGroups, totalMembers }: Groups<SeriesGroup>,
  isListed: boolean,
): Wire<typeof SeriesDuplicateList> => ({
  duplicates: groups.map(({ members, createdAt, updatedAt, ...group }) => ({
    ...group,
    matchType: 'title' as const,
    duplicateCount: members.length,
    members: members.map((member) => ({ ...member, updatedAt: instant(member.updatedAt) })),
    createdAt: instant(createdAt),
    updatedAt: instant(updatedAt),
  })),
  totalGroups: isListed ? totalGroups : 0,
  totalDuplicateSeries: isListed ? totalMembers : 0,
  titleGroups: totalGroups,
  externalIdGroups: 0,
});
