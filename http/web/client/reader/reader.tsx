// The screen on which a book is read: asks for the book, finds out where to begin, and shows it.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { loadReaderMessages, r } from '../messages/reader-messages.js';
import { DownloadLink } from '../parts/download-link.js';
import { ErrorDetail } from '../parts/error-message.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { useTitle } from '../parts/title.js';
import { isOfPictures } from '../state/books.js';
import { saveListRead } from '../state/lists-read.js';
import { linkTo, query } from '../state/router.js';
import { session } from '../state/session.js';
import { placeInHistory } from './history-anchor.js';
import { takePrefetched } from './next-book.js';
import { type OpenBook, openBook } from './open-book.js';
import { openReading } from './reading.js';
import type { Screen } from './rules/fit.js';
import { openingAnchor } from './rules/kept-place.js';
import { deviceOf } from './rules/profiles.js';
import type { Anchor } from './rules/strip-layout.js';
import { savedPlace } from './saved-place.js';
import { savedPosition } from './saved-positions.js';
import { Stage } from './stage.js';

await loadReaderMessages();

const screenNow = (): Screen => ({ width: innerWidth, height: innerHeight, density: devicePixelRatio });

const deviceNow = () => deviceOf(screen.width, screen.height, matchMedia('(pointer: coarse)').matches);

const userIdNow = (): string => {
  const now = session.peek();
  return now.kind === 'user' ? now.me.id : '';
};

const openingAnchorNow = ({ book, pages }: OpenBook, userId: string): Anchor => {
  const { id, readProgress } = book;
  const pending = savedPosition(userId, id);
  // Progress not yet sent to the server may be newer.
  const isNewer =
    pending !== undefined && pending.atMs >= Date.parse(readProgress?.updatedAt ?? '1970-01-01T00:00:00Z');
  const page = isNewer ? pending.page : readProgress?.currentPage;
  const offset = isNewer ? pending.offset : readProgress?.pageOffset;
  return openingAnchor({
    read: page === undefined ? null : page - 1,
    offset: offset ?? null,
    isCompleted: !isNewer && readProgress?.completed === true,
    wanted: query.peek().get('page'),
    left: placeInHistory(id),
    saved: savedPlace(userId, id),
    pageCount: pages.length,
  });
};

const Opened = ({ opened }: { readonly opened: OpenBook }) => {
  useTitle(opened.book.title);
  const reading = useMemo(() => {
    const userId = userIdNow();
    return openReading(opened, {
      userId,
      listId: query.peek().get('list'),
      anchor: openingAnchorNow(opened, userId),
      screen: screenNow(),
    });
  }, [opened]);
  useEffect(() => reading.close, [reading]);
  useEffect(() => {
    if (!reading.isIncognito.peek()) saveListRead(opened.book.id, reading.listId);
  }, [reading]);
  return <Stage reading={reading} />;
};

const Unreadable = ({ opened: { book }, again }: { readonly opened: OpenBook; readonly again: () => void }) => {
  const isText = !isOfPictures(book);
  return (
    <div class="notice" role="alert">
      <h1>{isText ? r.page.ofText : book.analysisError === null ? r.page.none : t.book.unreadable}</h1>
      {!isText && <ErrorDetail text={book.analysisError} />}
      <div class="buttons">
        {isText ? (
          <DownloadLink book={book} isPrimary />
        ) : (
          <button type="button" class="button" onClick={again}>
            {r.page.again}
          </button>
        )}
        <a class="button" href={linkTo('book', book.id, { list: query.peek().get('list') })}>
          {r.bar.back}
        </a>
      </div>
    </div>
  );
};

export const Reader = ({ id }: { readonly id: string }) => {
  const device = useSignal(deviceNow());
  const opened = useFetched((signal) => takePrefetched(id) ?? openBook(id, device.peek(), signal), [id]);
  return (
    <div class="reader">
      <Loaded of={opened}>
        {(book) =>
          book.pages.length > 0 && isOfPictures(book.book) ? (
            <Opened opened={book} />
          ) : (
            <Unreadable opened={book} again={opened.again} />
          )
        }
      </Loaded>
    </div>
  );
};
