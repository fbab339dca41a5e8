// What a user's e-readers report and ask of documents. Each report is kept as it was sent, whether the document is a book of the server or not;
// that of a book is progress in it too, like any other. Whoever wrote last is what a device is told: its own words if an e-reader did,
// a place made of the progress in the book if another app did.
import { outlineOfBook } from '../catalog/outlines.js';
import type { Clock } from '../engine/clock.js';
import type { BookFormat } from '../model/formats.js';
import { uuidOfBytes } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import { pageShown, percentageOf } from '../reading/completion.js';
import { type Spine, spineOf } from '../reading/places.js';
import { storeProgress } from '../reading/progress.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { type BookNames, bookOfDocument, type NamedBook } from './book-names.js';
import { changeOf, progressAt } from './places.js';

export interface SyncParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly bookNames: BookNames;
}

/** What a device reports. */
export interface Reported {
  readonly document: string;
  readonly progress: string;
  readonly percentage: number;
  readonly device: string;
  readonly deviceId: string | null;
}

/** What a device is told. */
export interface Told extends Omit<Reported, 'document'> {
  readonly readAt: number;
}

/** Documents kept for one user. Beyond that, those reported longest ago are deleted. */
export const DOCUMENTS_MAX = 10_000;

const STORE = `INSERT INTO sync_document (user_id, document, progress, percentage, device, device_id, read_at, book) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (user_id, document) DO UPDATE SET progress = excluded.progress, percentage = excluded.percentage, device = excluded.device,
    device_id = excluded.device_id, read_at = excluded.read_at, book = excluded.book`;

const DROP_OLDEST = `DELETE FROM sync_document WHERE user_id = ?1 AND document IN (
  SELECT document FROM sync_document WHERE user_id = ?1 ORDER BY read_at DESC, document LIMIT -1 OFFSET ${DOCUMENTS_MAX})`;

const storeReport = async (
  tx: Tx,
  { userKey }: Viewer,
  { document, progress, percentage, device, deviceId }: Reported,
  book: NamedBook | undefined,
  nowMs: number,
): Promise<void> => {
  const known = await tx.all('SELECT 1 FROM sync_document WHERE user_id = ? AND document = ?', [userKey, document]);
  await tx.run(STORE, [userKey, document, progress, percentage, device, deviceId, nowMs, book?.id ?? null]);
  if (known.length === 0) await tx.run(DROP_OLDEST, [userKey]);
  tx.report({ ...updated('document', [userKey], ASPECTS.details), userKey });
};

/** The device that progress is stored under: older clients send only a name. */
const readerIdOf = ({ device, deviceId }: Pick<Reported, 'device' | 'deviceId'>): string => deviceId ?? device;

const spineOfBook = async (db: Db, book: NamedBook | undefined): Promise<Spine | null> => {
  const outline = book?.format === 'epub' ? await outlineOfBook(db, book.key) : null;
  return outline === null ? null : spineOf(outline.spine);
};

/** The last report wins, also one that goes back. Returns its time. */
export const reportDocument = async (
  { db, clock, bookNames }: SyncParts,
  viewer: Viewer,
  report: Reported,
): Promise<number> => {
  await bookNames.catchUp();
  const expected = await bookOfDocument(db, viewer, report.document);
  const spine = await spineOfBook(db, expected);
  const now = clock.now();
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    const book = await bookOfDocument(tx, viewer, report.document);
    if (book !== undefined) {
      const reader = { viewer, device: { id: readerIdOf(report), name: report.device } };
      const place = { progress: report.progress, share: report.percentage };
      const change = changeOf(place, book.format, book.key === expected?.key ? spine : null);
      await storeProgress(tx, reader, uuidOfBytes(book.id), change, now);
    }
    await storeReport(tx, viewer, report, book, now);
    return now;
  });
};

interface Kept extends Told {
  readonly book: Buffer | null;
}

/** The newest report about a document, or about the book that it is: devices may have other copies of it. */
const newestReport = async (
  from: Reader,
  { userKey }: Viewer,
  document: string,
  book: NamedBook | undefined,
): Promise<Kept | undefined> => {
  const columns = 'progress, percentage, device, device_id AS deviceId, read_at AS readAt, book';
  const ofBook = `UNION ALL SELECT * FROM (SELECT ${columns} FROM sync_document WHERE user_id = ?1 AND book = ?3 ORDER BY read_at DESC LIMIT 1)`;
  const [newest] = await from.all<Kept>(
    `SELECT * FROM (SELECT ${columns} FROM sync_document WHERE user_id = ?1 AND document = ?2 ${book === undefined ? '' : ofBook})
     ORDER BY readAt DESC LIMIT 1`,
    [userKey, document, ...(book === undefined ? [] : [book.id])],
  );
  return newest;
};

interface ReadState {
  readonly format: BookFormat;
  readonly page: number;
  readonly pageCount: number;
  readonly percentage: number | null;
  readonly updatedAt: number;
  readonly deviceId: string | null;
  readonly deviceName: string | null;
}

const stateOf = async (from: Reader, { userKey }: Viewer, { key }: NamedBook): Promise<ReadState | undefined> => {
  const [state] = await from.all<ReadState>(
    `SELECT b.format, p.current_page AS page, b.page_count AS pageCount, p.percentage, p.updated_at AS updatedAt, p.device_id AS deviceId,
       p.device_name AS deviceName
     FROM read_progress p CROSS JOIN book b ON b.id = p.book_id WHERE p.user_id = ? AND p.book_id = ?`,
    [userKey, key],
  );
  return state;
};

/** What progress without a device is said to come from. */
const OURS = { id: 'longbox', name: 'Longbox' };

const toldOf = (state: ReadState, spine: Spine | null): Told => {
  const page = pageShown(state.page, state.pageCount);
  const percentage = percentageOf(state.format, state.percentage, state.page, state.pageCount) ?? 0;
  return {
    progress: progressAt(percentage, page, spine),
    percentage,
    device: state.deviceName ?? OURS.name,
    deviceId: state.deviceId ?? OURS.id,
    readAt: state.updatedAt,
  };
};

/**
 * Whether the progress in a book is newer than a report. Progress that a report made bears its device, until somebody else makes another; this
 * also holds when the clock was set in between. A report from before the server had the book is compared by time.
 */
const isNewer = (state: ReadState, report: Kept, book: NamedBook): boolean =>
  report.book?.equals(book.id) === true
    ? state.deviceId !== readerIdOf(report) || state.updatedAt > report.readAt
    : state.updatedAt > report.readAt;

/** Undefined: nothing is known. Progress that the user has cleared is not brought back by an old report. */
export const askForDocument = async (
  { db, bookNames }: SyncParts,
  viewer: Viewer,
  document: string,
): Promise<Told | undefined> => {
  await bookNames.catchUp();
  const book = await bookOfDocument(db, viewer, document);
  const state = book === undefined ? undefined : await stateOf(db, viewer, book); // before the report, which is then not older
  const report = await newestReport(db, viewer, document, book);
  if (book === undefined) return report;
  if (state === undefined) return report?.book?.equals(book.id) === true ? undefined : report;
  if (report !== undefined && !isNewer(state, report, book)) return report;
  return toldOf(state, await spineOfBook(db, book));
};
