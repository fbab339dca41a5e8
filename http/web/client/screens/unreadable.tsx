// Books whose files have problems: which, where they are, why, and the way to try again.
import { useSignal } from '@preact/signals';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import { ErrorMessage, serverTextAttributes } from '../parts/error-message.js';
import { Loaded, useFetched } from '../parts/fetched.js';
import { useTitle } from '../parts/title.js';
import { type Book, type BookErrors, booksErrors, booksRetry, booksRetryAll } from '../state/api.js';
import type { Explanation } from '../state/api-errors.js';
import { linkTo, query } from '../state/router.js';
import { may } from '../state/session.js';
import { useFresh } from '../state/streams.js';
import { showToast } from '../state/toast.js';

const PAGE = 100;

interface Problem {
  readonly book: Book;
  readonly isUnreadable: boolean;
  readonly reasons: readonly { readonly kind: keyof typeof b.problems.kinds; readonly text: string }[];
}

/** By book: the API lists them by kind of error. Those that cannot be read come first. */
const problemsIn = ({ groups }: BookErrors): readonly Problem[] => {
  const found = new Map<string, Problem>();
  for (const { books } of groups)
    for (const { book, errors } of books) {
      const known = found.get(book.id)?.reasons ?? [];
      const reasons = errors.map(({ errorType, message }) => ({ kind: errorType, text: message }));
      found.set(book.id, { book, isUnreadable: book.analysisError !== null, reasons: [...known, ...reasons] });
    }
  return [...found.values()].sort((one, other) => Number(other.isUnreadable) - Number(one.isUnreadable));
};

/** Runs something that starts analyses, and says how many. */
const useRetry = (onDone: () => void) => {
  const error = useSignal<Explanation | null>(null);
  const retry = (work: () => Promise<{ readonly tasksEnqueued: number }>): void => {
    error.value = null;
    work().then(
      ({ tasksEnqueued }) => {
        showToast(b.problems.begun(tasksEnqueued));
        onDone();
      },
      (thrown: unknown) => {
        error.value = explain(thrown);
      },
    );
  };
  return { error, retry };
};

interface RowProps {
  readonly problem: Problem;
  readonly onDone: () => void;
}

const Row = ({ problem: { book, isUnreadable, reasons }, onDone }: RowProps) => {
  const { error, retry } = useRetry(onDone);
  return (
    <li class="library problem">
      <div class="library-link">
        <a class="text-link library-name" href={linkTo('book', book.id)}>
          {book.title}
        </a>
        <span class="dim">
          {[isUnreadable ? b.problems.cannotBeRead : b.problems.canBeRead, book.seriesName, book.libraryName].join(
            ' · ',
          )}
        </span>
        <span class="path">{book.path}</span>
        <ul class="reasons">
          {reasons.map(({ kind, text }) => (
            <li key={`${kind} ${text}`}>
              <span class="dim">{b.problems.kinds[kind]}:</span> <span {...serverTextAttributes}>{text}</span>
            </li>
          ))}
        </ul>
      </div>
      {may('BooksWrite') && (
        <button
          type="button"
          class="button"
          aria-label={b.problems.retryOf(book.title)}
          onClick={() => retry(() => booksRetry({ id: book.id, body: {} }))}
        >
          {b.problems.retry}
        </button>
      )}
      <ErrorMessage of={error.value} />
    </li>
  );
};

export const Unreadable = () => {
  useTitle(b.problems.title);
  const libraryId = query.value.get('library') ?? undefined;
  const pages = useSignal(1);
  const found = useFetched(
    async (signal) => {
      const asked = { pageSize: PAGE, ...(libraryId === undefined ? {} : { libraryId }) };
      const all = await Promise.all(
        Array.from({ length: pages.value }, (_, at) => booksErrors({ ...asked, page: at + 1 }, { signal })),
      );
      return { problems: all.flatMap(problemsIn), isAll: (all.at(-1)?.totalPages ?? 0) <= pages.value };
    },
    [libraryId, pages.value],
    { keepsOld: 'until answered' },
  );
  useFresh(found.again, null);
  const { error, retry } = useRetry(found.again);
  const body = libraryId === undefined ? {} : { libraryId };
  return (
    <Loaded of={found}>
      {({ problems, isAll }) => (
        <>
          <div class="head">
            <h1>{b.problems.title}</h1>
            {may('BooksWrite') && problems.some(({ isUnreadable }) => isUnreadable) && (
              <button type="button" class="button" onClick={() => retry(() => booksRetryAll({ body }))}>
                {b.problems.retryAll}
              </button>
            )}
          </div>
          <ErrorMessage of={error.value} />
          <p class="lead">{problems.length === 0 ? b.problems.none : b.problems.lead}</p>
          <ul class="libraries problems">
            {problems.map((problem) => (
              <Row key={problem.book.id} problem={problem} onDone={found.again} />
            ))}
          </ul>
          {!isAll && (
            <button
              type="button"
              class="button"
              onClick={() => {
                pages.value += 1;
              }}
            >
              {b.problems.more}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
};
