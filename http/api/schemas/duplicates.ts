// Groups of duplicates.
import Type from 'typebox';
import { id, record, text, time, whole, word } from '../../surface/wire.js';

/** DuplicateGroup. */
const DuplicateGroup = record('DuplicateGroup', {
  id: id(),
  fileHash: text('4f3a1c2b9d8e7f60', 'The hash of the files; empty for editions, whose files differ.'),
  bookIds: Type.Array(id()),
  duplicateCount: whole(2, 'How many books are in the group.'),
  createdAt: time(),
  updatedAt: time(),
});

/** ListDuplicatesResponse. */
export const DuplicateList = record('DuplicateList', {
  duplicates: Type.Array(DuplicateGroup),
  totalGroups: whole(1),
  totalDuplicateBooks: whole(2, 'Books in all groups.'),
});

/** TriggerDuplicateScanResponse. */
export const DuplicateScanBegun = record('DuplicateScanBegun', {
  message: text('Duplicate detection scan has been queued'),
  taskId: id(),
});

/** SeriesDuplicateMember. */
const SeriesDuplicateMember = record('SeriesDuplicateMember', {
  id: id(),
  title: text('One Piece'),
  libraryId: id(),
  libraryName: text('Manga'),
  bookCount: whole(12),
  updatedAt: time(),
});

/** SeriesDuplicateGroup. */
const SeriesDuplicateGroup = record('SeriesDuplicateGroup', {
  id: id(),
  libraryId: id('The library of the series.'),
  matchType: word(['title', 'external_id'], 'What the series have in common.'),
  matchKey: text('one piece', 'The title as it is compared.'),
  duplicateCount: whole(2),
  members: Type.Array(SeriesDuplicateMember),
  createdAt: time(),
  updatedAt: time(),
});

/** ListSeriesDuplicatesResponse. */
export const SeriesDuplicateList = record('SeriesDuplicateList', {
  duplicates: Type.Array(SeriesDuplicateGroup),
  totalGroups: whole(1),
  totalDuplicateSeries: whole(2, 'Series in all groups.'),
  titleGroups: whole(1),
  externalIdGroups: whole(0, 'Always 0: series have no external ids on this server.'),
});
