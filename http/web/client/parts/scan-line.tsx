// How far a scan is, at what rate, and how long it will take.

import { numberText, t } from '../messages/messages.js';
import type { Scan, ScanEvent } from '../state/api.js';

type Progress = Scan | ScanEvent;

export const isActive = (scan: Progress | null): scan is Progress =>
  scan !== null && (scan.status === 'pending' || scan.status === 'running');

const restText = ({ booksPerSecond, secondsLeft }: Progress): string =>
  [
    ...(booksPerSecond > 0 ? [t.scan.rate(numberText(Math.round(booksPerSecond)))] : []),
    ...(secondsLeft === null ? [] : [t.scan.left(secondsLeft)]),
  ].join(' · ');

export const ScanLine = ({ scan }: { readonly scan: Progress | null }) => {
  if (!isActive(scan)) return null;
  const { filesTotal, filesProcessed } = scan;
  return (
    <div class="scan" role="status">
      <p>
        {filesTotal === 0 ? t.scan.looking : t.scan.reading(numberText(filesProcessed), numberText(filesTotal))}{' '}
        <span class="dim">{restText(scan)}</span>
      </p>
      <progress
        class="bar"
        {...(filesTotal === 0 ? {} : { max: filesTotal, value: filesProcessed })}
        aria-label={t.scan.title}
      />
    </div>
  );
};
