// News of what somebody read, for the clients of that person alone.
import { uuidOfHex } from '../model/ids.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import type { Audience } from './audience.js';
import type { Changes, Read } from './changes.js';
import type { News, ReadingNews } from './news.js';
import { type Account, accountsByKey } from './rows.js';

/** Beyond this, only series are told. */
const BOOKS_MAX = 500;

interface Row {
  readonly hex: string;
  readonly seriesKey: number;
  readonly libraryKey: number;
  readonly isRead: number;
}

const booksIn = (from: Reads, userKey: number, keys: readonly number[]): Promise<Row[]> =>
  from.all<Row>(
    `SELECT hex(b.uuid) AS hex, b.series_id AS seriesKey, b.library_id AS libraryKey,
       EXISTS (SELECT 1 FROM read_progress p WHERE p.user_id = ?1 AND p.book_id = b.id) AS isRead
     FROM json_each(?2) j CROSS JOIN book b ON b.id = j.value`,
    [userKey, keyList(keys)],
  );

const seriesIn = (from: Reads, userKey: number, keys: readonly number[]): Promise<Row[]> =>
  from.all<Row>(
    `SELECT hex(s.uuid) AS hex, s.id AS seriesKey, s.library_id AS libraryKey,
       EXISTS (SELECT 1 FROM book b CROSS JOIN read_progress p ON p.user_id = ?1 AND p.book_id = b.id
         WHERE b.series_id = s.id) AS isRead
     FROM json_each(?2) j CROSS JOIN series s ON s.id = j.value`,
    [userKey, keyList(keys)],
  );

const newsOf = (entityType: ReadingNews['entityType'], { hex, isRead }: Row, { key, id }: Account): ReadingNews => ({
  type: isRead === 1 ? 'reading_updated' : 'reading_deleted',
  entityType,
  readId: uuidOfHex(hex),
  onlyUserKey: key,
  userId: id,
});

const newsOfReader = async (
  from: Reads,
  { books, series }: Read,
  account: Account,
  isSeen: (row: Row) => boolean,
): Promise<readonly News[]> => {
  const few = books.size > BOOKS_MAX ? [] : await booksIn(from, account.key, [...books]);
  const read = few.filter(isSeen);
  const counts = new Map<number, number>();
  for (const { seriesKey } of read) counts.set(seriesKey, (counts.get(seriesKey) ?? 0) + 1);
  // Turning the pages of a book is not news of its series.
  const whole = [...series].filter((key) => counts.get(key) !== 1);
  const marked = whole.length === 0 ? [] : await seriesIn(from, account.key, whole);
  return [
    ...read.map((row) => newsOf('book', row, account)),
    ...marked.filter(isSeen).map((row) => newsOf('series', row, account)),
  ];
};

/** For those of an audience who follow now: what was read before they came is not told. */
export const readingNews = async (
  from: Reads,
  { reading }: Changes,
  libraries: ReadonlyMap<number, string>,
  audience: Audience,
): Promise<readonly News[]> => {
  const followers = [...audience.members].filter(({ stream }) => stream === 'apps').map(({ userKey }) => userKey);
  const readers = [...new Set(followers)].filter((key) => reading.has(key));
  if (readers.length === 0) return [];
  const accounts = await accountsByKey(from, readers);
  const isSeen = (row: Row): boolean => libraries.has(row.libraryKey) && audience.sees(row.seriesKey);
  const news: News[] = [];
  for (const key of readers) {
    const [read, account] = [reading.get(key), accounts.get(key)];
    if (read !== undefined && account !== undefined) news.push(...(await newsOfReader(from, read, account, isSeen)));
  }
  return news;
};
