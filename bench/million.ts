// Builds a database of a million books by SQL alone, for measuring lists: node dist/bench/million.js FOLDER. No files of books are made.
import { mkdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { keepBatch } from '../core/catalog/search/keep.js';
import { newId } from '../core/model/ids.js';
import { caseKey } from '../core/model/search-key.js';
import { sortKey } from '../core/model/sort-key.js';
import { backupFolder, databasePath } from '../core/start.js';
import { type Tx, withConnection } from '../core/store/connection.js';
import { migrate } from '../core/store/migrate.js';

export interface Size {
  readonly books: number;
  readonly series: number;
  readonly libraries: number;
  readonly users: number;
  readonly progress: number;
  readonly genres: number;
  readonly tags: number;
}

export const MILLION: Size = {
  books: 1_000_000,
  series: 40_000,
  libraries: 20,
  users: 10,
  progress: 200_000,
  genres: 60,
  tags: 2000,
};

type Connection = Tx & { exec(sql: string): Promise<void> };

const START = Date.UTC(2024, 0, 1);
const ROWS_PER_CALL = 5000;

/** The same numbers in every run. */
const randomFrom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};
const random = randomFrom(7);
const below = (limit: number): number => Math.floor(random() * limit);
/** Small numbers far more often than large ones. */
const skewed = (limit: number): number => Math.floor(limit * random() ** 3);

const SYLLABLES = 'ka lo mi ra tén sha vor él du rin ost bay cru del éau fir gon hul'.split(' ');
const CJK = '進撃巨人鬼滅刃海賊王全職獵名探偵東京喰種約束夢幻島剣士龍虎風雲山川花の物語が冒険ピカ';

const word = (): string => {
  const text = Array.from({ length: 2 + below(2) }, () => SYLLABLES[below(SYLLABLES.length)] ?? '').join('');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
const cjk = (): string => Array.from({ length: 2 + below(4) }, () => [...CJK][below(CJK.length)] ?? '').join('');

const WORDS = [...Array.from({ length: 3000 }, word), 'Chronicles', 'Épée', 'Dragon', 'The'];
const aWord = (): string => WORDS[skewed(WORDS.length)] ?? '';
const aName = (): string => (random() < 0.2 ? cjk() : `${aWord()} ${aWord()}`);

const insert = async (db: Connection, into: string, columns: readonly string[], rows: readonly unknown[][]) => {
  const values = columns.map((name, at) => (name === 'uuid' ? `unhex(j.value ->> ${at})` : `j.value ->> ${at}`));
  const sql = `INSERT INTO ${into} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?) j`;
  for (let at = 0; at < rows.length; at += ROWS_PER_CALL)
    await db.run(sql, [JSON.stringify(rows.slice(at, at + ROWS_PER_CALL))]);
};

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

const insertPlaces = async (db: Connection, size: Size): Promise<void> => {
  const named = ['id', 'uuid', 'name', 'name_sort', 'root', 'created_at', 'updated_at'];
  await insert(
    db,
    'library',
    named,
    range(size.libraries).map((n) => [n, newId(START), `Library ${n}`, `library ${n}`, `/shelf/${n}`, START, START]),
  );
  await insert(
    db,
    'user',
    [
      'id',
      'uuid',
      'username',
      'username_key',
      'email',
      'email_key',
      'password_hash',
      'role',
      'created_at',
      'updated_at',
    ],
    range(size.users).map((n) => [n, newId(START), `u${n}`, `u${n}`, `u${n}@x`, `u${n}@x`, '', 'admin', START, START]),
  );
  for (const kind of ['genre', 'tag'] as const) {
    const rows = range(kind === 'genre' ? size.genres : size.tags).map((n) => {
      const name = `${kind} ${n}`;
      return [n, newId(START), name, caseKey(name), START];
    });
    await insert(db, kind, ['id', 'uuid', 'name', 'name_key', 'created_at'], rows);
  }
};

interface MadeSeries {
  readonly id: number;
  readonly library: number;
  readonly books: number;
  readonly genres: readonly number[];
  readonly tags: readonly number[];
}

const STATUSES = ['ongoing', 'ended', 'hiatus', 'abandoned', 'unknown', null];

/** A few series are huge, most are small. */
const insertSeries = async (db: Connection, size: Size): Promise<readonly MadeSeries[]> => {
  const weights = range(size.series).map((n) => 1 / (n + 10));
  const scale = size.books / weights.reduce((sum, weight) => sum + weight, 0);
  const made: MadeSeries[] = weights.map((weight, index) => ({
    id: index + 1,
    library: 1 + skewed(size.libraries),
    books: Math.max(1, Math.round(weight * scale)),
    genres: [...new Set([1 + skewed(size.genres), 1 + skewed(size.genres)])],
    tags: [...new Set([1 + skewed(size.tags), 1 + below(size.tags)])],
  }));
  const columns =
    'id uuid library_id path name name_sort publisher language status year total_volume_count summary authors created_at updated_at'.split(
      ' ',
    );
  const rows = made.map(({ id, library }) => {
    const name = `${aName()} ${id}`;
    const at = START + below(1e10);
    const authors = JSON.stringify([{ name: `${aWord()} ${aWord()}`, role: 'writer', sortName: null }]);
    const said = [`Publisher ${skewed(300)}`, ['en', 'ja', 'fr', null][below(4)], STATUSES[below(6)]];
    const year = random() < 0.8 ? 1950 + below(75) : null;
    const rest = [year, random() < 0.5 ? below(40) : null, `${aWord()} ${aWord()} ${aWord()}`, authors, at, at];
    return [id, newId(at), library, `${name}`, name, sortKey(name), ...said, ...rest];
  });
  await insert(db, 'series', columns, rows);
  await insert(
    db,
    'folder',
    ['id', 'library_id', 'path'],
    made.map(({ id, library }) => [id, library, `folder ${id}`]),
  );
  for (const kind of ['genre', 'tag'] as const) {
    const links = made.flatMap((series) => (kind === 'genre' ? series.genres : series.tags).map((n) => [series.id, n]));
    await insert(db, `series_${kind}`, ['series_id', `${kind}_id`], links);
  }
  return made;
};

const BOOK_COLUMNS =
  'id uuid library_id series_id folder_id file_name file_size file_mtime format title title_sort number volume page_count analyzed analysis_error deleted created_at updated_at'.split(
    ' ',
  );

const bookOf = (id: number, series: MadeSeries, number: number): unknown[] => {
  const title = random() < 0.7 ? `${aName()} ${number}` : `Chapter ${number}`;
  const at = START + id * 1000;
  const isGone = random() < 0.01;
  const format = ['cbz', 'cbz', 'cbz', 'cbz', 'cbz', 'cbr', 'epub', 'pdf'][below(8)];
  const file = [`${title} (${number}).${format}`, 1e6 + below(1e8), START + below(1e10), format];
  const pages = [20 + below(300), 1, random() < 0.005 ? 'broken' : null, Number(isGone), at, at];
  const place = [series.library, series.id, series.id];
  return [id, newId(at), ...place, ...file, title, sortKey(title), number, Math.ceil(number / 10), ...pages];
};

const factsOf = (): string => {
  const facts: Record<string, unknown> = { year: 1950 + below(75), month: 1 + below(12) };
  if (random() < 0.5) facts.authors = [{ name: `${aWord()} ${aWord()}`, role: 'writer', sortName: null }];
  if (random() < 0.5) facts.summary = Array.from({ length: 20 }, aWord).join(' ');
  if (random() < 0.2) facts.bookType = 'manga';
  return JSON.stringify(facts);
};

const insertBooks = async (db: Connection, made: readonly MadeSeries[]): Promise<number> => {
  let id = 0;
  let [books, facts, genres, tags]: unknown[][][] = [[], [], [], []];
  const flush = async (): Promise<void> => {
    await insert(db, 'book', BOOK_COLUMNS, books ?? []);
    await insert(db, 'book_metadata', ['book_id', 'uuid', 'facts', 'created_at', 'updated_at'], facts ?? []);
    await insert(db, 'book_genre', ['book_id', 'genre_id'], genres ?? []);
    await insert(db, 'book_tag', ['book_id', 'tag_id'], tags ?? []);
    [books, facts, genres, tags] = [[], [], [], []];
  };
  for (const series of made) {
    for (let number = 1; number <= series.books; number += 1) {
      id += 1;
      books?.push(bookOf(id, series, number));
      if (random() < 0.5) facts?.push([id, newId(START), factsOf(), START, START]);
      genres?.push(...series.genres.map((genre) => [id, genre]));
      if (random() < 0.5) tags?.push(...series.tags.map((tag) => [id, tag]));
      if (books?.length === ROWS_PER_CALL) await flush();
    }
  }
  await flush();
  return id;
};

const insertProgress = async (db: Connection, { users, progress }: Size, books: number): Promise<void> => {
  const rows = Array.from({ length: progress }, (_, n) => {
    const [at, completed] = [START + below(5e10), Number(random() < 0.6)];
    return [
      1 + (n % users),
      1 + below(books),
      newId(at),
      1 + below(100),
      completed,
      completed === 1 ? at : null,
      at,
      at,
    ];
  });
  const columns = 'user_id book_id uuid current_page completed completed_at started_at updated_at'.split(' ');
  const seen = new Map(rows.map((row) => [`${row[0]} ${row[1]}`, row]));
  await insert(db, 'read_progress', columns, [...seen.values()]);
};

const COUNTERS = `
UPDATE series SET (book_count, file_size, page_count) =
  (SELECT count(*), coalesce(sum(file_size), 0), coalesce(sum(page_count), 0) FROM book WHERE series_id = series.id AND deleted = 0);
UPDATE library SET series_count = (SELECT count(*) FROM series WHERE library_id = library.id AND book_count > 0),
  book_count = (SELECT coalesce(sum(book_count), 0) FROM series WHERE library_id = library.id);`;

/** Indexes are made when the rows are there: five times as quick as keeping them row by row. */
const withoutIndexes = async (db: Connection, body: () => Promise<void>): Promise<void> => {
  const found = await db.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND name <> 'book_by_series'`,
  );
  for (const { name } of found) await db.exec(`DROP INDEX ${name}`);
  await body();
  for (const { sql } of found) await db.exec(sql);
};

export const buildMillion = async (folder: string, size: Size = MILLION): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const path = databasePath(folder);
  await migrate(path, backupFolder(folder));
  await withConnection(path, async (db) => {
    await db.exec('PRAGMA synchronous=OFF; PRAGMA cache_size=-262144; PRAGMA foreign_keys=OFF');
    await withoutIndexes(db, async () => {
      await db.exec('BEGIN');
      await insertPlaces(db, size);
      const books = await insertBooks(db, await insertSeries(db, size));
      await insertProgress(db, size, books);
      await db.exec(`${COUNTERS} COMMIT`);
    });
    for (let done = -1; done !== 0; ) {
      await db.exec('BEGIN');
      done = await keepBatch(db, ROWS_PER_CALL);
      await db.exec('COMMIT');
    }
    await db.exec('ANALYZE');
  });
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Name the folder to build in.');
  const started = Date.now();
  await buildMillion(folder);
  console.log(`built in ${Math.round((Date.now() - started) / 1000)} s`);
}
