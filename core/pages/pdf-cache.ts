// The cached pages of PDF documents: how many there are, and their removal. Covers are not among them, nor pages of other books.
import { AppError } from '../model/errors.js';
import type { StoredBlob } from '../store/blob-types.js';
import type { Blobs } from '../store/blobs.js';
import type { Reader } from '../store/db.js';
import { ownerInKey } from './version.js';

export interface PdfPagesParts {
  readonly db: Reader;
  readonly blobs: Blobs;
}

export interface PdfPages {
  readonly pages: number;
  readonly bytes: number;
  readonly books: number;
  /** When the oldest was made; null when there are none, or it is not known. */
  readonly oldest: number | null;
}

export interface RemovedPages {
  readonly pages: number;
  readonly bytes: number;
}

const BATCH = 500;
const PAGE = 'page/';

const pdfsAmong = async (db: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await db.all<{ hex: string }>(
    `SELECT j.value AS hex FROM json_each(?) j JOIN book b ON b.uuid = unhex(j.value) WHERE b.format = 'pdf'`,
    [JSON.stringify(ids)],
  );
  return new Set(rows.map(({ hex }) => hex));
};

interface PdfPage {
  readonly blob: StoredBlob;
  readonly book: string;
}

/** Which pages are of PDF documents, a batch at a time. */
async function* batches({ db, blobs }: PdfPagesParts, signal: AbortSignal): AsyncGenerator<readonly PdfPage[]> {
  for (let after = 0; ; ) {
    if (signal.aborted) throw new AppError('Cancelled');
    const listed = blobs.list(after, BATCH);
    const last = listed.at(-1);
    if (last === undefined) return;
    after = last.at;
    const pages = listed.flatMap((blob): PdfPage[] => {
      const book = blob.key.startsWith(PAGE) ? ownerInKey(blob.key) : undefined;
      return book === undefined ? [] : [{ blob, book }];
    });
    const pdfs = await pdfsAmong(db, [...new Set(pages.map(({ book }) => book))]);
    yield pages.filter(({ book }) => pdfs.has(book));
  }
}

export const countPdfPages = async (parts: PdfPagesParts, signal: AbortSignal): Promise<PdfPages> => {
  const books = new Set<string>();
  let [pages, bytes] = [0, 0];
  let oldest: number | null = null;
  for await (const batch of batches(parts, signal))
    for (const { blob, book } of batch) {
      pages += 1;
      bytes += blob.size;
      books.add(book);
      if (blob.madeAt !== null) oldest = Math.min(oldest ?? blob.madeAt, blob.madeAt);
    }
  return { pages, bytes, books: books.size, oldest };
};

/** Those made before a time; null: all. What earlier versions stored has no time, and counts as old. */
export const removePdfPages = async (
  parts: PdfPagesParts,
  before: number | null,
  signal: AbortSignal,
): Promise<RemovedPages> => {
  let [pages, bytes] = [0, 0];
  for await (const batch of batches(parts, signal)) {
    const old = batch.flatMap(({ blob }) => (before === null || (blob.madeAt ?? 0) < before ? [blob] : []));
    const gone = parts.blobs.discard(old);
    pages += gone.length;
    bytes += gone.reduce((sum, { size }) => sum + size, 0);
  }
  if (!parts.blobs.isKeeping) throw new AppError('StorageFailed', 'The cache cannot be used at the moment.');
  return { pages, bytes };
};
