// Collections and read lists as answers show them.
import Type from 'typebox';
import { id, orNull, record, text, time, whole, yes } from '../../surface/wire.js';
import { Book } from './book.js';
import { seriesConditionOrNull } from './conditions.js';
import { itemsOf } from './paging.js';

const listFields = {
  id: id(),
  name: text('Fog and sea'),
  summary: orNull(text('What to read in November')),
  ordered: yes(true),
  createdAt: time(),
  updatedAt: time(),
};

/** CollectionDto. */
export const Collection = record('Collection', {
  ...listFields,
  automatic: yes(false, 'Whether a condition decides what is in it.'),
  condition: seriesConditionOrNull,
  seriesCount: whole(4),
});

/** ReadListDto. */
export const ReadList = record('ReadList', { ...listFields, bookCount: whole(9) });

export const ReadListPlace = record('ReadListPlace', {
  position: whole(3, 'Of the book in the list, from 1; 0 in an empty list.'),
  total: whole(17, 'How many books of the list the caller sees.'),
  read: whole(2, 'How many of them the caller has read.'),
  book: Type.Optional(Book),
  prev: Type.Optional(Book),
  next: Type.Optional(Book),
});

export const CollectionItems = itemsOf('CollectionList', Collection);
export const ReadListItems = itemsOf('ReadListList', ReadList);
