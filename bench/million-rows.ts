// The rows of the generated database: folders, series and books with their metadata, reading. No book files are made.
import { Passwords } from '../core/access/passwords.js';
import { systemClock } from '../core/engine/clock.js';
import { caseKey } from '../core/model/search-key.js';
import { sortKey } from '../core/model/sort-key.js';
import type { Statements } from '../core/store/connection.js';
import { type Dice, diceFrom } from './million-dice.js';
import { LOGIN } from './program.js';

export interface Size {
  readonly books: number;
  readonly series: number;
  readonly libraries: number;
  readonly users: number;
  readonly progress: number;
  readonly genres: number;
  readonly tags: number;
}

export type Filling = Statements & { exec(sql: string): Promise<void> };

const START = Date.UTC(2024, 0, 1);
const ROWS_PER_CALL = 5000;
const SEED = 7;

type Rows = readonly (readonly unknown[])[];

const insert = async (db: Filling, into: string, columns: string, rows: Rows): Promise<void> => {
  const names = columns.split(' ');
  const values = names.map((name, at) => (name === 'uuid' ? `unhex(j.value ->> ${at})` : `j.value ->> ${at}`));
  const sql = `INSERT INTO ${into} (${names.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?) j`;
  for (let at = 0; at < rows.length; at += ROWS_PER_CALL)
    await db.run(sql, [JSON.stringify(rows.slice(at, at + ROWS_PER_CALL))]);
};

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The first user is the one the bench logs in as; all have the same password. */
export const userName = (n: number): string => (n === 1 ? LOGIN.username : `${LOGIN.username}${n}`);

const insertPlaces = async (db: Filling, size: Size, dice: Dice): Promise<void> => {
  const libraries = range(size.libraries).map((n) => [
    n,
    dice.id(),
    `Library ${n}`,
    `library ${n}`,
    `/shelf/${n}`,
    START,
    START,
  ]);
  await insert(db, 'library', 'id uuid name name_sort root created_at updated_at', libraries);
  const passwords = new Passwords(systemClock, { memoryKib: 1024, iterations: 1, parallelism: 1 });
  const hash = await passwords.hash(LOGIN.password);
  const users = range(size.users).map((n) => {
    const [name, email] = [userName(n), `${userName(n)}@example.com`];
    return [n, dice.id(), name, name, email, email, hash, 'admin', START, START];
  });
  const columns = 'id uuid username username_key email email_key password_hash role created_at updated_at';
  await insert(db, 'user', columns, users);
  for (const kind of ['genre', 'tag'] as const) {
    const rows = range(kind === 'genre' ? size.genres : size.tags).map((n) => {
      const name = `${kind} ${n}`;
      return [n, dice.id(), name, caseKey(name), START];
    });
    await insert(db, kind, 'id uuid name name_key created_at', rows);
  }
};

interface MadeSeries {
  readonly id: number;
  readonly library: number;
  readonly books: number;
  readonly genres: readonly number[];
  readonly tags: readonly number[];
}

/** A few series are huge, most are small. */
const planSeries = (size: Size, { below, skewed }: Dice): readonly MadeSeries[] => {
  const weights = range(size.series).map((n) => 1 / (n + 10));
  const scale = size.books / weights.reduce((sum, weight) => sum + weight, 0);
  let left = size.books;
  return weights.map((weight, index) => {
    const after = size.series - index - 1;
    const books = after === 0 ? left : Math.min(left - after, Math.max(1, Math.round(weight * scale)));
    left -= books;
    return {
      id: index + 1,
      library: 1 + skewed(size.libraries),
      books,
      genres: [...new Set([1 + skewed(size.genres), 1 + skewed(size.genres)])],
      tags: [...new Set([1 + skewed(size.tags), 1 + below(size.tags)])],
    };
  });
};

const STATUSES = ['ongoing', 'ended', 'hiatus', 'abandoned', 'unknown', null];
const SERIES_COLUMNS =
  'id uuid library_id path name name_sort publisher language status year total_volume_count summary authors created_at updated_at';

const authorsOf = ({ word }: Dice): unknown[] => [{ name: `${word()} ${word()}`, role: 'writer', sortName: null }];

const insertSeries = async (db: Filling, made: readonly MadeSeries[], dice: Dice): Promise<void> => {
  const { below, share, skewed, word } = dice;
  const rows = made.map(({ id, library }) => {
    const name = `${dice.name()} ${id}`;
    const at = START + below(1e10);
    const said = [`Publisher ${skewed(300)}`, ['en', 'ja', 'fr', null][below(4)], STATUSES[below(6)]];
    const counted = [share() < 0.8 ? 1950 + below(75) : null, share() < 0.5 ? below(40) : null];
    const summary = `${word()} ${word()} ${word()}`;
    const authors = JSON.stringify(authorsOf(dice));
    return [id, dice.id(), library, name, name, sortKey(name), ...said, ...counted, summary, authors, at, at];
  });
  await insert(db, 'series', SERIES_COLUMNS, rows);
  const folders = made.map(({ id, library }) => [id, library, `folder ${id}`]);
  await insert(db, 'folder', 'id library_id path', folders);
  for (const kind of ['genre', 'tag'] as const) {
    const links = made.flatMap((series) => (kind === 'genre' ? series.genres : series.tags).map((n) => [series.id, n]));
    await insert(db, `series_${kind}`, `series_id ${kind}_id`, links);
  }
};

const BOOK_COLUMNS =
  'id uuid library_id series_id folder_id file_name file_size file_mtime format title title_sort number volume page_count analyzed analysis_error deleted created_at updated_at';
const FORMATS = ['cbz', 'cbz', 'cbz', 'cbz', 'cbz', 'cbr', 'epub', 'pdf'];

const bookOf = (id: number, series: MadeSeries, number: number, dice: Dice): unknown[] => {
  const { below, share } = dice;
  const title = share() < 0.7 ? `${dice.name()} ${number}` : `Chapter ${number}`;
  const at = START + id * 1000;
  const isGone = share() < 0.01;
  const format = FORMATS[below(FORMATS.length)];
  const file = [`${title} (${number}).${format}`, 1e6 + below(1e8), START + below(1e10), format];
  const pages = [20 + below(300), 1, share() < 0.005 ? 'broken' : null, Number(isGone), at, at];
  const place = [series.library, series.id, series.id];
  const named = [title, sortKey(title), number, Math.ceil(number / 10)];
  return [id, dice.id(), ...place, ...file, ...named, ...pages];
};

const factsOf = (dice: Dice): string => {
  const { below, share, word } = dice;
  const facts: Record<string, unknown> = { year: 1950 + below(75), month: 1 + below(12) };
  if (share() < 0.5) facts.authors = authorsOf(dice);
  if (share() < 0.5) facts.summary = Array.from({ length: 20 }, word).join(' ');
  if (share() < 0.2) facts.bookType = 'manga';
  return JSON.stringify(facts);
};

/** What a file says about its series. */
const toldOf = ({ id, genres, tags }: MadeSeries): string =>
  JSON.stringify({
    publisher: `Publisher ${id % 300}`,
    language: 'en',
    genres: genres.map((n) => `genre ${n}`),
    tags: tags.map((n) => `tag ${n}`),
  });

const insertBooks = async (db: Filling, made: readonly MadeSeries[], dice: Dice): Promise<void> => {
  let id = 0;
  const none = (): Record<'book' | 'facts' | 'said' | 'genre' | 'tag', unknown[][]> => ({
    book: [],
    facts: [],
    said: [],
    genre: [],
    tag: [],
  });
  let rows = none();
  const flush = async (): Promise<void> => {
    await insert(db, 'book', BOOK_COLUMNS, rows.book);
    await insert(db, 'book_metadata', 'book_id uuid facts created_at updated_at', rows.facts);
    await insert(db, 'book_source', 'book_id source series', rows.said);
    await insert(db, 'book_genre', 'book_id genre_id', rows.genre);
    await insert(db, 'book_tag', 'book_id tag_id', rows.tag);
    rows = none();
  };
  for (const series of made) {
    for (let number = 1; number <= series.books; number += 1) {
      id += 1;
      rows.book.push(bookOf(id, series, number, dice));
      if (dice.share() < 0.5) {
        rows.facts.push([id, dice.id(), factsOf(dice), START, START]);
        rows.said.push([id, 1, toldOf(series)]);
      }
      rows.genre.push(...series.genres.map((genre) => [id, genre]));
      if (dice.share() < 0.5) rows.tag.push(...series.tags.map((tag) => [id, tag]));
      if (rows.book.length === ROWS_PER_CALL) await flush();
    }
  }
  await flush();
};

/** The facts of a book, its series and whether it is live are looked up, as in a progress write. */
const insertProgress = async (db: Filling, { users, progress, books }: Size, { below, share, id }: Dice) => {
  const rows = new Map<string, unknown[]>();
  for (let n = 0; rows.size < progress; n += 1) {
    const [user, book, at, completed] = [1 + (n % users), 1 + below(books), START + below(5e10), share() < 0.6];
    rows.set(`${user} ${book}`, [
      user,
      book,
      id(),
      1 + below(100),
      Number(completed),
      completed ? at : null,
      at - below(1e6),
      at,
    ]);
  }
  const all = [...rows.values()];
  for (let at = 0; at < all.length; at += ROWS_PER_CALL) {
    await db.run(
      `INSERT INTO read_progress (user_id, book_id, series_id, live, uuid, current_page, completed, completed_at, started_at, updated_at)
       SELECT j.value ->> 0, b.id, b.series_id, 1 - b.deleted, unhex(j.value ->> 2), j.value ->> 3, j.value ->> 4, j.value ->> 5, j.value ->> 6, j.value ->> 7
       FROM json_each(?) j CROSS JOIN book b ON b.id = j.value ->> 1`,
      [JSON.stringify(all.slice(at, at + ROWS_PER_CALL))],
    );
  }
};

/** Counters of series and libraries: the program sets them itself, not a trigger. Grouped, since there is no index yet. */
const COUNTERS = `
UPDATE series SET book_count = c.books, file_size = c.bytes, page_count = c.pages
  FROM (SELECT series_id, count(*) AS books, sum(file_size) AS bytes, sum(page_count) AS pages FROM book WHERE deleted = 0 GROUP BY series_id) c
  WHERE series.id = c.series_id;
UPDATE library SET series_count = c.series, book_count = c.books
  FROM (SELECT library_id, count(*) AS series, sum(book_count) AS books FROM series WHERE book_count > 0 GROUP BY library_id) c
  WHERE library.id = c.library_id;`;

export const fill = async (db: Filling, size: Size): Promise<void> => {
  const dice = diceFrom(SEED);
  await insertPlaces(db, size, dice);
  const made = planSeries(size, dice);
  await insertSeries(db, made, dice);
  await insertBooks(db, made, dice);
  await db.exec(COUNTERS);
  await insertProgress(db, size, dice);
};
