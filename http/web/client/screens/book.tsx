// One book: what it is, the way into it, and its neighbours.

import { b } from '../messages/browse-messages.js';
import { languageName } from '../messages/language-name.js';
import { bytesText, dateText, numberText, percentText, t } from '../messages/messages.js';
import { AddButton } from '../parts/add-button.js';
import { Cover } from '../parts/cover.js';
import { DownloadLink } from '../parts/download-link.js';
import { EditButtons } from '../parts/edit-buttons.js';
import { ErrorDetail } from '../parts/error-message.js';
import { Facts, linksFact, namesFact, peopleFacts } from '../parts/facts.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { Icon } from '../parts/icon.js';
import { ReadButton } from '../parts/read-button.js';
import { ReadingButtons } from '../parts/reading-buttons.js';
import { useTitle } from '../parts/title.js';
import type { Book, BookDetail } from '../state/api.js';
import { language } from '../state/appearance.js';
import { hasLastPage, isBegun, isOfPictures, isRead, numberOf, readShareOf } from '../state/books.js';
import { bookOf, neighboursOf } from '../state/lists.js';
import { type InList, placeIn } from '../state/named-lists.js';
import { linkTo, query } from '../state/router.js';
import { useFresh } from '../state/streams.js';

interface NeighbourProps {
  readonly book: Book | null | undefined;
  readonly word: string;
  readonly rel: 'prev' | 'next';
  readonly listId: string | null;
}

const Neighbour = ({ book, word, rel, listId }: NeighbourProps) =>
  book === undefined || book === null ? null : (
    <a class={`neighbour ${rel}`} rel={rel} href={linkTo('book', book.id, { list: listId })}>
      <Icon name="back" />
      <span>
        <span class="dim">{word}</span>
        <span>{book.title}</span>
      </span>
    </a>
  );

const Problem = ({ book }: { readonly book: Book }) => {
  if (book.deleted) return <p class="error">{t.book.missing}</p>;
  if (book.analysisError !== null)
    return (
      <div class="error">
        <p>{t.book.unreadable}</p>
        <ErrorDetail text={book.analysisError} />
      </div>
    );
  return isOfPictures(book) ? null : <p class="dim">{t.book.epub}</p>;
};

/** What its analysis found; the sentence for a book that cannot be read is above already. */
const Remarks = ({ detail }: { readonly detail: BookDetail }) => {
  const remarks = detail.remarks.filter(({ message }) => message !== detail.analysisError);
  return remarks.length === 0 ? null : (
    <details class="remarks">
      <summary>{t.book.remarks(remarks.length)}</summary>
      <ul>
        {remarks.map(({ errorType, message }) => (
          <li key={`${errorType} ${message}`}>
            <ErrorDetail text={message} />
          </li>
        ))}
      </ul>
    </details>
  );
};

const progressText = (book: Book): string | null => {
  const share = readShareOf(book);
  if (share === null) return null;
  return isRead(book) ? t.book.isRead : percentText(share);
};

interface DetailsProps {
  readonly detail: BookDetail;
  readonly inList: InList | null;
  readonly onDone: () => void;
}

const Details = ({ detail, inList, onDone }: DetailsProps) => {
  const { metadata } = detail;
  const number = numberOf(detail, numberText);
  return (
    <article class="detail">
      <Cover of={{ kind: 'books', id: detail.id, updatedAt: detail.updatedAt }} isLazy={false} />
      <div class="detail-text">
        <hgroup>
          <p class="eyebrow">
            <a class="text-link" href={linkTo('series', detail.seriesId)}>
              {detail.seriesName}
            </a>
          </p>
          {inList !== null && (
            <p class="eyebrow">
              <a class="text-link" href={linkTo('readList', inList.list.id)}>
                {inList.list.name}
              </a>
              {` · ${b.list.place(inList.place.position, inList.place.total)}`}
            </p>
          )}
          <h1 dir="auto">{detail.title}</h1>
          {metadata?.title && metadata.title !== detail.title && <p dir="auto">{metadata.title}</p>}
          <p class="dim">
            {[
              number === null ? null : t.book.number(number),
              metadata?.publisher,
              metadata?.year === null || metadata === null ? null : String(metadata.year),
              detail.pageCount > 0 ? t.book.pages(detail.pageCount) : null,
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </hgroup>
        <Problem book={detail} />
        <Remarks detail={detail} />
        <div class="buttons">
          <ReadButton book={detail} listId={inList?.list.id ?? null} />
          {!isOfPictures(detail) && <DownloadLink book={detail} isPrimary />}
          <div class="more-buttons">
            <ReadingButtons
              of="book"
              id={detail.id}
              isRead={isRead(detail)}
              canBeRead={hasLastPage(detail)}
              isBegun={isBegun(detail)}
              isWanted={detail.wantToRead}
              onDone={onDone}
            />
            {isOfPictures(detail) && <DownloadLink book={detail} />}
            <AddButton kind="readList" id={detail.id} />
            <EditButtons of="books" id={detail.id} pageCount={detail.pageCount} onDone={onDone} />
          </div>
        </div>
        {detail.summary !== null && <p class="summary">{detail.summary}</p>}
        <Facts
          facts={[
            ...peopleFacts(metadata?.authors ?? []),
            namesFact(t.book.storyArcs, metadata?.storyArcs ?? []),
            namesFact(t.book.characters, metadata?.characters ?? []),
            namesFact(t.book.teams, metadata?.teams ?? []),
            namesFact(t.book.locations, metadata?.locations ?? []),
            [t.book.ageRating, typeof metadata?.ageRating === 'number' ? t.book.ages(metadata.ageRating) : null],
            [t.book.language, metadata?.languageIso ? languageName(metadata.languageIso, language) : null],
            linksFact(t.book.links, metadata?.links ?? []),
            [t.book.progress, progressText(detail)],
            [t.book.file, `${detail.fileFormat.toUpperCase()}, ${bytesText(detail.fileSize)}`],
            [t.book.added, dateText(detail.createdAt)],
            [
              t.app.library,
              <a key="library" class="text-link" href={linkTo('library', detail.libraryId)}>
                {detail.libraryName}
              </a>,
            ],
          ]}
        />
      </div>
    </article>
  );
};

export const BookScreen = ({ id }: { readonly id: string }) => {
  const listId = query.value.get('list');
  const all = useFetched(
    async (signal) => {
      const [detail, inList] = await Promise.all([bookOf(id, { signal }), placeIn(listId, id, { signal })]);
      return { detail, inList, neighbours: inList?.place ?? (await neighboursOf(id, { signal })) };
    },
    [id, listId],
  );
  const { value } = all.state;
  const { seriesId = '', libraryId = '' } = value.kind === 'done' ? value.value.detail : {};
  useFresh(all.again, new Set([id, seriesId, libraryId]));
  useTitle(value.kind === 'done' ? value.value.detail.title : undefined);
  return (
    <Loaded of={all}>
      {({ detail, inList, neighbours: { prev, next } }) => {
        const inThis = inList?.list.id ?? null;
        return (
          <>
            <Details detail={detail} inList={inList} onDone={all.again} />
            <nav
              class="neighbours"
              aria-label={inList === null ? t.book.neighbours : b.list.neighbours(inList.list.name)}
            >
              <Neighbour book={prev} word={t.book.previous} rel="prev" listId={inThis} />
              <Neighbour book={next} word={t.book.next} rel="next" listId={inThis} />
            </nav>
          </>
        );
      }}
    </Loaded>
  );
};
