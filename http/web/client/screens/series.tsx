// One series: what it is, where to go on, and its books.

import { b } from '../messages/browse-messages.js';
import { t } from '../messages/messages.js';
import { AddButton } from '../parts/add-button.js';
import { Cover } from '../parts/cover.js';
import { EditButtons } from '../parts/edit-buttons.js';
import { Chips, Facts, peopleFacts } from '../parts/facts.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { ReadButton } from '../parts/read-button.js';
import { ReadingButtons } from '../parts/reading-buttons.js';
import { SeriesBooks } from '../parts/series-books.js';
import { useTitle } from '../parts/title.js';
import type { Book, FullSeries } from '../state/api.js';
import { hasLastPage, isBegun, isRead, nextToRead } from '../state/books.js';
import { booksOf, seriesOf } from '../state/lists.js';
import { linkTo } from '../state/router.js';
import { useFresh } from '../state/streams.js';

interface HeadProps {
  readonly series: FullSeries;
  readonly books: readonly Book[];
  readonly onDone: () => void;
}

const Head = ({ series, books, onDone }: HeadProps) => {
  const { id, metadata } = series;
  const { title, publisher, year, status, summary, authors, imprint } = metadata;
  const next = nextToRead(books);
  const unreadable = books.filter(({ deleted, analysisError }) => !deleted && analysisError !== null);
  // Nobody can read those: they are no reading that is left.
  const unread = series.unreadCount - unreadable.filter((book) => !isRead(book)).length;
  return (
    <article class="detail">
      <Cover of={{ kind: 'series', id, updatedAt: series.updatedAt }} isLazy={false} />
      <div class="detail-text">
        <hgroup>
          <p class="eyebrow">
            <a class="text-link" href={linkTo('library', series.libraryId)}>
              {series.libraryName}
            </a>
          </p>
          <h1 dir="auto">{title}</h1>
          <p class="dim">
            {[publisher, year === null ? null : String(year), t.series.books(series.bookCount)]
              .filter(Boolean)
              .join(' · ')}
            {unread > 0 && ` · ${t.series.unread(unread)}`}
            {unreadable.length > 0 && ` · ${b.problems.among(unreadable.length)}`}
          </p>
        </hgroup>
        <div class="buttons">
          {next !== null && <ReadButton book={next} isInSeries />}
          <div class="more-buttons">
            <ReadingButtons
              of="series"
              id={id}
              isRead={unread === 0 && books.some(isRead)}
              canBeRead={books.length < series.bookCount || books.some(hasLastPage)}
              isBegun={books.some(isBegun)}
              isWanted={series.wantToRead}
              onDone={onDone}
            />
            <AddButton kind="collection" id={id} />
            <EditButtons of="series" id={id} books={books} onDone={onDone} />
          </div>
        </div>
        {summary !== null && <p class="summary">{summary}</p>}
        <Chips kind="genre" terms={series.genres} />
        <Chips kind="tag" terms={series.tags} />
        <Facts
          facts={[
            ...peopleFacts(authors ?? []),
            [t.series.imprint, imprint],
            [t.series.state, status === null ? null : t.series.states[status]],
          ]}
        />
      </div>
    </article>
  );
};

export const SeriesScreen = ({ id }: { readonly id: string }) => {
  const both = useFetched(
    async (signal) => {
      const [series, books] = await Promise.all([seriesOf(id, { signal }), booksOf(id, { signal })]);
      return { series, books };
    },
    [id],
  );
  const { value } = both.state;
  const { series, books = [] } = value.kind === 'done' ? value.value : {};
  useFresh(both.again, new Set([id, series?.libraryId ?? '', ...books.map((book) => book.id)]));
  useTitle(value.kind === 'done' ? value.value.series.metadata.title : undefined);
  return (
    <Loaded of={both}>
      {({ series, books }) => (
        <>
          <Head series={series} books={books} onDone={both.again} />
          <SeriesBooks books={books} onChange={both.again} />
        </>
      )}
    </Loaded>
  );
};
