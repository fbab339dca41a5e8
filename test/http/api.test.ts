// The API by its rows, on a real shelf: libraries, lists, progress.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
let libraryId = '';

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const libraries = (check: Check): void => {
  check(
    'a path that is relative, missing or a file is 400, one that another library has is 409; both say so',
    async () => {
      const made = await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf } });
      assert.is(made.status, 201);
      libraryId = made.json.id;
      const file = join(temp.folder, 'file.txt');
      writeFileSync(file, 'x');
      const inner = join(temp.shelf, 'inner');
      mkdirSync(inner, { recursive: true });
      symlinkSync(inner, join(temp.folder, 'link'));
      const cases: readonly (readonly [string, number, RegExp])[] = [
        ['relative/path', 400, /absolute/],
        [join(temp.folder, 'missing'), 400, /Path does not exist/],
        [file, 400, /not a folder/],
        [temp.shelf, 409, /already has this path/],
        [inner, 409, /is inside the library "Shelf"/],
        [join(temp.folder, 'link'), 409, /is inside/],
        [temp.folder, 400, /contains the data folder/],
      ];
      const aside = join(temp.folder, 'aside');
      mkdirSync(aside);
      const other = (await api('POST', '/libraries', { body: { name: 'Aside', path: aside } })).json.id;
      for (const [path, status, words] of cases) {
        const made = await api('POST', '/libraries', { body: { name: 'Other', path } });
        const moved = await api('PATCH', `/libraries/${other}`, { body: { path } });
        assert.equal([made.status, moved.status], [status, status], path);
        assert.equal(
          [made.json.error, moved.json.error],
          status === 409 ? ['Conflict', 'Conflict'] : ['BadRequest', 'BadRequest'],
        );
        assert.match(made.json.message, words);
      }
      assert.is((await api('DELETE', `/libraries/${other}`)).status, 204);
    },
  );
  check(
    'both spellings of the scan configuration are accepted, and an update changes only the named fields',
    async () => {
      await api('PUT', `/libraries/${libraryId}`, {
        body: { scanning_config: { enabled: true, default_mode: 'deep', cron_schedule: '0 3 * * *' } },
      });
      const { json } = await api('PATCH', `/libraries/${libraryId}`, {
        body: { name: 'Books', scanningConfig: { scanOnStart: true } },
      });
      assert.equal(
        [
          json.name,
          json.path,
          json.scanningConfig.enabled,
          json.scanningConfig.scanMode,
          json.scanningConfig.cronSchedule,
          json.scanningConfig.scanOnStart,
        ],
        ['Books', temp.shelf, true, 'deep', '0 3 * * *', true],
      );
      assert.is((await api('POST', '/libraries', { body: { name: '  ', path: temp.folder } })).status, 400);
    },
  );
  check('a library that was never scanned has no status; a second concurrent scan is 409', async () => {
    assert.is((await api('GET', `/libraries/${libraryId}/scan-status`)).status, 404);
    mkdirSync(join(temp.shelf, 'Comics'), { recursive: true });
    for (const name of ['six-pages', 'image-zoo', 'bad-pages', 'comicinfo-full', 'webtoon-strip'])
      writeFileSync(join(temp.shelf, 'Comics', `${name}.cbz`), readFileSync(fixture(`books/${name}.cbz`)));
    for (let n = 1; n <= 30; n += 1) writeBook(join(temp.shelf, 'Many', `Many ${n}.cbz`), 2, `many ${n}`);
    const started = await api('POST', `/libraries/${libraryId}/scan`);
    assert.equal([started.status, started.json.status], [200, 'pending']);
    assert.is((await api('POST', `/libraries/${libraryId}/scan`)).status, 409);
    await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
    assert.equal(
      [
        (await api('GET', `/libraries/${libraryId}/scan-status`)).json.status,
        (await api('GET', `/libraries/${libraryId}`)).json.bookCount,
      ],
      ['completed', 35],
    );
  });
};

const titles = (answer: Answer): string[] => answer.json.data.map((book: { title: string }) => book.title);

const lists = (check: Check): void => {
  check('pages of a list cover everything once, in both directions, for every sort', async () => {
    for (const sort of ['title', 'number', 'file_size', 'page_count', 'created_at', 'modified_at']) {
      const whole = titles(await api('GET', `/books?sort=${sort}&pageSize=500`));
      const parts: string[] = [];
      for (let page = 1; page <= 5; page += 1)
        parts.push(...titles(await api('GET', `/books?sort=${sort}&pageSize=8&page=${page}`)));
      assert.equal(parts, whole, sort);
      assert.equal(titles(await api('GET', `/books?sort=${sort},desc&page_size=500`)), [...whole].reverse(), sort);
    }
  });
  check('links lead to the neighbours and keep the rest of the query', async () => {
    const { json } = await api('GET', `/books?page=2&pageSize=10&sort=title&library_id=${libraryId}`);
    assert.equal([json.page, json.pageSize, json.total, json.totalPages], [2, 10, 35, 4]);
    assert.ok(
      [json.links.prev, json.links.next].every(
        (link: string) => link.includes(`library_id=${libraryId}`) && link.includes('sort=title'),
      ),
    );
    const last = (await api('GET', json.links.last.replace('/api/v1', ''))).json;
    assert.equal([last.page, last.data.length, last.links.next], [4, 5, null]);
    assert.equal((await api('GET', '/books?page=99')).json.data, []);
  });
  check('filters by unknown ids match nothing', async () => {
    const { json } = await api('GET', '/books?series_id=01890000-0000-7000-8000-000000000000');
    assert.equal([json.total, json.data, json.totalPages, json.links.last.includes('page=1')], [0, [], 0, true]);
  });
  check('series carry counts, their books come in reading order', async () => {
    const { json } = await api('GET', '/series?sort=book_count,desc');
    assert.equal(
      json.data.map((one: { title: string; bookCount: number; unreadCount: number }) => [
        one.title,
        one.bookCount,
        one.unreadCount,
      ]),
      [
        ['Many', 30, 30],
        ['Comics', 5, 5],
      ],
    );
    const books = (await api('GET', `/series/${json.data[0].id}/books`)).json;
    assert.equal(
      books.slice(0, 3).map((book: { title: string }) => book.title),
      ['Many 1', 'Many 2', 'Many 3'],
    );
    for (const path of [`/series/${json.data[1].id}/thumbnail`, `/libraries/${libraryId}/thumbnail`])
      assert.is((await api('GET', path)).header('content-type'), 'image/jpeg');
  });
};

const bookOf = async (name: string): Promise<{ id: string; pageCount: number; path: string }> => {
  const { json } = await api('GET', '/books?pageSize=500');
  return json.data.find((book: { path: string }) => book.path.endsWith(`${name}.cbz`));
};

const progress = (check: Check): void => {
  check('progress: none, set, finished by the last page, undone by an earlier one, cleared', async () => {
    const { id } = await bookOf('six-pages');
    const at = `/books/${id}/progress`;
    assert.is((await api('GET', at)).status, 204);
    const put = async (body: unknown) => (await api('PUT', at, { body })).json;
    const first = await put({ current_page: 3 });
    assert.equal(
      [first.currentPage, first.completed, first.progressPercentage, first.completedAt],
      [3, false, 0.5, null],
    );
    temp.advance(1000);
    const done = await put({ currentPage: 6 });
    assert.equal([done.completed, done.id, done.startedAt], [true, first.id, first.startedAt]);
    temp.advance(1000);
    assert.is((await put({ current_page: 6 })).completedAt, done.completedAt);
    assert.equal(
      [
        (await put({ current_page: 2, is_completed: false })).completed,
        (await put({ current_page: 2, is_completed: true })).completed,
      ],
      [false, true],
    );
    assert.equal(
      [(await put({ current_page: 999 })).currentPage, (await put({ current_page: 0 })).currentPage],
      [6, 1],
    );
    assert.is((await api('PUT', at, { body: {} })).status, 400);
    assert.is((await api('GET', `/books/${id}`)).json.readProgress.currentPage, 1);
    assert.equal(
      [(await api('DELETE', at)).status, (await api('DELETE', at)).status, (await api('GET', at)).status],
      [204, 204, 204],
    );
  });
  check('a library is removed with everything in it, and its files stay', async () => {
    const { path } = await bookOf('six-pages');
    assert.is((await api('DELETE', `/libraries/${libraryId}`)).status, 204);
    assert.equal(
      [
        (await api('GET', '/books')).json.total,
        (await api('GET', '/series')).json.total,
        readFileSync(path).length > 0,
      ],
      [0, 0, true],
    );
    assert.equal(temp.faults, []);
  });
};

block(
  'API',
  (check) => {
    for (const part of [libraries, lists, progress]) part(check);
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
    },
    after: () => temp.close(),
  },
);
