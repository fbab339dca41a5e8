// A book or a series, where a wall may hold either.

import { isBook } from '../state/lists.js';
import type { Member } from '../state/named-lists.js';
import { BookCard } from './book-card.js';
import { SeriesCard } from './series-card.js';

export const MemberCard = ({ item, withSeries }: { readonly item: Member; readonly withSeries: boolean }) =>
  isBook(item) ? (
    <BookCard book={item} withSeries={withSeries} isLazy={false} />
  ) : (
    <SeriesCard series={item} isLazy={false} />
  );
