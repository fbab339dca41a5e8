// Where one is in a read list: how much of it is read, and the way on.

import { b } from '../messages/browse-messages.js';
import { readlistsPlace } from '../state/api.js';
import { isReadable } from '../state/books.js';
import type { NamedList } from '../state/named-lists.js';
import { linkTo } from '../state/router.js';
import { useFresh } from '../state/streams.js';
import { useFetched } from './fetched.js';
import { Icon } from './icon.js';
import { ReadButton } from './read-button.js';

/** Shows nothing until it is known, and nothing if it cannot be. */
export const ListPlace = ({ list, revision }: { readonly list: NamedList; readonly revision: number }) => {
  const found = useFetched((signal) => readlistsPlace({ id: list.id }, { signal }), [list.id, list.count, revision], {
    keepsOld: 'even on errors',
  });
  useFresh(found.again, null);
  const { value } = found.state;
  if (value.kind !== 'done' || value.value.book === undefined) return null;
  const { book, position, total, read } = value.value;
  return (
    <>
      {isReadable(book) ? (
        <ReadButton book={book} withTitle listId={list.id} />
      ) : (
        <a class="button primary" href={linkTo('book', book.id, { list: list.id })}>
          <Icon name="book" />
          {book.title}
        </a>
      )}
      <p class="list-place dim">
        {b.list.place(position, total)} · {b.list.read(read)}
      </p>
    </>
  );
};
