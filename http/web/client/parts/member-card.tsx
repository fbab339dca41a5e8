// A book or a series, where a wall may hold either.

import { isBook } from '../state/lists.js';
import type { Member } from '../state/named-lists.js';
import { BookCard } from './book-card.js';
import { SeriesCard } from './series-card.js';

interface Props {
  readonly item: Member;
  readonly withSeries: boolean;
  readonly listId?: string | undefined;
}

export const MemberCard = ({ item, withSeries, listId }: Props) =>
  isBook(item) ? (
    <BookCard book={item} withSeries={withSeries} isLazy={false} listId={listId} />
  ) : (
    <SeriesCard series={item} isLazy={false} />
  );
