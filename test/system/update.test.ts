// A data folder of an earlier version, with a warm cache, served by the program of today: what older rules made is made again from rows,
// without a scan, also when the program is killed in between.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { STORED_RULES } from '../../core/model/stored-rules.js';
import { withConnection } from '../../core/store/connection.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { until } from '../app.js';
import { fetch } from '../described.js';
import { EARLIER_LOGIN, type Earlier, unpackEarlier } from '../earlier.js';
import { assert, block, IS_FULL } from '../kit.js';
import { type Program, spawnProgram, startProgram } from './program.js';

const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };

const ask = async <T>({ database }: Earlier, sql: string): Promise<T[]> =>
  withConnection(database, (connection) => connection.all<T>(sql));

/** True when everything stored was made by the rules of today. */
const isMade = async (earlier: Earlier): Promise<boolean> => {
  const rows = await ask<{ name: string; number: number }>(earlier, 'SELECT name, number FROM stored_rule');
  return Object.entries(STORED_RULES).every(([rule, number]) =>
    rows.some((row) => row.name === rule && row.number === number),
  );
};

interface Answer {
  readonly status: number;
  readonly tag: string | null;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  readonly json: any;
}

type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

const signedIn = async ({ address }: Program): Promise<Call> => {
  let token = '';
  const call: Call = async (method, path, body, headers = {}) => {
    const reply = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: {
        ...headers,
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    const isJson = (reply.headers.get('content-type') ?? '').includes('json') && bytes.length > 0;
    const json = isJson ? JSON.parse(bytes.toString()) : undefined;
    return { status: reply.status, tag: reply.headers.get('etag'), bytes, json };
  };
  const login = await call('POST', '/auth/login', EARLIER_LOGIN);
  assert.is(login.status, 200, login.bytes.toString());
  token = login.json.access_token;
  return call;
};

let earlier: Earlier;
let program: Program;
let call: Call;
let books: Record<string, { readonly id: string; readonly [field: string]: unknown }>;

const digest = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');

const setUp = async (): Promise<void> => {
  earlier = await unpackEarlier();
  program = await startProgram(['--data', earlier.data], CHEAP);
  await until('everything is made again', () => isMade(earlier));
  call = await signedIn(program);
  const { data } = (await call('GET', '/books?pageSize=100')).json;
  books = Object.fromEntries(data.map((book: { path: string }) => [book.path.split('/').at(-1), book]));
};

const restart = async (settings: Readonly<Record<string, string>>): Promise<void> => {
  program.child.kill('SIGTERM');
  assert.is(await program.ended, 0, program.printed());
  program = await startProgram(['--data', earlier.data], { ...CHEAP, ...settings });
  call = await signedIn(program);
};

const tearDown = async (): Promise<void> => {
  program.child.kill('SIGTERM');
  const code = await program.ended;
  rmSync(earlier.folder, { recursive: true, force: true });
  assert.is(code, 0, program.printed());
};

const SCIENCE = 'Berserk c10.5.cbz';
const PAGES = ['001.png', '001-2.png', '002.png'];

block(
  'a data folder of an earlier version',
  (check) => {
    check('books are numbered in order, and one whose number was cleared and unlocked has one again', () =>
      assert.equal(
        ['Vol 1', 'Vol 1 - Extra', 'Vol 1-2', 'Vol 1.5', 'Vol 2', 'Vol 10'].map((name) => books[`${name}.cbz`]?.number),
        [1, 2, 3, 4, 5, 6],
      ),
    );
    check('pages are in order, without NAS thumbnails', async () => {
      const id = books[SCIENCE]?.id;
      const pages = (await call('GET', `/books/${id}/pages`)).json;
      assert.equal(
        pages.map(({ fileName }: { fileName: string }) => fileName),
        PAGES,
      );
      assert.is(books[SCIENCE]?.pageCount, 3);
      const [row] = await ask<{ same: number }>(
        earlier,
        'SELECT count(*) AS same FROM series s WHERE page_count <> (SELECT sum(page_count) FROM book b WHERE b.series_id = s.id)',
      );
      assert.is(row?.same, 0);
    });
    check('a warm cache of the old pages answers no request for the new ones', async () => {
      const id = books[SCIENCE]?.id;
      const small = await Promise.all([1, 2, 3].map((n) => call('GET', `/books/${id}/pages/${n}?width=20`)));
      assert.is(new Set(small.map(({ bytes }) => digest(bytes))).size, 3);
      // Red, green and blue: the only page of this book is the red one.
      const red = await call('GET', `/books/${books['Vol 1.cbz']?.id}/pages/1?width=20`);
      assert.is(digest(small[0]?.bytes ?? Buffer.alloc(0)), digest(red.bytes));
      const [cover, other] = [
        await call('GET', `/books/${id}/thumbnail`),
        await call('GET', `/books/${books['Vol 1.cbz']?.id}/thumbnail`),
      ];
      assert.is(digest(cover.bytes), digest(other.bytes));
      assert.is((await call('GET', `/books/${id}/pages/4`)).status, 404);
    });
    check('progress beyond the last page is shown as the last page, and kept', async () => {
      const progress = (await call('GET', `/books/${books[SCIENCE]?.id}/progress`)).json;
      assert.equal([progress.currentPage, progress.completed], [3, false]);
      assert.equal(await ask(earlier, 'SELECT current_page FROM read_progress'), [{ current_page: 4 }]);
    });
    check('a book of nothing but thumbnails has no pages, and says so', async () => {
      const book = books['Nothing.cbz'];
      assert.equal([book?.pageCount, book?.analyzed, typeof book?.analysisError], [0, false, 'string']);
      assert.is((await call('GET', `/books/${books['Nothing.cbz']?.id}/pages/1`)).status, 422);
    });
    check('volume and chapter are those of the file', () => {
      const book = books[SCIENCE];
      assert.equal([book?.volume, book?.chapter, book?.number], [3, 7, 1]);
    });
    check('series are listed under their letters', async () => {
      const { data } = (await call('GET', '/series?sort=name,asc&pageSize=50')).json;
      assert.equal(
        data.map(({ title }: { title: string }) => title),
        ['Ａｌｐｈａ', 'The Apple', 'Berserk', 'Only thumbnails', 'Ørsted', 'Zoo'],
      );
      assert.equal((await call('POST', '/series/list/alphabetical-groups', {})).json, [
        { group: 'a', count: 2 },
        { group: 'b', count: 1 },
        { group: 'o', count: 2 },
        { group: 't', count: 1 },
      ]);
    });
    check('words are found by their parts', async () => {
      for (const [query, name] of [
        ['berserk 10.5', SCIENCE],
        ['c10', SCIENCE],
        ['STRASSE', 'Straße 3.cbz'],
      ] as const) {
        const { data } = (await call('POST', '/books/list', { fullTextSearch: query })).json;
        assert.equal(
          data.map(({ path }: { path: string }) => path.split('/').at(-1)),
          [name],
          query,
        );
      }
    });
    check('it took no scan, and the next start has nothing to do', async () => {
      assert.not.match(program.printed(), /scan of/);
      await restart({});
      assert.not.match(program.printed(), /recomputing/);
    });
    check('images made with other settings are not served from the cache, and clients notice', async () => {
      const images = (): Promise<Answer[]> =>
        Promise.all(
          ['pages/1?width=20', 'thumbnail'].map((path) => call('GET', `/books/${books[SCIENCE]?.id}/${path}`)),
        );
      const before = await images();
      await restart({ SVC_PAGES__QUALITY: '5', SVC_THUMBNAIL__MAX_DIMENSION: '16' });
      const after = await images();
      for (const [at, { tag }] of before.entries()) assert.is.not(after[at]?.tag, tag);
      assert.is.not(digest(after[1]?.bytes ?? Buffer.alloc(0)), digest(before[1]?.bytes ?? Buffer.alloc(0)));
      await restart({});
      const again = await images();
      assert.equal(
        again.map(({ tag }) => tag),
        before.map(({ tag }) => tag),
      );
    });
  },
  { before: setUp, after: tearDown },
);

/** Many more books like those that are there. */
const COPIES = IS_FULL ? 600 : 300;
const MULTIPLY = `
CREATE TEMP TABLE n(n INTEGER PRIMARY KEY);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${COPIES}) INSERT INTO n SELECT n FROM c;
INSERT INTO series (id, uuid, library_id, path, name, name_sort, book_count, file_size, page_count, created_at, updated_at)
  SELECT 1000 + n, randomblob(16), library_id, path || n, name || n, 'old', 2, 2, 10, 0, 0 FROM n CROSS JOIN series WHERE name = 'Berserk';
INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, number, page_count, analyzed, created_at, updated_at)
  SELECT 1000 + 2 * n + k, randomblob(16), library_id, 1000 + n, folder_id, n || CASE k WHEN 0 THEN ' - Extra.cbz' ELSE '.cbz' END, 1, 1, 'cbz', 'The c' || n, 'old', 1 + k, 5, 1, 0, 0
  FROM n CROSS JOIN book CROSS JOIN (SELECT 0 AS k UNION ALL SELECT 1) WHERE file_name = '${SCIENCE}';
INSERT INTO book_pages (book_id, page_table)
  SELECT c.id, p.page_table FROM book c CROSS JOIN book b CROSS JOIN book_pages p ON p.book_id = b.id WHERE c.id > 1000 AND b.file_name = '${SCIENCE}';
DELETE FROM search_due WHERE id > 1000;
INSERT INTO book_words (rowid, title, series, rest) SELECT id, 'old', 'old', 'old' FROM book WHERE id > 1000;
INSERT INTO series_words (rowid, title, rest) SELECT id, 'old', 'old' FROM series WHERE id > 1000;
UPDATE series SET name_sort = 'old';
UPDATE library SET (series_count, book_count) = (SELECT count(*), sum(book_count) FROM series WHERE book_count > 0);
`;

/** What is left as an older rule made it; each number has to be 0 in the end. */
const LEFT = `SELECT
  (SELECT count(*) FROM book WHERE id > 1000 AND title_sort = 'old') + (SELECT count(*) FROM series WHERE name_sort = 'old') AS keys,
  (SELECT count(*) FROM book WHERE id > 1000 AND number <> CASE WHEN file_name LIKE '% - Extra.cbz' THEN 2 ELSE 1 END) AS numbers,
  (SELECT count(*) FROM book_pages WHERE rule <> ${STORED_RULES.pages}) + (SELECT count(*) FROM book WHERE id > 1000 AND page_count <> 3) AS pages,
  (SELECT count(*) FROM series WHERE id > 1000 AND page_count <> 6) AS counters,
  (SELECT count(*) FROM book_words WHERE book_words MATCH 'old') + (SELECT count(*) FROM series_words WHERE series_words MATCH 'old') AS words`;

const KILLS = IS_FULL ? 4 : 2;

block(
  'killed while rows are recomputed',
  (check) => {
    check(`${KILLS} times kill -9: it goes on each time, and in the end everything is recomputed`, async () => {
      const large = await unpackEarlier();
      try {
        await withConnection(large.database, (connection) => connection.exec(MULTIPLY));
        const place = async (): Promise<string> =>
          JSON.stringify(await ask(large, 'SELECT parameters, state, checkpoint FROM task').catch(() => []));
        let kills = 0;
        for (let before = await place(); kills < KILLS && !(await isMade(large).catch(() => false)); kills += 1) {
          const { child, ended } = spawnProgram(['serve', '--data', large.data, '--port', '0'], CHEAP);
          await until('it went on', async () => (await place()) !== before, 60_000);
          child.kill('SIGKILL');
          await ended;
          before = await place();
        }
        assert.ok(kills > 1, 'a kill came in the middle');
        const last = await startProgram(['--data', large.data], CHEAP);
        await until('everything is made again', () => isMade(large), 60_000);
        last.child.kill('SIGTERM');
        assert.is(await last.ended, 0, last.printed());
        assert.equal(await ask(large, LEFT), [{ keys: 0, numbers: 0, pages: 0, counters: 0, words: 0 }]);
        assert.equal((await checkDatabase(large.database, false)).faults, []);
      } finally {
        rmSync(large.folder, { recursive: true, force: true });
      }
    });
  },
  { deadlineS: 150 },
);
