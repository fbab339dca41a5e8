// Windows of lists over HTTP: both spellings of the size, what is clamped, what is refused, pages far behind the end.
import { join } from 'node:path';
import { ROUTES } from '../../http/api/rows/index.js';
import { API } from '../../http/api/surface.js';
import { toOpenApi } from '../../http/docs/openapi.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token: string;
let series: string;
let library: string;
let readList: string;

/** More than a page has unless a size is given. */
const BOOKS = 52;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const setUp = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  for (let n = 1; n <= BOOKS; n += 1) writeBook(join(temp.shelf, 'Many', `Many ${n}.cbz`), 1, `many ${n}`);
  const made = await ask('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
  library = made.json.id;
  await until('all books are analysed', async () => {
    const { data } = (await ask('GET', '/books?pageSize=500')).json;
    return data.length === BOOKS && data.every((book: { analyzed: boolean }) => book.analyzed);
  });
  series = (await ask('GET', '/series')).json.data[0].id;
  const books: { id: string }[] = (await ask('GET', '/books?pageSize=500')).json.data;
  for (let n = 0; n < BOOKS; n += 1) {
    await ask('POST', '/collections', { name: `All ${n}` });
    readList = (await ask('POST', '/readlists', { name: `All ${n}` })).json.id;
  }
  await ask('POST', `/readlists/${readList}/books`, { bookIds: books.map(({ id }) => id) });
  await ask('POST', `/series/${series}/read`);
};

/** Every paged list there is, so that a new one is tested by being in the table. */
const paged = (): string[] =>
  ROUTES.filter(
    ({ method, query, id }) =>
      method === 'GET' &&
      'pageSize' in (query as { properties: object }).properties &&
      id !== 'progress.list' &&
      !/^(?:collections|readlists|duplicates)\./.test(id),
  ).map(({ path }) => path.replace('{id}', library));

const windowIn = ({ status, json }: Answer): readonly unknown[] => [status, json.page, json.pageSize];

/** Not in pages unless one is asked for. */
const ARRAYS = new Set(['/api-keys', '/tasks']);

block(
  'paging of lists',
  (check) => {
    check('page_size means pageSize on every GET that has pages, and pageSize takes precedence', async () => {
      assert.ok(paged().length > 12);
      for (const path of paged()) {
        assert.equal(windowIn(await ask('GET', `${path}?page_size=3`)), [200, 1, 3], path);
        assert.equal(windowIn(await ask('GET', `${path}?page=2&page_size=3`)), [200, 2, 3], path);
        assert.equal(windowIn(await ask('GET', `${path}?page_size=3&pageSize=4`)), [200, 1, 4], path);
        const whole = await ask('GET', path);
        if (ARRAYS.has(path)) assert.ok(Array.isArray(whole.json), 'a plain array unless a page is asked for');
        else assert.equal(windowIn(whole), [200, 1, 50], path);
      }
      assert.is((await ask('GET', '/books?page=2&page_size=3')).json.data.length, 3);
    });
    check('paging outside the limits is clamped, in the envelope and in its links too', async () => {
      for (const path of paged()) {
        assert.equal(windowIn(await ask('GET', `${path}?page=0&pageSize=0`)), [200, 1, 50], path);
        assert.equal(windowIn(await ask('GET', `${path}?page=-7&pageSize=-1`)), [200, 1, 50], path);
        assert.equal(windowIn(await ask('GET', `${path}?pageSize=501`)), [200, 1, 500], path);
        assert.equal(windowIn(await ask('GET', `${path}?page_size=99999999999999999999`)), [200, 1, 500], path);
      }
      const { json } = await ask('GET', '/books?page=-1&pageSize=0&sort=title');
      assert.is(json.links.self, '/api/v1/books?page=1&pageSize=50&sort=title');
      for (const path of ['/books/list', '/series/list'])
        assert.equal(windowIn(await ask('POST', `${path}?page=0&pageSize=501`, {})), [200, 1, 500], path);
    });
    check('a page far beyond the end is empty', async () => {
      for (const path of paged()) {
        for (const page of [2 ** 31, 2 ** 53, '99999999999999999999']) {
          const { status, json } = await ask('GET', `${path}?page=${page}&pageSize=500`);
          assert.equal(
            [status, json.data ?? json.groups, json.links?.next ?? null],
            [200, [], null],
            `${path} ${page}`,
          );
        }
      }
      for (const condition of [undefined, { title: { operator: 'contains', value: 'many' } }]) {
        const answer = await ask('POST', `/books/list?page=${2 ** 40}&pageSize=500`, { condition });
        assert.equal([answer.status, answer.json.data, answer.json.total], [200, [], BOOKS]);
      }
    });
    check('lists that clients fetch as a whole are returned whole, and paged on request', async () => {
      const count = async (path: string): Promise<number> => {
        const { json } = await ask('GET', path);
        return (json.items ?? json).length;
      };
      const queries = [
        '',
        '?page=2',
        '?pageSize=3',
        '?page_size=4',
        '?pageSize=0',
        '?page=2&pageSize=51',
        '?pageSize=501',
      ];
      for (const path of ['/collections', '/readlists', `/readlists/${readList}/books`])
        assert.equal(await Promise.all(queries.map((query) => count(path + query))), [52, 2, 3, 4, 50, 1, 52], path);
      assert.is((await ask('GET', '/readlists?pageSize=1')).json.total, 52);
    });
    check('limits of plain arrays are clamped like page sizes', async () => {
      for (const path of ['/books/recently-read', `/libraries/${library}/books/recently-read`]) {
        const lengths = ['', '?limit=3', '?limit=0', '?limit=-1', '?limit=501'].map(
          async (query) => (await ask('GET', path + query)).json.length,
        );
        assert.equal(await Promise.all(lengths), [50, 3, 50, 50, BOOKS], path);
      }
    });
    check('anything but a whole number is refused by the name under which it was sent', async () => {
      for (const [path, name] of [
        ['/books?page=x', 'page'],
        ['/books?pageSize=1.5', 'pageSize'],
        ['/series?page_size=many', 'page_size'],
        ['/books/recently-read?limit=1e2', 'limit'],
        ['/progress?pageSize=all', 'pageSize'],
      ] as const) {
        const answer = await ask('GET', path);
        assert.equal([answer.status, answer.json.details[0].path], [400, name], path);
        assert.match(answer.json.message, 'whole number');
      }
    });
    check('the description gives the defaults', () => {
      const { paths } = toOpenApi([API], '0') as { paths: Record<string, { get: { parameters: never[] } }> };
      const described = (paths['/api/v1/books']?.get.parameters ?? []) as readonly { name: string }[];
      const parameters = new Map(described.map((parameter) => [parameter.name, parameter]));
      const shared = { in: 'query', required: false };
      assert.equal(parameters.get('page'), {
        name: 'page',
        ...shared,
        description: 'The page number, starting at 1; anything less counts as 1.',
        schema: { type: 'integer', default: 1 },
      });
      assert.equal(parameters.get('pageSize'), {
        name: 'pageSize',
        ...shared,
        description: 'Number of items per page, at most 500; more counts as 500, less than 1 as 50.',
        schema: { type: 'integer', default: 50 },
      });
    });
    check('all progress is returned unless paging is requested', async () => {
      const lengthOf = async (query: string): Promise<readonly number[]> => {
        const { json } = await ask('GET', `/progress${query}`);
        return [json.progress.length, json.total];
      };
      assert.equal(await lengthOf(''), [BOOKS, BOOKS]);
      assert.equal(await lengthOf('?page_size=3'), [3, BOOKS]);
      assert.equal(await lengthOf('?pageSize=0'), [50, BOOKS]);
      assert.equal(await lengthOf('?page=2'), [BOOKS - 50, BOOKS]);
      assert.equal(await lengthOf(`?page=${2 ** 40}&pageSize=500`), [0, BOOKS]);
    });
  },
  { before: setUp, after: () => temp.close() },
);
