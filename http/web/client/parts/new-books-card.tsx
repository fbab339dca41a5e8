// One card for several books added to a series at once; it leads to the series.

import { t } from '../messages/messages.js';
import type { Book } from '../state/api.js';
import { linkTo } from '../state/router.js';
import { CardTitle } from './card-title.js';
import { Cover } from './cover.js';

interface Props {
  /** One of them. */
  readonly shown: Book;
  readonly count: number;
  /** Whether there may be more. */
  readonly isCut: boolean;
  readonly isLazy: boolean;
}

export const NewBooksCard = ({ shown, count, isCut, isLazy }: Props) => (
  <a class="card" href={linkTo('series', shown.seriesId)}>
    <span class="cover-box">
      <Cover of={{ kind: 'books', id: shown.id, updatedAt: shown.updatedAt }} isLazy={isLazy} />
    </span>
    <CardTitle title={shown.seriesName} />
    <span class="card-more">{isCut ? t.home.newBooksMore(count) : t.home.newBooks(count)}</span>
  </a>
);
