// How far a scan is, at what rate, and how long it will take.

import { numberText, t } from '../messages/messages.js';
import type { Scan, ScanEvent } from '../state/api.js';
import { stageOf } from './scan-stage.js';

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
  const stage = stageOf(scan);
  const isCounted = stage === 'reading' || stage === 'ending';
  const texts = { looking: t.scan.looking, covers: t.scan.covers(numberText(filesTotal)) } as const;
  return (
    <div class="scan" role="status">
      <p>
        {isCounted ? t.scan.reading(numberText(filesProcessed), numberText(filesTotal)) : texts[stage]}
        {stage === 'reading' && <span class="dim"> {restText(scan)}</span>}
      </p>
      <progress
        class="bar"
        {...(isCounted ? { max: filesTotal, value: filesProcessed } : {})}
        aria-label={t.scan.title}
      />
    </div>
  );
};
