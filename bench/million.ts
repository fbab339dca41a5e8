// Builds a database of a million books and keeps it for the next run: node dist/bench/million.js FOLDER. Triggers and indexes are added
// last, and what they would have written is written in bulk. A small database built both ways verifies that the result is the same.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { keepBatch } from '../core/catalog/search/index-upkeep.js';
import { backupFolder, databasePath } from '../core/start.js';
import { withConnection } from '../core/store/connection.js';
import { migrate } from '../core/store/migrate.js';
import { COUNT_CREDITS } from '../core/store/migrations/0033-people.js';
import { MIGRATIONS } from '../core/store/migrations/index.js';
import { type Filling, fill, type Size } from './million-rows.js';
import { LOGIN } from './program.js';

export const MILLION: Size = {
  books: 1_000_000,
  series: 40_000,
  libraries: 20,
  users: 10,
  progress: 200_000,
  genres: 60,
  tags: 2000,
};
/** Small enough for triggers, large enough to contain every kind of row. */
const SAMPLE: Size = { books: 3000, series: 120, libraries: 4, users: 5, progress: 1500, genres: 20, tags: 50 };

const BATCH = 5000;

/** What the triggers for reading and search would write; those for people have a statement of their own. */
const BY_READING = `
INSERT INTO read_completion (uuid, user_id, book_id, started_at, completed_at)
  SELECT uuid, user_id, book_id, started_at, completed_at FROM read_progress WHERE completed = 1;
INSERT INTO series_reading (user_id, series_id, book_count, completed_count, in_progress_count, last_read_at, last_completed_at)
  SELECT p.user_id, p.series_id, s.book_count, sum(p.completed), sum(1 - p.completed), max(p.updated_at), max(p.completed_at)
  FROM read_progress p JOIN series s ON s.id = p.series_id WHERE p.live = 1 GROUP BY p.user_id, p.series_id;`;
const BY_SEARCH = `
INSERT INTO search_due (kind, id) SELECT 0, id FROM book;
INSERT INTO search_due (kind, id) SELECT 1, id FROM series;`;

const keepAll = async (db: Filling): Promise<void> => {
  while ((await keepBatch(db, BATCH)) > 0);
};

/** Logs to stderr how long each step took. */
const stepsFrom = (started: number): ((name: string) => void) => {
  let last = started;
  return (name) => {
    const now = performance.now();
    process.stderr.write(`  ${name}: ${((now - last) / 1000).toFixed(1)} s\n`);
    last = now;
  };
};

/**
 * An index built over existing rows costs a fifth of one maintained row by row; triggers would also look up each row again. Only the trigger
 * for words stays: it fires once for each distinct word.
 */
const inBulk = async (db: Filling, size: Size): Promise<void> => {
  const found = await db.all<{ type: string; name: string; sql: string }>(
    `SELECT type, name, sql FROM sqlite_schema
     WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND name <> 'search_word_came'`,
  );
  const step = stepsFrom(performance.now());
  for (const { type, name } of found) await db.exec(`DROP ${type} ${name}`);
  await fill(db, size);
  step('rows');
  await db.exec(BY_READING + BY_SEARCH + COUNT_CREDITS);
  step('reading');
  await keepAll(db);
  step('words');
  for (const { sql } of found) await db.exec(sql);
  step('indexes');
};

/** The program adjusts the series counters, so the rows that triggers create for them start at zero. */
const rowByRow = async (db: Filling, size: Size): Promise<void> => {
  await fill(db, size);
  await keepAll(db);
};

const build = async (folder: string, size: Size, body: (db: Filling, size: Size) => Promise<void>): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const path = databasePath(folder);
  await migrate(path, backupFolder(folder));
  await withConnection(path, async (db) => {
    await db.exec('PRAGMA synchronous=OFF; PRAGMA cache_size=-262144; PRAGMA foreign_keys=OFF; BEGIN');
    await body(db, size);
    await db.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)');
  });
};

const WORD_TABLES = ['book_words', 'series_words', 'book_trigram', 'search_word_trigram'];

/**
 * Every row of every table, and every word with the rows that contain it. The password hash contains salt, the epoch is random; word tables have no rows of
 * their own.
 */
const contentOf = (folder: string): Promise<ReadonlyMap<string, string>> =>
  withConnection(databasePath(folder), async (db) => {
    const listed = await db.all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT GLOB '*_words*' AND name NOT GLOB '*_trigram*'`,
    );
    const names = listed.map(({ name }) => name);
    for (const name of WORD_TABLES) {
      await db.exec(`CREATE VIRTUAL TABLE temp.${name}_list USING fts5vocab('main', '${name}', 'instance')`);
      names.push(`temp.${name}_list`);
    }
    const contents = new Map<string, string>();
    for (const name of names) {
      const rows = await db.all<Record<string, unknown>>(`SELECT * FROM ${name}`);
      const texts = rows.map((row) => JSON.stringify({ ...row, password_hash: undefined, epoch: undefined })).sort();
      contents.set(name, texts.join('\n'));
    }
    return contents;
  });

/** Throws when the bulk build leaves anything other than the triggers would. */
export const checkBulk = async (folder: string): Promise<void> => {
  const ways = { bulk: inBulk, triggers: rowByRow };
  const contents: ReadonlyMap<string, string>[] = [];
  for (const [name, way] of Object.entries(ways)) {
    const place = join(folder, name);
    rmSync(place, { recursive: true, force: true });
    await build(place, SAMPLE, way);
    contents.push(await contentOf(place));
    rmSync(place, { recursive: true });
  }
  const [bulk = new Map<string, string>(), triggers = new Map<string, string>()] = contents;
  const other = [...triggers].filter(([name, text]) => bulk.get(name) !== text).map(([name]) => name);
  if (other.length > 0) throw new Error(`the bulk build differs from the triggers in ${other.join(', ')}`);
};

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Files that determine the contents of the database. */
const MAKERS = ['million.js', 'million-rows.js', 'million-dice.js', 'corpus.js'].map((file) => join(HERE, file));
const SEARCH = join(HERE, '..', 'core', 'catalog', 'search');
const MODEL = ['search-key.js', 'search-words.js', 'sort-key.js'].map((file) =>
  join(HERE, '..', 'core', 'model', file),
);

const fingerprint = (): string => {
  const hash = createHash('sha256').update(JSON.stringify([MIGRATIONS, LOGIN]));
  const files = [...MAKERS, ...MODEL, ...readdirSync(SEARCH).map((file) => join(SEARCH, file))];
  for (const file of files.filter((name) => name.endsWith('.js')).sort()) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
};

export interface Million {
  /** A data folder of the program. */
  readonly folder: string;
  /** Undefined if it already existed. */
  readonly seconds: number | undefined;
}

/** Finds the database of this schema and this generator below a folder, or builds it and deletes an outdated one. */
export const million = async (folder: string, size: Size = MILLION): Promise<Million> => {
  const place = join(folder, 'million');
  const marker = join(place, 'made.json');
  const made = JSON.stringify({ size, by: fingerprint() });
  if (existsSync(marker) && readFileSync(marker, 'utf8') === made) return { folder: place, seconds: undefined };
  rmSync(place, { recursive: true, force: true });
  await checkBulk(join(folder, 'million-check'));
  const started = performance.now();
  await build(place, size, inBulk);
  const seconds = (performance.now() - started) / 1000;
  writeFileSync(marker, made);
  return { folder: place, seconds };
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Name the folder to build in.');
  const { folder: place, seconds } = await million(folder);
  console.log(seconds === undefined ? `${place} already exists` : `${place} built in ${Math.round(seconds)} s`);
}
