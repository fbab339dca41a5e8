// What comes before the first page and after the last: the neighbouring book, what is missing in between, and the way there. A book that was
// read already is opened by its button alone.

import { languageName } from '../messages/language-name.js';
import { r } from '../messages/reader-messages.js';
import { Cover } from '../parts/cover.js';
import type { Book } from '../state/api.js';
import { language } from '../state/appearance.js';
import { isReadable } from '../state/books.js';
import { go, goBack, linkTo } from '../state/router.js';
import { firstBookOf, storeFirstBook } from './history-anchor.js';
import type { Reading } from './reading.js';
import type { GroupChange } from './rules/group-change.js';
import { type Missing, missingBetween } from './rules/missing-books.js';

type Heading = 1 | -1;

export const neighbourOf = (reading: Reading, heading: Heading): Book | undefined =>
  heading === 1 ? reading.neighbours.value?.next : reading.neighbours.value?.prev;

/** Backwards, one comes to the end of the book before. */
export const openNeighbour = (reading: Reading, heading: Heading): void => {
  const book = neighbourOf(reading, heading);
  if (book === undefined || !isReadable(book)) return;
  const first = firstBookOf(reading.opened.book.id);
  const values = { list: reading.listId, page: heading === -1 ? 'last' : null };
  go(linkTo('read', book.id, values), { replaces: true });
  storeFirstBook(first);
};

/** Turning the page, rather than choosing: opens a book that has not been read yet, and otherwise focuses its button. */
export const followNeighbour = (reading: Reading, heading: Heading): void => {
  const book = neighbourOf(reading, heading);
  if (book !== undefined && isReadable(book) && book.readProgress?.completed !== true) openNeighbour(reading, heading);
  else document.querySelector<HTMLElement>('.end-card .button')?.focus();
};

/** Back to where the book was opened; after reading on from another book, to the page of this one. */
export const leaveBook = (reading: Reading): void => {
  const { id } = reading.opened.book;
  const link = linkTo('book', id, { list: reading.listId });
  if (firstBookOf(id) === id) goBack(link);
  else go(link, { replaces: true });
};

/** Undefined also where something between was passed over. */
const missingTo = (reading: Reading, heading: Heading, book: Book): Missing | undefined => {
  const own = reading.opened.book;
  const beside = reading.neighbours.value?.beside;
  if ((heading === 1 ? beside?.next : beside?.prev)?.id !== book.id) return undefined;
  return heading === 1 ? missingBetween(own, book) : missingBetween(book, own);
};

/** Whether scrolling on opens the next book: one that was not read yet, of which nothing has to be said first. */
export const flowsOn = (reading: Reading): boolean => {
  const book = neighbourOf(reading, 1);
  if (book === undefined || !isReadable(book) || book.readProgress?.completed === true) return false;
  return missingTo(reading, 1, book) === undefined && reading.neighbours.value?.changes.next.length === 0;
};

const MissingNote = ({
  reading,
  heading,
  book,
}: {
  readonly reading: Reading;
  readonly heading: Heading;
  readonly book: Book;
}) => {
  const missing = missingTo(reading, heading, book);
  return missing === undefined ? null : <p class="end-missing">{r.end.missing(missing)}</p>;
};

const textOf = (change: GroupChange): string => {
  if (!('name' in change)) return r.end.units[change.kind];
  const { kind, name } = change;
  return r.end.others[kind](kind === 'language' ? languageName(name, language) : name);
};

/** Shown only where the kind of book changes. */
const GroupNotes = ({ reading, heading }: { readonly reading: Reading; readonly heading: Heading }) => {
  const changes = reading.neighbours.value?.changes[heading === 1 ? 'next' : 'prev'] ?? [];
  return changes.map((change) => (
    <p key={change.kind} class="end-missing">
      {textOf(change)}
    </p>
  ));
};

const Neighbour = ({
  reading,
  heading,
  book,
}: {
  readonly reading: Reading;
  readonly heading: Heading;
  readonly book: Book;
}) => (
  <>
    <div class="end-cover">
      <Cover of={{ kind: 'books', id: book.id, updatedAt: book.updatedAt }} />
    </div>
    <div class="end-text">
      <p class="end-kind">{heading === 1 ? r.end.next : r.end.previous}</p>
      <h2>{book.title}</h2>
      <MissingNote reading={reading} heading={heading} book={book} />
      <GroupNotes reading={reading} heading={heading} />
      {book.readProgress?.completed === true && <p class="end-read">{r.end.isRead}</p>}
      {heading === 1 && reading.layout.value.mode.startsWith('strip') && flowsOn(reading) && (
        <p class="end-on">{r.end.scrollOn}</p>
      )}
      {isReadable(book) ? (
        <button type="button" class="button primary" onClick={() => openNeighbour(reading, heading)}>
          {heading === 1 ? r.end.openNext : r.end.openPrevious}
        </button>
      ) : (
        <a class="button primary" href={linkTo('book', book.id, { list: reading.listId })}>
          {r.end.show}
        </a>
      )}
    </div>
  </>
);

/** There is no further book in the list or series. */
const endText = ({ opened, neighbours }: Reading, heading: Heading): string => {
  if (neighbours.value?.place !== undefined) return heading === 1 ? r.end.lastInList : r.end.firstInList;
  const { seriesName } = opened.book;
  return heading === 1 ? r.end.lastOf(seriesName) : r.end.firstOf(seriesName);
};

const NeighboursFailed = ({ reading: { neighbourRetries } }: { readonly reading: Reading }) => (
  <>
    <p role="alert">{r.end.unknown}</p>
    <button type="button" class="button" onClick={() => (neighbourRetries.value += 1)}>
      {r.page.again}
    </button>
  </>
);

export const EndCard = ({ reading, heading }: { readonly reading: Reading; readonly heading: Heading }) => {
  const { book } = reading.opened;
  const neighbour = neighbourOf(reading, heading);
  const { value: neighbours } = reading.neighbours;
  if (neighbours === null) return null; // adding the neighbour later would shift the layout
  return (
    <section class="end-card" aria-label={heading === 1 ? r.end.after : r.end.before}>
      <p class="end-own">{heading === 1 ? r.end.finished(book.title) : r.end.begins(book.title)}</p>
      {neighbour !== undefined && <Neighbour reading={reading} heading={heading} book={neighbour} />}
      {neighbours.hasFailed === true && <NeighboursFailed reading={reading} />}
      {neighbour === undefined && neighbours.hasFailed !== true && <p>{endText(reading, heading)}</p>}
      <button type="button" class="button" onClick={() => leaveBook(reading)}>
        {r.end.leave}
      </button>
    </section>
  );
};
