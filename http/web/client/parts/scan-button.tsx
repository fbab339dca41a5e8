// Starts or stops the scan of a library, and says how it ended.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { b } from '../messages/browse-messages.js';
import { explain } from '../messages/explain.js';
import { clockText, t } from '../messages/messages.js';
import { type Library, librariesScan, librariesScanCancel, type ScanEvent } from '../state/api.js';
import { type Explanation, statusOf } from '../state/api-errors.js';
import { ErrorMessage } from './error-message.js';
import { isActive } from './scan-line.js';

interface Props {
  readonly library: Library;
  readonly scan: ScanEvent | null;
}

/** Most scans of an unchanged library end sooner: a button that appears for a moment cannot be used. */
const STOP_AFTER_MS = 700;

/** Whether something has been so for a while. */
const useLasting = (isSo: boolean, ms: number): boolean => {
  const isLasting = useSignal(false);
  useEffect(() => {
    if (!isSo) {
      isLasting.value = false;
      return undefined;
    }
    const timer = setTimeout(() => {
      isLasting.value = true;
    }, ms);
    return () => clearTimeout(timer);
  }, [isSo, ms, isLasting]);
  return isLasting.value;
};

export const ScanButton = ({ library: { id, name }, scan }: Props) => {
  const error = useSignal<Explanation | null>(null);
  const isScanning = isActive(scan);
  const canStop = useLasting(isScanning, STOP_AFTER_MS) && isScanning;
  const run = (work: () => Promise<unknown>): void => {
    error.value = null;
    work().catch((thrown: unknown) => {
      error.value = explain(thrown, statusOf(thrown) === 409 ? { text: b.library.isScanned } : {});
    });
  };
  return (
    <>
      <button
        type="button"
        class="button"
        aria-disabled={isScanning && !canStop}
        onClick={() => {
          if (canStop) run(() => librariesScanCancel({ id }));
          else if (!isScanning) run(() => librariesScan({ id }));
        }}
      >
        {canStop ? t.scan.stop : t.scan.start}
        <span class="visually-hidden"> {name}</span>
      </button>
      <ErrorMessage of={error.value} />
    </>
  );
};

interface Before {
  readonly books: number;
  /** Books that the scan had already removed by then. */
  readonly removed: number;
  readonly scannedAt: string | null;
}

const outcomeOf = (scan: ScanEvent, library: Library, before: Before): string | null => {
  if (scan.status === 'cancelled') return b.problems.stopped;
  if (scan.status === 'failed') return b.problems.failed;
  if (library.lastScannedAt === before.scannedAt) return null; // its counts are those from before
  const { booksChanged } = scan;
  // `booksRemoved` is 0 for users with restrictions; at least as many are gone as the count fell by.
  const removedSince = Math.max(scan.booksRemoved - before.removed, before.books - library.bookCount);
  const removed = Math.max(scan.booksRemoved, removedSince);
  const added = library.bookCount - before.books + removedSince;
  const counts = [
    ...(added > 0 ? [b.problems.isNew(added)] : []),
    ...(booksChanged > 0 ? [b.problems.changed(booksChanged)] : []),
    ...(removed > 0 ? [b.problems.gone(removed)] : []),
  ];
  return counts.length === 0 ? b.problems.nothingNew : counts.join(', ');
};

/** Of a scan that ended while one looks. */
export const ScanOutcome = ({ library, scan }: Props) => {
  const before = useRef<Before | null>(null);
  const isScanning = isActive(scan);
  useEffect(() => {
    if (isScanning)
      before.current = {
        books: library.bookCount,
        removed: scan?.booksRemoved ?? 0,
        scannedAt: library.lastScannedAt,
      };
  }, [isScanning]);
  const text = scan === null || isScanning || before.current === null ? null : outcomeOf(scan, library, before.current);
  return (
    <p class="scan-outcome dim" role="status">
      {text !== null && [text, clockText(scan?.completedAt ?? new Date())].join(' · ')}
    </p>
  );
};
