// Writes what is wrong or odd about analysed books, in the transaction that stores them. Costs one statement for a batch of sound books.
import type { ErrorKind, Fault } from '../model/errors.js';
import type { Analysis, Note, RemarkType } from '../model/jobs.js';
import type { Tx } from '../store/db.js';
import type { Finished } from './context.js';
import { reasonOf } from './reason.js';

/** Which part of reading a book a fault belongs to. */
const TYPES: Partial<Record<ErrorKind, RemarkType>> = {
  EmptyBook: 'zero_pages',
  UnsupportedFormat: 'format_detection',
  CorruptArchive: 'parser',
  EncryptedArchive: 'parser',
  LimitExceeded: 'parser',
  CorruptPage: 'page_extraction',
};

export const typeOfFault = (kind: ErrorKind): RemarkType => TYPES[kind] ?? 'other';

interface Remark extends Note {
  readonly key: number;
  readonly fault: ErrorKind | null;
}

const ofFault = (key: number, fault: Pick<Fault, 'kind' | 'message'>): Remark => ({
  key,
  type: typeOfFault(fault.kind),
  message: reasonOf(fault),
  fault: fault.kind,
});

const ofAnalysis = (key: number, { fault, notes }: Analysis): Remark[] => {
  const main = fault === null ? [] : [ofFault(key, fault)];
  const others = notes.filter(({ type }) => type !== main[0]?.type);
  return [...main, ...others.map((note) => ({ ...note, key, fault: null }))];
};

export const storeRemarks = async (tx: Tx, finished: readonly Finished[], nowMs: number): Promise<void> => {
  if (finished.length === 0) return;
  const remarks = finished.flatMap(({ book, analysis, error }) => {
    if (analysis !== null) return ofAnalysis(book.key, analysis);
    return error === null ? [] : [ofFault(book.key, error)];
  });
  await tx.run('DELETE FROM book_error WHERE book_id IN (SELECT value FROM json_each(?))', [
    JSON.stringify(finished.map(({ book }) => book.key)),
  ]);
  if (remarks.length === 0) return;
  await tx.run(
    `INSERT OR REPLACE INTO book_error (book_id, type, message, fault, occurred_at)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, ?1 FROM json_each(?2)`,
    [nowMs, JSON.stringify(remarks.map(({ key, type, message, fault }) => [key, type, message, fault]))],
  );
};

/** Stores the outlines of books that have one, and deletes those of books that no longer do. */
export const storeOutlines = async (tx: Tx, finished: readonly Finished[]): Promise<void> => {
  for (const { book, analysis } of finished) {
    if (analysis === null || (analysis.format !== 'epub' && analysis.format !== 'pdf')) continue;
    if (analysis.outline === null) {
      await tx.run('DELETE FROM book_outline WHERE book_id = ?', [book.key]);
      continue;
    }
    const { buffer, byteOffset, byteLength } = analysis.outline;
    await tx.run(
      'INSERT INTO book_outline (book_id, outline) VALUES (?, ?) ON CONFLICT (book_id) DO UPDATE SET outline = excluded.outline',
      [book.key, Buffer.from(buffer, byteOffset, byteLength)],
    );
  }
};
