// Progress made on another device while the book is open here: offered, never followed automatically.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { r } from '../messages/reader-messages.js';
import { progressGet } from '../state/api.js';
import { useStream } from '../state/streams.js';
import type { Reading } from './reading.js';
import { furtherOnOtherDevice, isFurther, progressIn, TURNS_MAX } from './rules/other-devices.js';

interface Props {
  readonly reading: Reading;
}

/** The server tells what is read elsewhere; it is asked only where something may have been missed. */
export const useOtherDevices = (reading: Reading): void => {
  const { book } = reading.opened;
  /** The progress that the server reported last: it is offered only once. */
  const known = useRef(progressIn(book.readProgress));
  const control = useRef(new AbortController());
  useEffect(() => () => control.current.abort(), []);
  const take = (answer: unknown): void => {
    const told = progressIn(answer);
    const place = furtherOnOtherDevice(told, known.current, reading.furthest());
    known.current = told ?? known.current;
    if (place !== null) reading.otherDevicePlace.value = place;
  };
  useStream('changes', (change) => {
    if (change?.type === 'read_progress_changed' && change.bookId !== null) {
      if (change.bookId === book.id) take(change);
    } else if (change === null || change.type === 'read_progress_changed' || change.type === 'resync') {
      const asked = progressGet({ id: book.id }, { signal: control.current.signal });
      void asked.then(take).catch(() => undefined); // there is a next time
    }
  });
};

/** Dismisses the offer once the reader has turned enough pages. */
const useDismissal = (reading: Reading): void => {
  const seen = useRef({ page: -1, turns: 0 });
  useSignalEffect(() => {
    const page = reading.page.value;
    const isOffered = reading.otherDevicePlace.value !== null;
    const { page: before, turns } = seen.current;
    seen.current = { page, turns: isOffered && page !== before ? turns + 1 : isOffered ? turns : 0 };
    if (seen.current.turns >= TURNS_MAX) reading.otherDevicePlace.value = null;
  });
};

export const OtherDeviceNotice = ({ reading }: Props) => {
  useDismissal(reading);
  const place = reading.otherDevicePlace.value;
  const [at] = [reading.page.value, reading.anchor.value];
  // A reader who has got there in the meantime need not be told.
  if (place === null || !isFurther(place, reading.furthest())) return null;
  const answer = (isWanted: boolean) => () => {
    reading.otherDevicePlace.value = null;
    if (isWanted) reading.view.current?.goTo(place.page, place.share);
  };
  return (
    <section class="other-device" role="status">
      <p>{place.page === at ? r.otherDevice.furtherInPage : r.otherDevice.furthestPage(place.page + 1)}</p>
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
