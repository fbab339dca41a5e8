// A data folder as the version of schema 11 leaves it. Its own program makes the rows (million.ts of that build); user data and page tables
// are added here, in the schema of that version. Nothing of the current schema is used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BookFormat } from '../core/model/formats.js';
import type { NamedPage } from '../core/model/jobs.js';
import { encodePageTable, METHOD } from '../core/model/page-table.js';
import { databasePath } from '../core/start.js';
import { withConnection } from '../core/store/connection.js';
import { diceFrom } from './million-dice.js';
import type { Filling, Size } from './million-rows.js';

const SEED = 11;
/** Increase it when the generated rows change. */
const MAKER = 2;

const sizeOf = (books: number): Size => ({
  books,
  series: Math.max(20, Math.round(books / 25)),
  libraries: 20,
  users: 10,
  progress: Math.round(books / 5),
  genres: 60,
  tags: 2000,
});

/** Names begin with the number, so file order equals number order, as a scan of that version left it. */
const NUMBERS = `
UPDATE book SET file_name = printf('%06d ', number) || file_name, volume = NULL;
UPDATE book SET number = NULL WHERE deleted = 1;
UPDATE book SET number = c.place FROM (SELECT id, row_number() OVER (PARTITION BY series_id ORDER BY file_name) AS place FROM book WHERE deleted = 0) c
  WHERE book.id = c.id AND book.number <> c.place;
UPDATE book SET number_locked = 1 WHERE id % 97 = 0 AND deleted = 0;`;

/** The bench of that version sorted libraries by their plain names, and progress could be beyond the last page. */
const AS_STORED = `
UPDATE library SET name_sort = printf('library %010d', id);
UPDATE read_progress SET current_page = (SELECT min(current_page, page_count) FROM book WHERE id = book_id);`;

/** The invented titles are those of files, or settling the books again would name them after their files. */
const TITLES = `
UPDATE library SET book_strategy = 'metadata_first';
INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at)
  SELECT id, randomblob(16), '{}', created_at, updated_at FROM book WHERE id NOT IN (SELECT book_id FROM book_metadata) AND analyzed = 1;
UPDATE book_metadata SET facts = json_set(facts, '$.title', (SELECT title FROM book WHERE id = book_id));`;

const LOCKS = `
UPDATE book_metadata SET locks = '["title","summary"]' WHERE book_id % 5 = 0;
UPDATE series SET locks = '["summary","publisher"]' WHERE id % 3 = 0;`;

const OF_USERS = `
INSERT INTO want_to_read (uuid, user_id, book_id, position, added_at)
  SELECT randomblob(16), 1 + id % 10, id, id, id FROM book WHERE id % 1009 = 5 AND deleted = 0;
INSERT INTO read_cleared (user_id, book_id, cleared_at) SELECT 1 + id % 10, id, id FROM book WHERE id % 2003 = 6;
INSERT INTO series_title (uuid, series_id, label, title, created_at, updated_at)
  SELECT randomblob(16), id, 'Other', 'Other ' || name, id, id FROM series WHERE id % 11 = 0;`;

const COUNT = 200;
const LISTS = `
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${COUNT})
  INSERT INTO collection (id, uuid, name, name_key, name_sort, ordered, created_at, updated_at)
  SELECT n, randomblob(16), 'Collection ' || n, 'collection ' || n, printf('collection %010d', n), n % 2, n, n FROM c;
INSERT INTO collection_series (collection_id, series_id, position, added_at)
  SELECT 1 + id % ${COUNT}, id, id, id FROM series WHERE id % 2 = 0;
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${COUNT})
  INSERT INTO read_list (id, uuid, name, name_key, name_sort, ordered, created_at, updated_at)
  SELECT n, randomblob(16), 'List ' || n, 'list ' || n, printf('list %010d', n), n % 2, n, n FROM c;
INSERT INTO read_list_book (read_list_id, book_id, position, added_at)
  SELECT 1 + id % ${COUNT}, id, id, id FROM book WHERE id % 20 = 7;`;

const FORMATS: readonly BookFormat[] = ['cbz', 'cbr', 'epub', 'pdf'];
/** One book in this many has NAS thumbnails among its pages, like an archive packed on a NAS. */
export const WITH_JUNK = 200;
const PAGES = [20, 319] as const;

const pageTables = function* (): Generator<readonly [pages: number, format: string, junk: number, blob: Uint8Array]> {
  const { below } = diceFrom(SEED);
  const page = (name: string): NamedPage => ({
    name,
    address: { in: 'file', offset: below(1e8), headerBytes: 30 + name.length },
    packedSize: 1e5 + below(1e6),
    size: 1e5 + below(1e6),
    width: 1000 + below(1000),
    height: 1500 + below(1000),
    method: METHOD.stored,
    media: 1,
    fault: 0,
  });
  for (let pages = PAGES[0]; pages <= PAGES[1]; pages += 1)
    for (const format of FORMATS) {
      const sound = Array.from({ length: pages }, (_, at) => page(`pages/${String(at + 1).padStart(4, '0')}.jpg`));
      yield [pages, format, 0, encodePageTable(format, sound)];
      const junk = [page('@eaDir/0001.jpg/SYNOPHOTO_THUMB_M.jpg'), ...sound.slice(1)];
      yield [pages, format, 1, encodePageTable(format, junk)];
    }
};

const insertPageTables = async (db: Filling): Promise<void> => {
  await db.exec(
    'CREATE TEMP TABLE made(pages INTEGER, format TEXT, junk INTEGER, blob BLOB, PRIMARY KEY (pages, format, junk)) WITHOUT ROWID',
  );
  for (const [pages, format, junk, blob] of pageTables())
    await db.run('INSERT INTO temp.made VALUES (?, ?, ?, ?)', [pages, format, junk, Buffer.from(blob)]);
  await db.exec(
    `INSERT INTO book_pages (book_id, page_table) SELECT b.id, m.blob FROM book b CROSS JOIN temp.made m
     ON m.pages = b.page_count AND m.format = b.format AND m.junk = (b.id % ${WITH_JUNK} = 0)`,
  );
};

const runOld = async (build: string, folder: string, size: Size): Promise<void> => {
  const module = pathToFileURL(join(build, 'dist', 'bench', 'million.js')).href;
  const script = `const { million } = await import(${JSON.stringify(module)}); await million(${JSON.stringify(folder)}, ${JSON.stringify(size)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the old build ended with ${code}`);
};

type OldProgram = Pick<typeof import('./program.js'), 'startProgram'>;

export const oldProgram = async (build: string): Promise<OldProgram> =>
  import(pathToFileURL(join(build, 'dist', 'bench', 'program.js')).href);

/** Finds the folder below `folder`, or creates it. */
export const earlierFolder = async (build: string, folder: string, books: number): Promise<string> => {
  const place = join(folder, 'million');
  const marker = join(folder, 'made.json');
  const made = JSON.stringify({ books, by: MAKER });
  if (existsSync(marker) && readFileSync(marker, 'utf8') === made) return place;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await runOld(build, folder, sizeOf(books));
  await withConnection(databasePath(place), async (db) => {
    await db.exec('PRAGMA synchronous=OFF; PRAGMA cache_size=-262144; BEGIN');
    for (const rows of [NUMBERS, AS_STORED, TITLES, LOCKS, OF_USERS, LISTS]) await db.exec(rows);
    await insertPageTables(db);
    await db.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)');
  });
  // The next start indexes for search what these rows left waiting.
  const program = await (await oldProgram(build)).startProgram(place, true);
  await program.stop();
  writeFileSync(marker, made);
  return place;
};
