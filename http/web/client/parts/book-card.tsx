// A book in a shelf or on a wall: its cover, how far it was read, what it is called.

import { numberText, t } from '../messages/messages.js';
import type { Book } from '../state/api.js';
import { isReadable, numberOf, readShareOf, showsNumber } from '../state/books.js';
import { listReadWith } from '../state/lists-read.js';
import { linkTo } from '../state/router.js';
import { CardTitle } from './card-title.js';
import { Cover } from './cover.js';
import { Icon } from './icon.js';

interface Props {
  readonly book: Book;
  /** Whether the series is named below the title: outside of its own screen, which names it once. */
  readonly withSeries?: boolean;
  readonly isLazy?: boolean;
  /** The read list that the card is in. */
  readonly listId?: string | undefined;
  /** Whether it opens the book where it was left, rather than its page. */
  readonly isForReading?: boolean;
}

export const BookCard = ({ book, withSeries = false, isLazy = true, listId, isForReading = false }: Props) => {
  const opensReader = isForReading && isReadable(book);
  const list = listId ?? (opensReader ? listReadWith(book.id) : undefined);
  const share = readShareOf(book);
  const shown = showsNumber(book) ? null : numberOf(book, numberText);
  const number = shown === null ? null : t.book.number(shown);
  const series = withSeries ? book.seriesName : '';
  const isRead = book.readProgress?.completed === true;
  return (
    <a class="card" href={linkTo(opensReader ? 'read' : 'book', book.id, { list })}>
      <span class="cover-box">
        <Cover of={{ kind: 'books', id: book.id, updatedAt: book.updatedAt }} isLazy={isLazy} />
        {share !== null && !isRead && (
          <>
            <progress class="share" max={1} value={share} aria-hidden="true" />
            <span class="visually-hidden">
              {t.book.left(Math.max(1, book.pageCount - (book.readProgress?.currentPage ?? 0)))}
            </span>
          </>
        )}
        {book.analysisError !== null && (
          <span class="badge alert" title={t.book.unreadable}>
            <Icon name="alert" />
            <span class="visually-hidden">{t.book.unreadable}</span>
          </span>
        )}
        {isRead && (
          <span class="badge" title={t.book.isRead}>
            <Icon name="check" />
            <span class="visually-hidden">{t.book.isRead}</span>
          </span>
        )}
      </span>
      <CardTitle title={book.title} series={book.seriesName} />
      {series !== '' && (
        <span class="card-more with-end" dir="auto">
          <span class="cut">{series}</span>
          <span>{number === null ? '' : ` · ${number}`}</span>
        </span>
      )}
      {series === '' && number !== null && <span class="card-more">{number}</span>}
    </a>
  );
};
