// What is put in the place of a book after the scan: nothing but the file the library holds is ever served, and nothing is waited for.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const SECRET = 'secret words of somebody else';

interface Shelf {
  readonly temp: TempApp;
  readonly token: string;
  readonly outside: string;
  readonly ids: ReadonlyMap<string, string>;
  path(...parts: readonly string[]): string;
  get(path: string): Promise<{ readonly status: number; readonly bytes: Buffer; readonly json: unknown }>;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  scan(query?: string): Promise<any>;
}

const BOOKS = ['One', 'Two', 'Three'];

const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  const outside = mkdtempSync(join(tmpdir(), 'longbox-outside-'));
  try {
    const token = await temp.tokenOf('admin');
    for (const name of BOOKS) writeBook(join(temp.shelf, 'Alpha', `${name}.cbz`), 3, name);
    for (const name of ['Four', 'Five']) writeBook(join(temp.shelf, 'Beta', 'Deep', `${name}.cbz`), 3, name);
    const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
    const get: Shelf['get'] = (path) => temp.call('GET', `/api/v1${path}`, { token });
    const scan: Shelf['scan'] = async (query = '') => {
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan${query}`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      return (await get(`/libraries/${made.json.id}/scan-status`)).json;
    };
    await scan();
    const listed = await temp.call('GET', '/api/v1/books?pageSize=100', { token });
    const ids = new Map<string, string>(
      listed.json.data.map(({ title, id }: { title: string; id: string }) => [title, id]),
    );
    await use({ temp, token, outside, ids, get, scan, path: (...parts) => join(temp.shelf, ...parts) });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
    rmSync(outside, { recursive: true, force: true });
  }
};

/** A file outside that looks like the book: same size, same time. */
const twin = (path: string, book: string): void => {
  const { size, mtime } = statSync(book);
  writeFileSync(path, Buffer.alloc(size, SECRET));
  utimesSync(path, mtime, mtime);
};

const refusals = async ({ get }: Shelf, id: string | undefined): Promise<readonly number[]> => {
  const paths = [`/books/${id}/file`, `/books/${id}/pages/1`, `/books/${id}/pages/2?width=1`, `/books/${id}/thumbnail`];
  const statuses: number[] = [];
  for (const path of paths) {
    const answer = await get(path);
    assert.not.ok(answer.bytes.includes(SECRET), path);
    statuses.push(answer.status);
  }
  return statuses;
};

const liveBooks = async ({ get }: Shelf): Promise<number> =>
  ((await get('/books?pageSize=100')).json as { data: unknown[] }).data.length;

block(
  'links and pipes in place of books',
  (check) => {
    check('a link in place of a book is never followed: file, page, resized page', () =>
      withShelf(async (shelf) => {
        const book = shelf.path('Alpha', 'One.cbz');
        twin(join(shelf.outside, 'twin'), book);
        renameSync(book, join(shelf.outside, 'kept.cbz'));
        symlinkSync(join(shelf.outside, 'twin'), book);
        assert.equal((await refusals(shelf, shelf.ids.get('One'))).slice(0, 3), [503, 503, 503]);
      }),
    );
    check('a link to the very same book is refused as well', () =>
      withShelf(async (shelf) => {
        const book = shelf.path('Alpha', 'One.cbz');
        renameSync(book, join(shelf.outside, 'One.cbz'));
        symlinkSync(join(shelf.outside, 'One.cbz'), book);
        assert.equal((await refusals(shelf, shelf.ids.get('One'))).slice(0, 3), [503, 503, 503]);
      }),
    );
    check('a link in place of a parent is never followed', () =>
      withShelf(async (shelf) => {
        mkdirSync(join(shelf.outside, 'Deep'), { recursive: true });
        twin(join(shelf.outside, 'Deep', 'Four.cbz'), shelf.path('Beta', 'Deep', 'Four.cbz'));
        renameSync(shelf.path('Beta'), join(shelf.outside, 'Beta'));
        symlinkSync(shelf.outside, shelf.path('Beta'));
        assert.equal((await refusals(shelf, shelf.ids.get('Four'))).slice(0, 3), [503, 503, 503]);
      }),
    );
    check('a link is noticed even if the file is already open', () =>
      withShelf(async (shelf) => {
        const id = shelf.ids.get('Two');
        assert.is((await shelf.get(`/books/${id}/file`)).status, 200);
        const book = shelf.path('Alpha', 'Two.cbz');
        twin(join(shelf.outside, 'twin'), book);
        rmSync(book);
        symlinkSync(join(shelf.outside, 'twin'), book);
        await until(
          'the open file is looked at again',
          async () => (await shelf.get(`/books/${id}/file`)).status === 503,
        );
        assert.is((await refusals(shelf, id))[0], 503);
      }),
    );
    check('a pipe in place of a book blocks no one, however often it is requested', () =>
      withShelf(async (shelf) => {
        const book = shelf.path('Alpha', 'One.cbz');
        rmSync(book);
        execFileSync('mkfifo', [book]);
        const id = shelf.ids.get('One');
        const asked = Array.from({ length: 16 }, (_, n) =>
          shelf.get(`/books/${id}/${n % 2 === 0 ? 'file' : 'pages/1'}`),
        );
        assert.is((await shelf.get('/books')).status, 200);
        for (const { status } of await Promise.all(asked)) assert.is(status, 503);
        assert.is((await shelf.get(`/books/${shelf.ids.get('Two')}/file`)).status, 200);
      }),
    );
    check('a library whose folder is replaced by a link to its new place keeps working', () =>
      withShelf(async (shelf) => {
        renameSync(shelf.temp.shelf, join(shelf.outside, 'moved'));
        symlinkSync(join(shelf.outside, 'moved'), shelf.temp.shelf);
        assert.equal(await refusals(shelf, shelf.ids.get('One')), [200, 200, 200, 200]);
        assert.is((await shelf.scan()).status, 'completed');
        assert.is(await liveBooks(shelf), 5);
      }),
    );
    for (const mode of ['normal', 'deep'])
      check(`links in place of a book and of a folder keep their books in a ${mode} scan, and are counted`, () =>
        withShelf(async (shelf) => {
          const book = shelf.path('Alpha', 'One.cbz');
          rmSync(book);
          symlinkSync('/etc/passwd', book);
          renameSync(shelf.path('Beta'), join(shelf.outside, 'Beta'));
          symlinkSync(join(shelf.outside, 'Beta'), shelf.path('Beta'));
          const status = await shelf.scan(`?mode=${mode}`);
          assert.equal([status.status, status.linksFound], ['completed', 2]);
          assert.is(await liveBooks(shelf), 5);
          rmSync(book);
          assert.equal([(await shelf.scan()).linksFound, await liveBooks(shelf)], [1, 4]);
        }),
      );
    check('a cover and a sidecar reached through a link are not read', () =>
      withShelf(async (shelf) => {
        writeFileSync(join(shelf.outside, 'series.json'), JSON.stringify({ metadata: { name: SECRET } }));
        mkdirSync(shelf.path('Gamma'));
        writeBook(shelf.path('Gamma', 'Six.cbz'), 1, 'six');
        symlinkSync(join(shelf.outside, 'series.json'), shelf.path('Gamma', 'series.json'));
        symlinkSync('/etc/passwd', shelf.path('Gamma', 'cover.jpg'));
        await shelf.scan();
        const { json } = await shelf.get('/series?pageSize=100');
        assert.not.ok(JSON.stringify(json).includes(SECRET));
      }),
    );
  },
  { deadlineS: 120 },
);
