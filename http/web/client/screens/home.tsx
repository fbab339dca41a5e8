// The start page: what to go on with, what comes next, what is new.

import { t } from '../messages/messages.js';
import { BookCard } from '../parts/book-card.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Icon } from '../parts/icon.js';
import { NewBooksCard } from '../parts/new-books-card.js';
import { SeriesCard } from '../parts/series-card.js';
import { Shelf } from '../parts/shelf.js';
import { useTitle } from '../parts/title.js';
import type { Addition } from '../state/added.js';
import type { Book, Series } from '../state/api.js';
import { inProgress, isBook, onDeck, recentlyAdded, wanted } from '../state/lists.js';
import { linkTo } from '../state/router.js';
import { mayAdminister, session } from '../state/session.js';
import { useFresh } from '../state/streams.js';

interface BookShelfProps {
  readonly title: string;
  readonly books: readonly Book[];
}

/** These covers are loaded at once: waiting for the layout would only delay what is seen first. */
const EAGER = 8;

const BookShelf = ({ title, books }: BookShelfProps) => (
  <Shelf title={title} count={books.length}>
    {books.map((book, place) => (
      <li key={book.id}>
        <BookCard book={book} withSeries isLazy={place >= EAGER} />
      </li>
    ))}
  </Shelf>
);

const AddedShelf = ({ additions }: { readonly additions: readonly Addition<Book>[] }) => (
  <Shelf title={t.home.added} count={additions.length}>
    {additions.map(({ books, isCut }, place) => {
      const [newest] = books;
      const isLazy = place >= EAGER;
      if (newest === undefined) return null;
      return (
        <li key={newest.id}>
          {books.length === 1 ? (
            <BookCard book={newest} withSeries isLazy={isLazy} />
          ) : (
            <NewBooksCard newest={newest} count={books.length} isCut={isCut} isLazy={isLazy} />
          )}
        </li>
      );
    })}
  </Shelf>
);

const WantedShelf = ({ items }: { readonly items: readonly (Book | Series)[] }) => (
  <Shelf title={t.home.wanted} count={items.length} href={linkTo('wanted')}>
    {items.map((item) => (
      <li key={item.id}>{isBook(item) ? <BookCard book={item} withSeries /> : <SeriesCard series={item} />}</li>
    ))}
  </Shelf>
);

const Empty = () => {
  const isAdministrator = session.value.kind === 'user' && mayAdminister(session.value.me);
  return (
    <div class="notice">
      <h2>{t.home.empty}</h2>
      <p>{isAdministrator ? t.home.emptyText : t.home.emptyReader}</p>
      {isAdministrator && (
        <a class="button primary" href={linkTo('newLibrary')}>
          <Icon name="plus" />
          {t.home.addLibrary}
        </a>
      )}
    </div>
  );
};

export const Home = () => {
  useTitle(undefined);
  const shelves = useFetched(async (signal) => {
    const [reading, next, added, wantToRead] = await Promise.all([
      inProgress({ signal }),
      onDeck({ signal }),
      recentlyAdded({ signal }),
      wanted({ signal }),
    ]);
    return { reading, next, added, wantToRead };
  }, []);
  useFresh(shelves.again, null);
  return (
    <>
      <h1 class="visually-hidden">{t.home.title}</h1>
      <Loaded of={shelves}>
        {({ reading, next, added, wantToRead }) =>
          added.length === 0 ? (
            <Empty />
          ) : (
            <>
              <BookShelf title={t.home.continue} books={reading} />
              <BookShelf title={t.home.onDeck} books={next} />
              <AddedShelf additions={added} />
              <WantedShelf items={wantToRead} />
            </>
          )
        }
      </Loaded>
    </>
  );
};
