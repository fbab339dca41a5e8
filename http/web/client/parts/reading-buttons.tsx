// Actions on a book or series that do not open it: mark as read or unread, add to want-to-read.

import { useSignal } from '@preact/signals';
import { explain } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import {
  booksRead,
  booksUnread,
  seriesRead,
  seriesUnread,
  wantedAdd,
  wantedBooksRemove,
  wantedSeriesRemove,
} from '../state/api.js';
import type { Explanation } from '../state/api-errors.js';
import { ErrorMessage } from './error-message.js';
import { Icon } from './icon.js';

interface Props {
  readonly of: 'book' | 'series';
  readonly id: string;
  readonly isRead: boolean;
  readonly canBeRead?: boolean;
  readonly isBegun: boolean;
  readonly isWanted: boolean;
  readonly onDone: () => void;
}

const WORK = {
  book: {
    read: (id: string) => booksRead({ id }),
    unread: (id: string) => booksUnread({ id }),
    want: (id: string) => wantedAdd({ body: { bookId: id } }),
    drop: (id: string) => wantedBooksRemove({ id }),
  },
  series: {
    read: (id: string) => seriesRead({ id }),
    unread: (id: string) => seriesUnread({ id }),
    want: (id: string) => wantedAdd({ body: { seriesId: id } }),
    drop: (id: string) => wantedSeriesRemove({ id }),
  },
} as const;

export const ReadingButtons = ({ of, id, isRead, canBeRead = true, isBegun, isWanted, onDone }: Props) => {
  const isBusy = useSignal(false);
  const error = useSignal<Explanation | null>(null);
  const run = (work: (id: string) => Promise<unknown>): void => {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = null;
    work(id)
      .then(onDone)
      .catch((thrown: unknown) => {
        error.value = explain(thrown);
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  const { read, unread, want, drop } = WORK[of];
  return (
    <>
      {!isRead && canBeRead && (
        <button type="button" class="button" onClick={() => run(read)}>
          <Icon name="check" />
          {t.book.markRead}
        </button>
      )}
      {(isRead || isBegun) && (
        <button type="button" class="button" onClick={() => run(unread)}>
          <Icon name="undo" />
          {t.book.markUnread}
        </button>
      )}
      <button type="button" class="button" aria-pressed={isWanted} onClick={() => run(isWanted ? drop : want)}>
        <Icon name="mark" filled={isWanted} />
        {t.home.wanted}
      </button>
      <ErrorMessage of={error.value} />
    </>
  );
};
