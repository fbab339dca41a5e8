// A book in a shelf or on a wall: its cover, how far it was read, what it is called.

import { t } from '../messages/messages.js';
import type { Book } from '../state/api.js';
import { readShareOf } from '../state/books.js';
import { linkTo } from '../state/router.js';
import { CardTitle } from './card-title.js';
import { Cover } from './cover.js';
import { Icon } from './icon.js';

interface Props {
  readonly book: Book;
  /** Whether the series is named too: outside of its own screen. */
  readonly withSeries?: boolean;
  readonly isLazy?: boolean;
  /** The read list that the card is in. */
  readonly listId?: string | undefined;
}

export const BookCard = ({ book, withSeries = false, isLazy = true, listId }: Props) => {
  const share = readShareOf(book);
  const isRead = book.readProgress?.completed === true;
  return (
    <a class="card" href={linkTo('book', book.id, { list: listId })}>
      <span class="cover-box">
        <Cover of={{ kind: 'books', id: book.id, updatedAt: book.updatedAt }} isLazy={isLazy} />
        {share !== null && !isRead && (
          <progress
            class="share"
            max={1}
            value={share}
            aria-label={t.book.left(Math.max(0, book.pageCount - (book.readProgress?.currentPage ?? 0)))}
          />
        )}
        {isRead && (
          <span class="badge" title={t.book.isRead}>
            <Icon name="check" />
            <span class="visually-hidden">{t.book.isRead}</span>
          </span>
        )}
      </span>
      <CardTitle title={book.title} {...(withSeries ? { series: book.seriesName } : {})} />
      {withSeries && (
        <span class="card-more" dir="auto">
          {book.seriesName}
        </span>
      )}
    </a>
  );
};
