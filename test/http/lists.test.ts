// Lists over HTTP: what is refused, envelopes and spellings, conditions and searches on scanned books, lists of a library.
import { join } from 'node:path';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token: string;
let library: string;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const titlesOf = (answer: Answer): string[] => {
  assert.is(answer.status, 200, JSON.stringify(answer.json));
  return (answer.json.data ?? answer.json).map(({ title }: { title: string }) => title);
};

const TITLES = ['Alpha 1', 'Alpha 2', 'Épée 1', '進撃の巨人'];

const setUp = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  for (const name of ['Alpha 1', 'Alpha 2']) writeBook(join(temp.shelf, 'Alpha', `${name}.cbz`), 2, name);
  writeBook(join(temp.shelf, 'Bêta', 'Épée 1.cbz'), 3, 'c');
  writeBook(join(temp.shelf, 'Gamma', '進撃の巨人.cbz'), 4, 'd');
  const made = await ask('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
  library = made.json.id;
  await until(
    'all books are analysed',
    async () =>
      (await ask('GET', '/books')).json.data.filter((book: { analyzed: boolean }) => book.analyzed).length ===
      TITLES.length,
  );
};

const SERIES_TEXTS = [
  'name',
  'titleSort',
  'summary',
  'publisher',
  'language',
  'status',
  'genre',
  'tag',
  'author',
  'path',
];

const REFUSED: readonly (readonly [what: string, method: string, path: string, body: unknown, detail: string])[] = [
  ['an unknown sort of books', 'POST', '/books/list?sort=colour', {}, 'sort'],
  ['an unknown sort of series', 'GET', '/series?sort=colour,asc', undefined, 'sort'],
  ['an unknown direction', 'GET', '/books?sort=title,up', undefined, 'sort'],
  ['relevance on a list without a search', 'GET', '/books?sort=relevance', undefined, 'sort'],
  ['relevance when there is no search text', 'POST', '/books/list?sort=relevance', { fullTextSearch: ' ' }, 'sort'],
  ['an unknown field', 'POST', '/books/list', { condition: { colour: {} } }, 'condition.colour'],
  [
    'an operator of another family',
    'POST',
    '/series/list',
    { condition: { allOf: [{ year: { operator: 'endsWith', value: 'x' } }] } },
    'condition.allOf[0].year.operator',
  ],
  ['a condition that is text', 'POST', '/series/list/alphabetical-groups', { condition: 'x' }, 'condition'],
  ['a search over 1,000 characters', 'POST', '/books/list', { fullTextSearch: 'x'.repeat(1001) }, 'fullTextSearch'],
  ['a search that is a number', 'POST', '/series/list', { fullTextSearch: 7 }, 'fullTextSearch'],
  ['a search without a query', 'POST', '/series/search', {}, 'query'],
  ['a query over 1,000 characters', 'POST', '/series/search', { query: 'x'.repeat(1001) }, 'query'],
  [
    'a day that is none',
    'POST',
    '/books/list',
    { condition: { dateAdded: { operator: 'after', value: '2026-02-31T00:00:00Z' } } },
    'condition.dateAdded.value',
  ],
];

block(
  'lists over HTTP',
  (check) => {
    for (const [what, method, path, body, detail] of REFUSED) {
      check(`refused: ${what}`, async () => {
        const answer = await ask(method, path, body);
        assert.equal([answer.status, answer.json.error, answer.json.details[0].path], [400, 'BadRequest', detail]);
      });
    }
    check('an unknown sort names the accepted ones', async () => {
      const { message } = (await ask('POST', '/books/list?sort=colour', {})).json;
      for (const name of ['title', 'series', 'last_read', 'release_date', 'relevance']) assert.match(message, name);
    });
    check('a list by condition is the envelope, with page, size and sort from the query', async () => {
      const condition = { title: { operator: 'beginsWith', value: 'ALPHA' } };
      const answer = await ask('POST', '/books/list?page=2&pageSize=1&sort=title,desc', { condition });
      assert.equal(titlesOf(answer), ['Alpha 1']);
      const { page, pageSize, total, totalPages, links } = answer.json;
      assert.equal([page, pageSize, total, totalPages, links.next], [2, 1, 2, 2, null]);
      assert.match(links.prev, 'sort=title%2Cdesc');
    });
    check('both spellings of a sort, in any case', async () => {
      const both = ['/books?sort=title,DESC', '/books?sort=title&order=desc', '/books?sort=title&order=DESC'];
      for (const path of both) assert.equal(titlesOf(await ask('GET', path)), [...TITLES].reverse());
      assert.equal(titlesOf(await ask('GET', '/series?sort=created_at&order=asc')).length, 3);
    });
    check('every sort gives every book once, page by page', async () => {
      for (const sort of [
        'title',
        'series',
        'number',
        'file_size',
        'filename',
        'page_count',
        'created_at',
        'modified_at',
        'release_date',
        'chapter_number',
        'date_added',
      ]) {
        const pages = [1, 2].map((page) => ask('GET', `/books?sort=${sort},desc&pageSize=2&page=${page}`));
        assert.equal((await Promise.all(pages)).flatMap(titlesOf).sort(), [...TITLES].sort(), sort);
      }
    });
    check('a list within a library; an unknown library is 404', async () => {
      assert.equal(titlesOf(await ask('GET', `/libraries/${library}/books?sort=title`)), TITLES);
      assert.equal(titlesOf(await ask('GET', `/libraries/${library}/series`)), ['Alpha', 'Bêta', 'Gamma']);
      const other = '018f0000-0000-7000-8000-000000000001';
      assert.is((await ask('GET', `/libraries/${other}/books`)).status, 404);
      assert.equal(
        (await ask('POST', '/books/list', { condition: { libraryId: { operator: 'is', value: other } } })).json.total,
        0,
      );
    });
    check('a search finds what scans added: accents, prefixes, parts of text without word spaces, series', async () => {
      for (const [text, title] of [
        ['epee', 'Épée 1'],
        ['巨人', '進撃の巨人'],
        ['撃', '進撃の巨人'],
        ['beta ep', 'Épée 1'],
      ])
        assert.equal(titlesOf(await ask('POST', '/books/list', { fullTextSearch: text })), [title], text);
      assert.equal(titlesOf(await ask('POST', '/series/search', { query: 'bet' })), ['Bêta']);
      assert.equal((await ask('POST', '/series/search', { query: ' ' })).json, []);
    });
    check('a search and a condition must both be met', async () => {
      const condition = { title: { operator: 'contains', value: '2' } };
      assert.equal(titlesOf(await ask('POST', '/books/list', { fullTextSearch: 'alpha', condition })), ['Alpha 2']);
    });
    check('progress takes effect at once: status, last read, and series', async () => {
      const { data } = (await ask('GET', '/books?sort=title')).json;
      await ask('PUT', `/books/${data[2].id}/progress`, { current_page: 3 });
      temp.advance(60_000);
      await ask('PUT', `/books/${data[0].id}/progress`, { current_page: 1 });
      const is = (value: string) => ({ condition: { readStatus: { operator: 'is', value } } });
      assert.equal(titlesOf(await ask('POST', '/books/list', is('read'))), ['Épée 1']);
      assert.equal(titlesOf(await ask('POST', '/books/list', is('in_progress'))), ['Alpha 1']);
      assert.equal(titlesOf(await ask('POST', '/series/list', is('read'))), ['Bêta']);
      assert.equal(titlesOf(await ask('POST', '/series/list', is('unread'))), ['Gamma']);
      const all = titlesOf(await ask('GET', '/books?sort=title'));
      for (const [direction, read] of [
        ['desc', ['Alpha 1', 'Épée 1']],
        ['asc', ['Épée 1', 'Alpha 1']],
      ] as const) {
        const rest = all.filter((title) => !read.some((one) => one === title));
        const byTime = [...read, ...rest];
        assert.equal(
          titlesOf(await ask('GET', `/books?sort=last_read,${direction}`)),
          byTime,
          'what was not read is last',
        );
        const some = { condition: { title: { operator: 'contains', value: '1' } } };
        assert.equal(
          titlesOf(await ask('POST', `/books/list?sort=last_read,${direction}`, some)),
          byTime.filter((title) => title.includes('1')),
        );
      }
      assert.equal(titlesOf(await ask('GET', '/series?sort=date_read,desc')).at(-1), 'Gamma');
    });
    check('genres and tags as lists of names that must all be present', async () => {
      const { data } = (await ask('GET', '/series')).json;
      await ask('PUT', `/series/${data[0].id}/genres`, { genres: ['Action', 'Drama'] });
      await ask('PUT', `/series/${data[1].id}/genres`, { genres: ['Action'] });
      assert.equal(titlesOf(await ask('GET', '/series?genres=action')), ['Alpha', 'Bêta']);
      assert.equal(titlesOf(await ask('GET', '/series?genres=ACTION,drama')), ['Alpha']);
      assert.equal(titlesOf(await ask('GET', '/series?genres=action&tags=none')), []);
    });
    check('a text condition with a NUL matches what contains one, and is only a condition', async () => {
      const texts = {
        books: ['title', 'titleSort', 'summary', 'genre', 'tag', 'bookType', 'format', 'path'],
        series: SERIES_TEXTS,
      };
      const found: string[] = [];
      for (const [kind, fields] of Object.entries(texts))
        for (const field of fields)
          for (const operator of ['is', 'contains', 'beginsWith', 'endsWith'])
            for (const value of ['abc\0def', 'abc\0', '\0def', '\0', 'a\0']) {
              const answer = await ask('POST', `/${kind}/list`, { condition: { [field]: { operator, value } } });
              assert.is(answer.status, 200, `${kind} ${field} ${operator} ${JSON.stringify(value)}`);
              if (answer.json.total > 0) found.push(`${kind} ${field} ${operator} ${JSON.stringify(value)}`);
            }
      assert.equal(found, []);
      const [book] = (await ask('GET', '/books?sort=title,desc')).json.data;
      await ask('PATCH', `/books/${book.id}/metadata`, { title: 'abc\0def' });
      const totals = ['is', 'contains', 'beginsWith', 'endsWith'].map(async (operator) => {
        const asked = ['abc\0def', 'abc\0', '\0def', 'abc'].map((value) =>
          ask('POST', '/books/list', { condition: { title: { operator, value } } }),
        );
        return (await Promise.all(asked)).map(({ json }) => json.total);
      });
      assert.equal(await Promise.all(totals), [
        [1, 0, 0, 0],
        [1, 1, 1, 1],
        [1, 1, 0, 1],
        [1, 0, 1, 0],
      ]);
      await ask('PATCH', `/books/${book.id}/metadata`, { title: book.title });
      for (const path of ['/books/list', '/series/list'])
        assert.is((await ask('POST', path, { fullTextSearch: 'abc\0def\0"*' })).json.total, 0);
    });
    check('unknown fields in a body are ignored', async () => {
      const more = { libraryId: 5, seriesId: 'x', genres: 7, tags: [1], searchField: 1, window: 2, order: 3 };
      for (const path of ['/books/list', '/series/list'])
        assert.ok((await ask('POST', path, more)).json.total >= 3, path);
    });
    check('volumes of a series are counted once each, among the books that are present', async () => {
      const { id } = (await ask('GET', '/series')).json.data[0];
      const books = (await ask('GET', `/series/${id}/books`)).json as readonly { id: string }[];
      const owned = async (...volumes: readonly (number | null)[]): Promise<readonly unknown[]> => {
        for (const [at, volume] of volumes.entries())
          await ask('PATCH', `/books/${books[at]?.id}/metadata`, { volume });
        const [listed] = (await ask('GET', '/series')).json.data;
        const full = (await ask('GET', `/series/${id}?full=true`)).json;
        return [listed.volumesOwned, listed.localMaxVolume, full.volumesOwned];
      };
      assert.equal(await owned(null, null), [0, null, 0]);
      assert.equal(await owned(3, null), [1, 3, 1]);
      assert.equal(await owned(3, 3), [1, 3, 1]);
      assert.equal(await owned(3, 5), [2, 5, 2]);
      assert.equal(await owned(0, 5), [2, 5, 2]);
      assert.equal(await owned(1986, 5), [1, 1986, 1], 'a year is no volume');
      const numbered = async (at: number, chapter: number | null): Promise<unknown> =>
        (await ask('PATCH', `/books/${books[at]?.id}/metadata`, { chapter })).status;
      assert.is(await numbered(0, 7), 200);
      assert.equal(await owned(3, 5), [1, 5, 1], 'a chapter of a volume is not the volume');
      assert.is(await numbered(0, 3), 200);
      assert.equal(await owned(3, 5), [2, 5, 2], 'a volume that is one chapter');
      await numbered(0, null);
    });
    check('letters', async () => {
      const groups = (await ask('POST', '/series/list/alphabetical-groups', {})).json;
      assert.equal(
        groups,
        ['a', 'b', 'g'].map((group) => ({ group, count: 1 })),
      );
    });
    check('a title set by a user is found a moment later', async () => {
      const [book] = (await ask('GET', '/books?sort=title')).json.data;
      await ask('PATCH', `/books/${book.id}/metadata`, { title: 'Zanzibar' });
      assert.equal(titlesOf(await ask('POST', '/books/list', { fullTextSearch: 'zanz' })), ['Zanzibar']);
      const named = { title: { operator: 'is', value: 'zanzibar' } };
      assert.is((await ask('POST', '/books/list', { condition: named })).json.total, 1);
    });
  },
  { before: setUp, after: () => temp.close() },
);
