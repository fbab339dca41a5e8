// Chooses the cover of a series or book: that from its files, one that was uploaded, a page of the book, or the cover of one of its books.

import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import type { Book } from '../state/api.js';
import { type Explanation, statusOf } from '../state/api-errors.js';
import { COVERS, type UploadedCover, uploadedImage } from '../state/covers.js';
import type { Editable } from '../state/editing.js';
import { Cover } from './cover.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './error-message.js';
import { Loaded, useFetched } from './fetched.js';
import { Icon } from './icon.js';
import { NumberForm } from './number-form.js';
import { pageTyped } from './page-typed.js';

interface Props {
  readonly of: Editable;
  readonly id: string;
  /** Of a series: the books whose covers it may have. */
  readonly books?: readonly Book[];
  /** Of a book: how many pages there are to choose from. */
  readonly pageCount?: number;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const SHOWN_MAX = 60;
const TYPES = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

type Run = (work: () => Promise<unknown>) => void;

interface UploadsProps {
  readonly of: Editable;
  readonly id: string;
  readonly covers: readonly UploadedCover[];
  readonly isDefault: boolean;
  readonly run: Run;
}

/** Marks the current cover. */
const Mark = () => (
  <span class="badge">
    <Icon name="check" />
  </span>
);

const Uploads = ({ of, id, covers, isDefault, run }: UploadsProps) => {
  const api = COVERS[of];
  return (
    <ul class="cover-choices" aria-label={b.covers.mine}>
      <li>
        <button
          type="button"
          class="button cover-text"
          aria-pressed={isDefault}
          onClick={() => run(() => api.reset(id))}
        >
          {isDefault && <Mark />}
          {b.covers.fromFiles}
        </button>
      </li>
      {covers.map((one, place) => (
        <li key={one.id}>
          <button
            type="button"
            class="cover-choice"
            aria-pressed={one.isSelected}
            aria-label={b.covers.choose(place + 1)}
            onClick={() => run(() => api.select(id, one.id))}
          >
            {one.isSelected && <Mark />}
            <img src={uploadedImage(of, id, one.id)} alt="" width={one.width} height={one.height} />
          </button>
          <button
            type="button"
            class="button round"
            aria-label={b.covers.remove(place + 1)}
            onClick={() => run(() => api.remove(id, one.id))}
          >
            <Icon name="trash" />
          </button>
        </li>
      ))}
    </ul>
  );
};

interface OfBooksProps {
  readonly id: string;
  readonly books: readonly Book[];
  /** The current cover; that of a book is `book:` followed by its id. */
  readonly source: string;
  readonly run: Run;
}

const OfBooks = ({ id, books, source, run }: OfBooksProps) => (
  <section class="form" aria-labelledby="of-books">
    <h3 id="of-books">{b.covers.ofBooks}</h3>
    <ul class="cover-choices">
      {books.slice(0, SHOWN_MAX).map((book) => (
        <li key={book.id}>
          <button
            type="button"
            class="cover-choice"
            aria-label={book.title}
            aria-pressed={source === `book:${book.id}`}
            onClick={() => run(() => COVERS.series.source(id, `book:${book.id}`))}
          >
            {source === `book:${book.id}` && <Mark />}
            <Cover of={{ kind: 'books', id: book.id, updatedAt: book.updatedAt }} />
          </button>
        </li>
      ))}
    </ul>
  </section>
);

const OfPage = ({ id, pageCount, run }: { readonly id: string; readonly pageCount: number; readonly run: Run }) => (
  <NumberForm
    class="type-path"
    label={b.covers.page(pageCount)}
    action={b.covers.take}
    initial="1"
    parse={(text) => pageTyped(text, pageCount)}
    onNumber={(page) => run(() => COVERS.books.source(id, `page:${page + 1}`))}
  />
);

export const CoverDialog = ({ of, id, books = [], pageCount = 0, onDone, onClose }: Props) => {
  const covers = useFetched((signal) => COVERS[of].list(id, { signal }), [of, id]);
  const isBusy = useSignal(false);
  const error = useSignal<Explanation | null>(null);
  const run: Run = (work) => {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = null;
    work()
      .then(() => {
        covers.again();
        onDone();
      })
      .catch((thrown: unknown) => {
        error.value = explain(thrown, statusOf(thrown) === 400 ? { text: b.covers.refused } : {});
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  const { value: fetched } = covers.state;
  const source = fetched.kind === 'done' ? fetched.value.source : '';
  return (
    <Dialog title={b.covers.title} onClose={onClose} isWide>
      <Loaded of={covers}>
        {(found) => <Uploads of={of} id={id} covers={found.covers} isDefault={found.source === 'default'} run={run} />}
      </Loaded>
      <div class="field">
        <label for="cover-file">{b.covers.upload}</label>
        <input
          id="cover-file"
          type="file"
          accept={TYPES}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file !== undefined) run(() => COVERS[of].upload(id, file));
          }}
        />
      </div>
      <ErrorMessage of={error.value} />
      {of === 'series' && books.length > 0 && <OfBooks id={id} books={books} source={source} run={run} />}
      {of === 'books' && pageCount > 0 && <OfPage id={id} pageCount={pageCount} run={run} />}
      <div>
        <button type="button" class="button primary" onClick={onClose}>
          {b.dialog.done}
        </button>
      </div>
    </Dialog>
  );
};
