// The start page: what to go on with, what comes next, what is new.

import { t } from '../messages/messages.js';
import { BookCard } from '../parts/book-card.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Shelf } from '../parts/shelf.js';
import { useTitle } from '../parts/title.js';
import type { Book } from '../state/api.js';
import { inProgress, onDeck, recentlyAdded } from '../state/lists.js';

const BookShelf = ({ title, books }: { readonly title: string; readonly books: readonly Book[] }) => (
  <Shelf title={title} count={books.length}>
    {books.map((book) => (
      <li key={book.id}>
        <BookCard book={book} withSeries />
      </li>
    ))}
  </Shelf>
);

const Empty = () => (
  <div class="notice">
    <h2>{t.home.empty}</h2>
    <p>{t.home.emptyReader}</p>
  </div>
);

export const Home = () => {
  useTitle(undefined);
  const shelves = useFetched(async (signal) => {
    const [reading, next, added] = await Promise.all(
      [inProgress, onDeck, recentlyAdded].map((list) => list({ signal })),
    );
    return { reading: reading ?? [], next: next ?? [], added: added ?? [] };
  }, []);
  return (
    <>
      <h1 class="unseen">{t.home.title}</h1>
      <Loaded of={shelves}>
        {({ reading, next, added }) =>
          added.length === 0 ? (
            <Empty />
          ) : (
            <>
              <BookShelf title={t.home.continue} books={reading} />
              <BookShelf title={t.home.onDeck} books={next} />
              <BookShelf title={t.home.added} books={added} />
            </>
          )
        }
      </Loaded>
    </>
  );
};
