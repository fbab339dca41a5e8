// The metadata record of one book: reading it, changing its facts, and locking fields against what later analyses find.
import type { Clock } from '../engine/clock.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import { factsToStore, RULES_SQL, storedRules } from './apply-rules.js';
import {
  applyChange,
  BOOK_LOCKS,
  type BookLock,
  columnsOf,
  type FactChange,
  fieldsSet,
  NO_FACTS,
  packFacts,
  parseFacts,
  parseLocks,
  type RoleChange,
  type StoredFacts,
} from './book-facts.js';
import type { Book } from './books.js';
import { checkedFacts } from './checked-facts.js';
import { renumberSeries } from './numbering.js';
import { andVisibleRow, unknownRow } from './resolve.js';

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

/** By the keys of the books; without those of which nothing is known and in which nobody has changed anything. */
export const metadataOfBooks = async (
  db: Db,
  bookKeys: readonly number[],
): Promise<ReadonlyMap<number, BookMetadata>> => {
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row
       FROM json_each(?) j CROSS JOIN book_metadata m ON m.book_id = j.value)`,
    [keyList(bookKeys)],
  );
  return new Map(
    rows.map(COLUMNS.read).map(({ key, facts, locks, ...found }) => {
      return [key, { ...found, facts: parseFacts(facts), locks: parseLocks<BookLock>(locks) }];
    }),
  );
};

/** Null when nothing is known of the book and nobody has changed anything. */
export const bookMetadata = async (db: Db, bookKey: number): Promise<BookMetadata | null> =>
  (await metadataOfBooks(db, [bookKey])).get(bookKey) ?? null;

/** The record as readers see it: a book that was analysed has one even when its file says nothing. */
export const shownMetadata = (book: Book, stored: BookMetadata | null): BookMetadata | null => {
  if (stored !== null || !book.analyzed) return stored;
  return { id: book.id, facts: NO_FACTS, locks: new Set(), createdAt: book.createdAt, updatedAt: book.updatedAt };
};

interface Current {
  readonly key: number;
  readonly seriesKey: number;
  readonly fileName: string;
  readonly folderPath: string;
  /** RULES_SQL. */
  readonly rules: string | null;
  readonly facts: string | null;
  readonly locks: string | null;
}

const currentOf = async (tx: Tx, viewer: Viewer, id: string): Promise<Current> => {
  const [row] = await tx.all<Current>(
    `SELECT b.id AS key, b.series_id AS seriesKey, b.file_name AS fileName, f.path AS folderPath, ${RULES_SQL} AS rules, m.facts AS facts, m.locks AS locks
     FROM book b JOIN library l ON l.id = b.library_id JOIN folder f ON f.id = b.folder_id LEFT JOIN book_metadata m ON m.book_id = b.id
     WHERE b.uuid = ?${andVisibleRow(viewer, 'book', 'b')}`,
    [bytesOfUuid(id)],
  );
  if (row === undefined) throw unknownRow('book');
  return row;
};

/** A record has the id of its book, so that one which is shown before it is stored keeps it. */
export const METADATA_ID = '(SELECT uuid FROM book WHERE id = ?1)';

const write = (tx: Tx, key: number, facts: StoredFacts, locks: ReadonlySet<BookLock>, nowMs: number): Promise<number> =>
  tx.run(
    `INSERT INTO book_metadata (book_id, uuid, facts, locks, created_at, updated_at) VALUES (?1, ${METADATA_ID}, ?2, ?3, ?4, ?4)
     ON CONFLICT (book_id) DO UPDATE SET facts = excluded.facts, locks = excluded.locks, updated_at = excluded.updated_at`,
    [key, packFacts(facts), JSON.stringify([...locks]), nowMs],
  );

/**
 * What lists show follows the facts. The place in the series is numbered by file order, so it only follows a number somebody set: then
 * it is the whole part of that number, and stays while the field is locked.
 */
const showInLists = async (
  tx: Tx,
  current: Current,
  facts: StoredFacts,
  locks: ReadonlySet<BookLock>,
  change: FactChange,
  nowMs: number,
): Promise<void> => {
  const shown = columnsOf(facts, locks, factsToStore(storedRules(current.rules).rules, current, facts));
  const isNumberLocked = locks.has('number');
  const isCleared = change.number === null && isNumberLocked;
  const movesNumber = isCleared || (typeof change.number === 'string' && shown.number !== null);
  await tx.run(
    `UPDATE book SET title = coalesce(?, title), title_sort = coalesce(?, title_sort), volume = ?, chapter = ?, number = CASE ? WHEN 1 THEN ? ELSE number END,
       number_locked = ?, updated_at = ? WHERE id = ?`,
    [
      shown.title,
      shown.titleSort,
      shown.volume,
      shown.chapter,
      Number(movesNumber),
      shown.number,
      Number(isNumberLocked),
      nowMs,
      current.key,
    ],
  );
};

/** Absent keeps, null clears, a value sets the field and locks it. */
export const changeBookMetadata = async (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  bookId: string,
  asked: FactChange,
  roles: RoleChange = {},
): Promise<void> => {
  const now = clock.now();
  const change = checkedFacts(asked);
  await db.write('interactive', async (tx) => {
    const current = await currentOf(tx, viewer, bookId);
    const facts = applyChange(parseFacts(current.facts), change, roles);
    const locks = new Set([...parseLocks<BookLock>(current.locks), ...fieldsSet(change, roles)]);
    await write(tx, current.key, facts, locks, now);
    tx.report(updated('book', [current.key], ASPECTS.list | ASPECTS.text | ASPECTS.content));
    await showInLists(tx, current, facts, locks, change, now);
  });
};

export type BookLockChange = { readonly [K in BookLock]?: boolean | undefined };

/** Absent keeps, true locks, false unlocks: from then on the next analysis decides again. The place in the series is told at once, by the rules of the library. */
export const changeBookLocks = async (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  bookId: string,
  change: BookLockChange,
): Promise<ReadonlySet<BookLock>> => {
  const now = clock.now();
  return db.write('interactive', async (tx) => {
    const current = await currentOf(tx, viewer, bookId);
    const old = parseLocks<BookLock>(current.locks);
    const locks = new Set(BOOK_LOCKS.filter((lock) => change[lock] ?? old.has(lock)));
    await write(tx, current.key, parseFacts(current.facts), locks, now);
    await tx.run('UPDATE book SET number_locked = ?, updated_at = ? WHERE id = ?', [
      Number(locks.has('number')),
      now,
      current.key,
    ]);
    tx.report(updated('book', [current.key], ASPECTS.details));
    if (old.has('number') && !locks.has('number'))
      await renumberSeries(tx, [current.seriesKey], storedRules(current.rules).rules);
    return locks;
  });
};
