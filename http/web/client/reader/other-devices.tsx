// Progress made on another device while the book is open here: offered, never followed automatically.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { progressGet } from '../state/api.js';
import type { Reading } from './reading.js';
import { furtherOnOtherDevice, progressIn, type StoredProgress, TURNS_MAX } from './rules/other-devices.js';

interface Props {
  readonly reading: Reading;
}

/** How often to ask while the window is visible; it also asks at once when the window becomes visible again. */
const EVERY_MS = 60_000;

export const useOtherDevices = (reading: Reading): void => {
  useEffect(() => {
    const control = new AbortController();
    const { book } = reading.opened;
    /** The progress that the server reported last: it is offered only once. */
    let known: StoredProgress | null = book.readProgress ?? null;
    const ask = async (): Promise<void> => {
      if (document.visibilityState === 'hidden') return;
      const told = progressIn(await progressGet({ id: book.id }, { signal: control.signal }));
      const page = furtherOnOtherDevice(told, known, reading.furthest());
      known = told ?? known;
      if (page !== null) reading.otherDevicePage.value = page;
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

/** Dismisses the offer once the reader has turned enough pages. */
const useDismissal = (reading: Reading): void => {
  const seen = useRef({ page: -1, turns: 0 });
  useSignalEffect(() => {
    const page = reading.page.value;
    const isOffered = reading.otherDevicePage.value !== null;
    const { page: before, turns } = seen.current;
    seen.current = { page, turns: isOffered && page !== before ? turns + 1 : isOffered ? turns : 0 };
    if (seen.current.turns >= TURNS_MAX) reading.otherDevicePage.value = null;
  });
};

export const OtherDeviceNotice = ({ reading }: Props) => {
  useDismissal(reading);
  const page = reading.otherDevicePage.value;
  // A reader who has got there in the meantime need not be told.
  if (page === null || page <= reading.page.value) return null;
  const answer = (isWanted: boolean) => () => {
    reading.otherDevicePage.value = null;
    if (isWanted) reading.view.current?.goTo(page);
  };
  return (
    <section class="other-device" role="status">
      <p>{r.otherDevice.said(page + 1)}</p>
      <div class="other-device-buttons">
        <button type="button" class="button primary" onClick={answer(true)}>
          {r.otherDevice.go}
        </button>
        <button type="button" class="button" onClick={answer(false)}>
          {r.otherDevice.stay}
        </button>
      </div>
    </section>
  );
};
