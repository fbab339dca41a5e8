// The start page: what to go on with, what comes next, what is new.

import { t } from '../messages/messages.js';
import { BookCard } from '../parts/book-card.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Icon } from '../parts/icon.js';
import { NewBooksCard } from '../parts/new-books-card.js';
import { OneByOne } from '../parts/one-by-one.js';
import { SeriesCard } from '../parts/series-card.js';
import { Shelf } from '../parts/shelf.js';
import { useTitle } from '../parts/title.js';
import type { Addition } from '../state/added.js';
import type { Book } from '../state/api.js';
import { isReadable } from '../state/books.js';
import { type HomeShelves, homeShelves, takeReady } from '../state/home-shelves.js';
import { isBook, moreRecentlyAdded, type RecentlyAdded, wanted } from '../state/lists.js';
import { fetchListsRead } from '../state/lists-read.js';
import { linkTo } from '../state/router.js';
import { mayAdminister, session } from '../state/session.js';
import { useFresh } from '../state/streams.js';

interface BookShelfProps {
  readonly title: string;
  readonly books: readonly Book[];
  readonly isForReading?: boolean;
}

/** These covers are loaded at once: waiting for the layout would only delay what is seen first. */
const EAGER = 8;

const BookShelf = ({ title, books, isForReading = false }: BookShelfProps) => (
  <Shelf title={title} count={books.length}>
    {books.map((book, place) => (
      <li key={book.id}>
        <BookCard book={book} withSeries isLazy={place >= EAGER} isForReading={isForReading} />
      </li>
    ))}
  </Shelf>
);

/** Each opens where it was left, and in the read list from which it was opened last, on whichever device that was. */
const ContinueShelf = ({ books }: { readonly books: readonly Book[] }) => {
  useFetched((signal) => fetchListsRead({ signal }), [books]);
  return <BookShelf title={t.home.continue} books={books} isForReading />;
};

const AdditionCard = ({ addition, isLazy }: { readonly addition: Addition<Book>; readonly isLazy: boolean }) => {
  const { books, isCut } = addition;
  const [newest] = books;
  if (newest === undefined) return null;
  if (books.length === 1) return <BookCard book={newest} withSeries isLazy={isLazy} />;
  return <NewBooksCard shown={books.find(isReadable) ?? newest} count={books.length} isCut={isCut} isLazy={isLazy} />;
};

/** Time to draw the covers that are already there. */
const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 400));

/** After whole series were added, the first books make only a few cards: those are shown at once, and more follow. */
const AddedShelf = ({ added }: { readonly added: RecentlyAdded }) => {
  const load = async (signal: AbortSignal): Promise<RecentlyAdded['additions'] | null> => {
    if (!added.isShort) return null;
    await pause();
    return moreRecentlyAdded({ signal });
  };
  const more = useFetched(load, [added], { keepsOld: 'even on errors' });
  const { value } = more.state;
  const additions = (value.kind === 'done' ? value.value : null) ?? added.additions;
  return (
    <Shelf title={t.home.added} count={additions.length}>
      {additions.map((addition, place) => (
        <li key={addition.books[0]?.id}>
          <AdditionCard addition={addition} isLazy={place >= EAGER} />
        </li>
      ))}
    </Shelf>
  );
};

/** The last shelf, and the only one that takes a request for each card: the others do not wait for it. */
const WantedShelf = ({ with: shelves }: { readonly with: HomeShelves }) => {
  const { value } = useFetched((signal) => wanted({ signal }), [shelves], { keepsOld: 'even on errors' }).state;
  const items = value.kind === 'done' ? value.value : [];
  return (
    <Shelf title={t.home.wanted} count={items.length} href={linkTo('wanted')}>
      {items.map((item) => (
        <li key={item.id}>{isBook(item) ? <BookCard book={item} withSeries /> : <SeriesCard series={item} />}</li>
      ))}
    </Shelf>
  );
};

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
  const shelves = useFetched((signal) => homeShelves({ signal }), [], { ready: takeReady });
  useFresh(shelves.again, null);
  return (
    <>
      <h1 class="visually-hidden">{t.home.title}</h1>
      <Loaded of={shelves}>
        {(all) => {
          const { reading, next, added } = all;
          return added.additions.length === 0 ? (
            <Empty />
          ) : (
            <OneByOne>
              {reading.length > 0 && <ContinueShelf books={reading} />}
              {next.length > 0 && <BookShelf title={t.home.onDeck} books={next} />}
              <AddedShelf added={added} />
              <WantedShelf with={all} />
            </OneByOne>
          );
        }}
      </Loaded>
    </>
  );
};
