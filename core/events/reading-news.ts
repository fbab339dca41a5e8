// News of what somebody read, for the clients of that person alone.
import { seesBook } from '../catalog/visibility.js';
import { uuidOfHex } from '../model/ids.js';
import { pageShown } from '../reading/completion.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import type { Audience } from './audience.js';
import type { Changes, Read } from './changes.js';
import type { ReadingNews, ReadTo, StreamName } from './news.js';
import { type Account, accountsByKey } from './rows.js';

/** Beyond this, only series are told. */
const BOOKS_MAX = 500;

/** The streams that tell of reading. */
const STREAMS: ReadonlySet<StreamName> = new Set<StreamName>(['entities', 'apps']);

interface Row {
  readonly hex: string;
  readonly seriesHex: string;
  readonly seriesKey: number;
  readonly libraryKey: number;
  readonly neverReadable: number;
  readonly isRead: number;
}

/** Columns of the record; null where there is none. */
interface BookRow extends Row {
  readonly pageCount: number;
  readonly page: number | null;
  readonly pageOffset: number | null;
  readonly completed: number | null;
  readonly updatedAt: number | null;
  readonly device: string | null;
}

const booksIn = (from: Reads, userKey: number, keys: readonly number[]): Promise<BookRow[]> =>
  from.all<BookRow>(
    `SELECT hex(b.uuid) AS hex, hex(s.uuid) AS seriesHex, b.series_id AS seriesKey, b.library_id AS libraryKey, b.never_readable AS neverReadable, b.page_count AS pageCount,
       p.book_id IS NOT NULL AS isRead, p.current_page AS page, p.page_offset AS pageOffset, p.completed, p.updated_at AS updatedAt,
       p.device_name AS device
     FROM json_each(?2) j CROSS JOIN book b ON b.id = j.value CROSS JOIN series s ON s.id = b.series_id
     LEFT JOIN read_progress p ON p.user_id = ?1 AND p.book_id = b.id`,
    [userKey, keyList(keys)],
  );

const seriesIn = (from: Reads, userKey: number, keys: readonly number[]): Promise<Row[]> =>
  from.all<Row>(
    `SELECT hex(s.uuid) AS hex, hex(s.uuid) AS seriesHex, s.id AS seriesKey, s.library_id AS libraryKey, 0 AS neverReadable,
       EXISTS (SELECT 1 FROM book b CROSS JOIN read_progress p ON p.user_id = ?1 AND p.book_id = b.id
         WHERE b.series_id = s.id) AS isRead
     FROM json_each(?2) j CROSS JOIN series s ON s.id = j.value`,
    [userKey, keyList(keys)],
  );

const readTo = ({ page, pageOffset, completed, updatedAt, device, pageCount }: BookRow): ReadTo | null =>
  page === null || updatedAt === null
    ? null
    : { page: pageShown(page, pageCount), pageOffset, completed: completed === 1, updatedAt, device };

const newsOf = ({ hex, seriesHex, isRead }: Row, { key, id }: Account, at: number) =>
  ({
    type: isRead === 1 ? 'reading_updated' : 'reading_deleted',
    readId: uuidOfHex(hex),
    seriesId: uuidOfHex(seriesHex),
    onlyUserKey: key,
    userId: id,
    at,
  }) as const;

/** What a step tells. */
export interface ReadingStep {
  readonly changes: Changes;
  readonly libraries: ReadonlyMap<number, string>;
  /** Wall-clock time. */
  readonly at: number;
}

const newsOfReader = async (
  from: Reads,
  { books, series }: Read,
  { account, at }: { readonly account: Account; readonly at: number },
  isSeen: (row: Row) => boolean,
): Promise<readonly ReadingNews[]> => {
  const areBooksNamed = books.size <= BOOKS_MAX;
  const read = areBooksNamed ? (await booksIn(from, account.key, [...books])).filter(isSeen) : [];
  const counts = new Map<number, number>();
  for (const { seriesKey } of read) counts.set(seriesKey, (counts.get(seriesKey) ?? 0) + 1);
  // Turning the pages of a book is not news of its series.
  const whole = [...series].filter((key) => counts.get(key) !== 1);
  const marked = whole.length === 0 ? [] : (await seriesIn(from, account.key, whole)).filter(isSeen);
  return [
    ...read.map((row) => ({
      ...newsOf(row, account, at),
      entityType: 'book' as const,
      readTo: readTo(row),
      areBooksNamed,
    })),
    ...marked.map((row) => ({
      ...newsOf(row, account, at),
      entityType: 'series' as const,
      readTo: null,
      areBooksNamed,
    })),
  ];
};

/** For those of an audience who follow now: what was read before they came is not told. */
export const readingNews = async (
  from: Reads,
  { changes: { reading }, libraries, at }: ReadingStep,
  audience: Audience,
): Promise<readonly ReadingNews[]> => {
  if (reading.size === 0) return [];
  const followers = [...audience.members].filter(({ stream }) => STREAMS.has(stream)).map(({ userKey }) => userKey);
  const readers = [...new Set(followers)].filter((key) => reading.has(key));
  if (readers.length === 0) return [];
  const accounts = await accountsByKey(from, readers);
  const isSeen = (row: Row): boolean =>
    libraries.has(row.libraryKey) &&
    audience.sees(row.seriesKey) &&
    seesBook(audience.scope, { neverReadable: row.neverReadable === 1 });
  const news: ReadingNews[] = [];
  for (const key of readers) {
    const [read, account] = [reading.get(key), accounts.get(key)];
    if (read !== undefined && account !== undefined)
      news.push(...(await newsOfReader(from, read, { account, at }, isSeen)));
  }
  return news;
};
