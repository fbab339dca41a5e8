// The metadata record of one book: reads it, changes its facts, and locks fields against later analyses.
import type { Clock } from '../engine/clock.js';
import { bytesOfUuid } from '../model/ids.js';
import { titlesByPosition } from '../model/strategies.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Db, Reads, Tx } from '../store/db.js';
import { packed } from '../store/packed.js';
import { told } from '../store/told-reports.js';
import { storedRules } from './apply-rules.js';
import { type Asking, asAsked } from './asking.js';
import { BOOK_LOCKS, type BookLock, NO_FACTS, parseFacts, parseLocks, type StoredFacts } from './book-facts.js';
import { type Book, bookAnd } from './books.js';
import { checkedFacts, refuseImpossibleDay, refuseTooMuch } from './checked-facts.js';
import { renumberSeries } from './numbering.js';
import { andVisibleRow, unknownRow } from './public-ids.js';
import { type Edit, edit, relock } from './settle-book.js';
import { type BookPlace, placesOf, settleBooks, statesOf } from './settled-books.js';
import { settleManySeries } from './settled-series.js';
import type { BookState } from './sources.js';
import { listName, TERM_KINDS } from './taxonomy-links.js';

export interface BookMetadata {
  readonly id: string;
  readonly facts: StoredFacts;
  readonly locks: ReadonlySet<BookLock>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface Packed {
  readonly key: number;
  readonly id: string;
  readonly facts: string;
  readonly locks: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const COLUMNS = packed<Packed>({
  key: { sql: 'm.book_id' },
  id: { sql: 'm.uuid', as: 'uuid' },
  facts: { sql: 'm.facts' },
  locks: { sql: 'm.locks' },
  createdAt: { sql: 'm.created_at' },
  updatedAt: { sql: 'm.updated_at' },
});

/** Books read at a time: the main thread parses each slice without a pause. */
const SLICE = 500;

/** By book key. Books of which nothing is known, and which no user has changed, are left out. */
export const metadataOfBooks = async (
  db: Reads,
  bookKeys: readonly number[],
): Promise<ReadonlyMap<number, BookMetadata>> => {
  const rows: unknown[][] = [];
  for (let at = 0; at < bookKeys.length; at += SLICE)
    rows.push(
      ...(await db.json<unknown[][]>(
        `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row
           FROM json_each(?) j CROSS JOIN book_metadata m ON m.book_id = j.value)`,
        [keyList(bookKeys.slice(at, at + SLICE))],
      )),
    );
  return new Map(rows.map(COLUMNS.read).map((row) => [row.key, unpacked(row)]));
};

const unpacked = ({ key: _, facts, locks, ...found }: Packed): BookMetadata => ({
  ...found,
  facts: parseFacts(facts),
  locks: parseLocks<BookLock>(locks),
});

const OF_ONE = `SELECT ${COLUMNS.expression} FROM book_metadata m WHERE m.book_id = (SELECT id FROM book WHERE uuid = ?)`;

/** A book and its record as it is stored. */
export const bookAndMetadata = async (
  db: Reads,
  viewer: Viewer,
  id: string,
): Promise<{ readonly book: Book; readonly metadata: BookMetadata | null }> => {
  const { book, also } = await bookAnd(db, viewer, id, { sql: OF_ONE, binds: [bytesOfUuid(id)] });
  return { book, metadata: also === null ? null : unpacked(COLUMNS.read(JSON.parse(also) as unknown[])) };
};

/** Null when nothing is known of the book and no user has changed anything. */
export const bookMetadata = async (db: Db, bookKey: number): Promise<BookMetadata | null> =>
  (await metadataOfBooks(db, [bookKey])).get(bookKey) ?? null;

/** The record as users see it: an analysed book has one even when its file says nothing. */
export const shownMetadata = (book: Book, stored: BookMetadata | null): BookMetadata | null => {
  if (stored !== null || !book.analyzed) return stored;
  return { id: book.id, facts: NO_FACTS, locks: new Set(), createdAt: book.createdAt, updatedAt: book.updatedAt };
};

interface Current extends BookPlace {
  readonly state: BookState;
}

const currentOf = async (tx: Tx, viewer: Viewer, id: string): Promise<Current> => {
  const [row] = await placesOf(tx, `b.uuid = ?${andVisibleRow(viewer, 'book', 'b')}`, [bytesOfUuid(id)]);
  const state = row && (await statesOf(tx, [row.key])).get(row.key);
  if (row === undefined || state === undefined) throw unknownRow('book');
  return { ...row, state };
};

/** The user's change touches the book, even where no list shows it. */
const touch = async (tx: Tx, { key }: BookPlace, locks: ReadonlySet<BookLock>, nowMs: number): Promise<void> => {
  await tx.run('UPDATE book SET updated_at = ?, number_locked = ? WHERE id = ?', [
    nowMs,
    Number(locks.has('number')),
    key,
  ]);
};

/** Names for clients that follow events. */
const fieldsOf = (change: object): readonly string[] => {
  const named = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  return [...new Set(named.map((field) => (field === 'title' || field === 'number' ? field : 'metadata')))];
};

/**
 * Absent keeps, null clears, a value sets the field and locks it. The place in the series follows file order, except for a number set by a
 * user: then it is the whole part of that number, and stays while the field is locked. What the series takes from this book is updated too.
 */
export const changeBookMetadataIn = async ({ tx, viewer, nowMs }: Asking, id: string, asked: Edit): Promise<void> => {
  const change = checkedFacts(asked.facts);
  const book = await currentOf(tx, viewer, id);
  refuseImpossibleDay(book.state.facts, change);
  const state = edit(book.state, { ...asked, facts: change });
  refuseTooMuch(book.state.user, state.user, { ...change, ...asked.roles });
  await settleBooks(tx, [{ book, state, terms: [], isNumberSet: change.number !== undefined }], nowMs);
  await touch(tx, book, state.locks, nowMs);
  await settleManySeries(tx, [book.seriesKey], nowMs);
  tx.report(told('book', [book.key], fieldsOf({ ...change, ...asked.roles })));
};

export const changeBookMetadata = (db: Db, clock: Clock, viewer: Viewer, bookId: string, asked: Edit): Promise<void> =>
  asAsked(db, clock, viewer, (asking) => changeBookMetadataIn(asking, bookId, asked));

export type BookLockChange = { readonly [K in BookLock]?: boolean | undefined };

/**
 * Absent keeps, true locks, false unlocks: an unlocked field shows at once what the sources say. Where rows may not hold all that the
 * sources say, the book is read again.
 */
export const changeBookLocksIn = async (
  { tx, viewer, nowMs }: Asking,
  id: string,
  change: BookLockChange,
): Promise<ReadonlySet<BookLock>> => {
  const book = await currentOf(tx, viewer, id);
  const old = book.state.locks;
  const locks = new Set(BOOK_LOCKS.filter((lock) => change[lock] ?? old.has(lock)));
  const unlocked = new Set(BOOK_LOCKS.filter((lock) => old.has(lock) && !locks.has(lock)));
  const isWhole = [...book.state.said.values()].every(({ isComplete }) => isComplete);
  const terms = TERM_KINDS.filter((kind) => isWhole && unlocked.has(listName(kind)));
  const isDue = !isWhole && unlocked.size > 0;
  const state = relock(book.state, locks);
  await settleBooks(tx, [{ book, state, terms, isDue, keepsColumns: unlocked.size === 0 }], nowMs);
  await touch(tx, book, locks, nowMs);
  const { rules } = storedRules(book.rules);
  const isNumbered = unlocked.has('number') || (unlocked.has('title') && titlesByPosition(rules));
  if (isNumbered) await renumberSeries(tx, [book.seriesKey], rules);
  await settleManySeries(tx, [book.seriesKey], nowMs);
  tx.report(told('book', [book.key], ['metadata_locks']));
  return locks;
};

export const changeBookLocks = (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  bookId: string,
  change: BookLockChange,
): Promise<ReadonlySet<BookLock>> => asAsked(db, clock, viewer, (asking) => changeBookLocksIn(asking, bookId, change));
