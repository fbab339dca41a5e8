// The button that opens a book, with the page on which reading would continue.

import { t } from '../messages/messages.js';
import type { Book } from '../state/api.js';
import { isBegun, isRead, isReadable } from '../state/books.js';
import { linkTo } from '../state/router.js';
import { Icon } from './icon.js';
import { ShortTitle } from './short-title.js';

const textOf = (book: Book): string => {
  if (isRead(book)) return t.book.readAgain;
  return isBegun(book) ? t.book.goOn(book.readProgress?.currentPage ?? 1) : t.book.read;
};

interface Props {
  readonly book: Book;
  /** Whether the book is named: on the screen of a list. */
  readonly withTitle?: boolean;
  /** Whether it is on the screen of its series, which has the name of the series once already. */
  readonly isInSeries?: boolean;
  /** The read list in which one reads on. */
  readonly listId?: string | null;
}

export const ReadButton = ({ book, withTitle = false, isInSeries = false, listId = null }: Props) => {
  if (!isReadable(book)) return null;
  return (
    <a class="button primary" href={linkTo('read', book.id, { list: listId })}>
      <Icon name="book" />
      <span>
        {textOf(book)}
        {(withTitle || isInSeries) && (
          <>
            {': '}
            <ShortTitle title={book.title} series={isInSeries ? book.seriesName : ''} />
          </>
        )}
      </span>
    </a>
  );
};
