// One book: what it is, and the way into it.

import { t } from '../messages/messages.js';
import { Cover } from '../parts/cover.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { bookOf } from '../state/lists.js';
import { linkTo } from '../state/router.js';

export const BookScreen = ({ id }: { readonly id: string }) => {
  const book = useFetched((signal) => bookOf(id, { signal }), [id]);
  return (
    <Loaded of={book}>
      {(shown) => (
        <article class="detail">
          <Cover of={{ kind: 'books', id, updatedAt: shown.updatedAt }} isLazy={false} />
          <div>
            <h1>{shown.title}</h1>
            <a class="button strong" href={linkTo('read', id)}>
              {t.book.read}
            </a>
          </div>
        </article>
      )}
    </Loaded>
  );
};
