// Progress made on another device while the book is open here: offered, never followed automatically.
import { useEffect } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { progressGet } from '../state/api.js';
import type { Reading } from './reading.js';
import { furtherElsewhere, type StoredPlace } from './rules/elsewhere.js';

interface Has {
  readonly reading: Reading;
}

/** How often to ask while the window is visible; it also asks at once when the window becomes visible again. */
const EVERY_MS = 60_000;

export const useElsewhere = (reading: Reading): void => {
  useEffect(() => {
    const control = new AbortController();
    const { book } = reading.opened;
    /** The progress that the server reported last: it is offered only once. */
    let known: StoredPlace | null = book.readProgress ?? null;
    const ask = async (): Promise<void> => {
      if (document.visibilityState === 'hidden') return;
      const told = (await progressGet({ id: book.id }, { signal: control.signal })) as StoredPlace | null;
      const page = furtherElsewhere(told, known, reading.furthest());
      known = told ?? known;
      if (page !== null) reading.elsewhere.value = page;
    };
    const look = (): void => void ask().catch(() => undefined); // there is a next time
    const timer = setInterval(look, EVERY_MS);
    document.addEventListener('visibilitychange', look);
    document.addEventListener('resume', look);
    addEventListener('online', look);
    return () => {
      control.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      document.removeEventListener('resume', look);
      removeEventListener('online', look);
    };
  }, [reading]);
};

export const ElsewhereNote = ({ reading }: Has) => {
  const page = reading.elsewhere.value;
  // A reader who has got there in the meantime need not be told.
  if (page === null || page <= reading.page.value) return null;
  const answer = (isWanted: boolean) => () => {
    reading.elsewhere.value = null;
    if (isWanted) reading.mover.current?.goTo(page);
  };
  return (
    <section class="elsewhere" role="status">
      <p>{r.elsewhere.said(page + 1)}</p>
      <div class="elsewhere-answers">
        <button type="button" class="button strong" onClick={answer(true)}>
          {r.elsewhere.go}
        </button>
        <button type="button" class="button" onClick={answer(false)}>
          {r.elsewhere.stay}
        </button>
      </div>
    </section>
  );
};
