// The number of a book for reader apps: what is shown is what is sorted, filtered, tracked and read on by, whatever the strategy of the
// library.
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { STORED_RULES } from '../../core/model/stored-rules.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly metadata: { readonly number: string; readonly numberSort: number };
  readonly readProgress: { readonly completed: boolean } | null;
}

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, path, { token, ...(body === undefined ? {} : { body }) });
const app = (method: string, path: string, body?: unknown): Promise<Answer> => ask(method, `/komga/api${path}`, body);

const rows = async (path: string, condition?: unknown): Promise<readonly Row[]> => {
  const body = condition === undefined ? undefined : { condition };
  const { status, json, bytes } = await app(body === undefined ? 'GET' : 'POST', `/v1${path}`, body);
  assert.is(status, 200, `${path}: ${bytes.toString().slice(0, 300)}`);
  return json.content;
};

const numbersOf = (found: readonly Row[]): number[] => found.map(({ metadata }) => metadata.numberSort);
const numbers = async (path: string): Promise<number[]> => numbersOf(await rows(path));

const passing = async (operator: string, value?: unknown): Promise<string> =>
  (await rows('/books/list?size=100', { numberSort: { operator, value } }))
    .map(({ name }) => name)
    .sort()
    .join();

const idOf = async (name: string): Promise<string> => (await rows(`/series?search=${name}`))[0]?.id ?? '';
const bookOf = async (name: string): Promise<string> =>
  (await rows('/books?unpaged=true')).find((one) => one.name === name)?.id ?? '';

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];
const numbered = (number: string) => info(`<Number>${number}</Number>`);

const libraries: Record<string, string> = {};

/** In the order of their files, and with other numbers in them. */
const PLAIN = { 'Plain a': '12', 'Plain b': '1', 'Plain c': '4.5', 'Plain d': null } as const;
const SMART = ['Smart 1', 'Smart 1.5', 'Smart 7.25'] as const;

const stock = async (): Promise<void> => {
  for (const [name, number] of Object.entries(PLAIN))
    writeBook(join(temp.shelf, 'plain', 'Plain', `${name}.cbz`), 2, name, number === null ? [] : numbered(number));
  for (const name of SMART) writeBook(join(temp.shelf, 'smart', 'Smart', `${name}.cbz`), 2, name);
  for (const [name, numberStrategy] of [
    ['plain', 'file_order'],
    ['smart', 'smart'],
  ]) {
    const body = { name, path: join(temp.shelf, name ?? ''), scanImmediately: true, numberStrategy };
    libraries[name ?? ''] = (await ask('POST', '/api/v1/libraries', body)).json.id;
  }
  await until('all is analysed', async () => {
    const { data } = (await ask('GET', '/api/v1/books?pageSize=50')).json;
    const isRead = data.length === 7 && data.every(({ analyzed }: { analyzed: boolean }) => analyzed);
    return isRead && temp.app.scans.active().length === 0;
  });
};

const natively = async (name: string): Promise<number[]> =>
  (await ask('GET', `/api/v1/series/${uuidOfHex(await idOf(name))}/books`)).json.map(
    ({ number }: { number: number }) => number,
  );

interface Listed {
  readonly title: string;
  readonly belongsTo: { readonly series: { readonly position: number } };
}

const SORTED = 'sort=metadata.numberSort';

const orders = (check: Check): void => {
  check('a filter that is no number is refused', async () => {
    for (const value of ['many', null, {}])
      assert.is(
        (await app('POST', '/v1/books/list', { condition: { numberSort: { operator: 'is', value } } })).status,
        400,
      );
  });
  check('the books of a series are in the order of the numbers shown', async () => {
    const path = `/series/${await idOf('Plain')}/books`;
    for (const query of ['', '?unpaged=true', `?${SORTED},asc`, `?unpaged=true&${SORTED},asc`])
      assert.equal(await numbers(`${path}${query}`), [1, 4, 4.5, 12], query);
    assert.equal(await numbers(`${path}?${SORTED},desc`), [12, 4.5, 4, 1]);
    assert.equal(await numbers(`${path}?page=1&size=3`), [12]);
  });
  check('so are the books of all series, from both ends', async () => {
    assert.equal(await numbers(`/books?${SORTED},asc`), [1, 1, 1.5, 4, 4.5, 7.25, 12]);
    assert.equal(await numbers(`/books?${SORTED},desc`), [12, 7.25, 4.5, 4, 1.5, 1, 1]);
    assert.equal(await numbers(`/books?${SORTED},asc&page=2&size=3`), [12]);
    assert.equal(await numbers(`/books?${SORTED},asc&library_id=${libraries.smart}`), [1, 1.5, 7.25]);
    const found = await rows(`/books/list?${SORTED},desc`, { numberSort: { operator: 'greaterThan', value: 1 } });
    assert.equal(numbersOf(found), [12, 7.25, 4.5, 4, 1.5]);
  });
  check('a book is found by the number shown, and by no other', async () => {
    assert.equal(
      [await passing('is', 12), await passing('is', 4.5), await passing('is', 4), await passing('is', 7.25)],
      ['Plain a', 'Plain c', 'Plain d', 'Smart 7.25'],
    );
    assert.equal([await passing('is', 2), await passing('is', 7), await passing('isNull')], ['', '', '']);
    assert.equal(
      [await passing('greaterThan', 4), await passing('lessThan', 1.5)],
      ['Plain a,Plain c,Smart 7.25', 'Plain b,Smart 1'],
    );
  });
  check('the next and the previous book are those of that order', async () => {
    const beside = async (name: string, side: string): Promise<string> => {
      const { status, json } = await app('GET', `/v1/books/${await bookOf(name)}/${side}`);
      return status === 200 ? json.name : String(status);
    };
    assert.equal([await beside('Plain b', 'next'), await beside('Plain d', 'next')], ['Plain d', 'Plain c']);
    assert.equal([await beside('Plain a', 'next'), await beside('Plain a', 'previous')], ['404', 'Plain c']);
    assert.is(await beside('Plain b', 'previous'), '404');
  });
  check('catalogues list a series in that order; the native API goes by the library', async () => {
    const { json } = await ask('GET', `/opds/v2/series/${uuidOfHex(await idOf('Plain'))}`);
    const listed = json.publications.map(({ metadata }: { metadata: Listed }) => [
      metadata.title,
      metadata.belongsTo.series.position,
    ]);
    assert.equal(listed, [
      ['Plain b', 1],
      ['Plain d', 4],
      ['Plain c', 4.5],
      ['Plain a', 12],
    ]);
    assert.equal(
      [await natively('Plain'), await natively('Smart')],
      [
        [1, 2, 3, 4],
        [1, 1, 7],
      ],
    );
  });
};

const fractions = (check: Check): void => {
  check('numbers of file names keep their fraction where the library goes by names', async () => {
    const found = await rows(`/series/${await idOf('Smart')}/books`);
    assert.equal(numbersOf(found), [1, 1.5, 7.25]);
    assert.equal(
      found.map(({ metadata }) => metadata.number),
      ['1', '1.5', '7.25'],
    );
  });
  check('a tracker that has read 1 has not read 1.5', async () => {
    const path = `/v2/series/${await idOf('Smart')}/read-progress/tachiyomi`;
    assert.is((await app('PUT', path, { lastBookNumberSortRead: 1 })).status, 204);
    const read = (await rows(`/series/${await idOf('Smart')}/books`)).map(
      ({ readProgress }) => readProgress?.completed === true,
    );
    assert.equal(read, [true, false, false]);
    const { json } = await app('GET', path);
    assert.equal([json.booksReadCount, json.lastReadContinuousNumberSort, json.maxNumberSort], [1, 1, 7.25]);
  });
  check('numbers stored by earlier versions are computed again', async () => {
    await temp.app.db.write(SYSTEM, 'background', async (tx) => {
      await tx.run('UPDATE book SET told_number = NULL');
      tx.report(updated('book', 'all', ASPECTS.list));
    });
    await temp.app.tasks.enqueue('apply_rule', null, { rule: 'volumes', number: STORED_RULES.volumes });
    await until('they are back', async () => (await passing('is', 7.25)) === 'Smart 7.25');
    assert.is(await passing('is', 4.5), 'Plain c');
  });
};

const edits = (check: Check): void => {
  const metadataOf = async (name: string): Promise<unknown> => {
    const { metadata } = (await app('GET', `/v1/books/${await bookOf(name)}`)).json;
    return [metadata.number, metadata.numberSort, metadata.numberLock];
  };
  const change = async (name: string, body: unknown): Promise<Answer> =>
    app('PATCH', `/v1/books/${await bookOf(name)}/metadata`, body);
  check('two numbers that are not the same are refused in words, and nothing is changed', async () => {
    for (const body of [
      { number: '12a', numberSort: 12.5 },
      { number: 'Annual', numberSort: 3 },
      { title: 'Changed', number: '2', numberSort: 3 },
    ]) {
      const { status, bytes } = await change('Plain a', body);
      assert.is(status, 400, JSON.stringify(body));
      assert.match(bytes.toString(), /number and numberSort must be the same number/);
    }
    assert.is((await change('Plain a', { numberSort: 1e9 })).status, 400);
    assert.equal(await metadataOf('Plain a'), ['12', 12, false]);
  });
  check('a number that is set is the one shown, sorted and filtered by', async () => {
    for (const [body, shown] of [
      [{ number: '3a', numberSort: 3 }, ['3', 3, true]],
      [{ number: null, numberSort: 6 }, ['6', 6, true]],
      [{ numberSort: 0.1 + 0.2 }, ['0.3', 0.3, true]],
      [{ numberSort: 2.5 }, ['2.5', 2.5, true]],
    ] as const) {
      assert.is((await change('Plain a', body)).status, 204, JSON.stringify(body));
      assert.equal(await metadataOf('Plain a'), shown);
    }
    assert.is(await passing('is', 2.5), 'Plain a');
    assert.equal(await numbers(`/series/${await idOf('Plain')}/books`), [1, 2.5, 4, 4.5]);
  });
  check('once unlocked, it is the number of the file again', async () => {
    assert.is((await change('Plain a', { numberLock: false })).status, 204);
    assert.equal(await metadataOf('Plain a'), ['12', 12, false]);
    assert.equal(await numbers(`/series/${await idOf('Plain')}/books`), [1, 4, 4.5, 12]);
  });
  check('a library that no longer goes by names has the places of its files', async () => {
    await ask('PATCH', `/api/v1/libraries/${libraries.smart}`, { numberStrategy: 'file_order' });
    await ask('POST', `/api/v1/libraries/${libraries.smart}/scan?mode=deep`);
    const path = `/series/${await idOf('Smart')}/books`;
    await until('they are counted', async () => (await numbers(path)).join() === '1,2,3');
    assert.equal([await passing('is', 7.25), await passing('is', 3)], ['', 'Smart 7.25']);
  });
};

block(
  'the numbers of books in the comic-server API',
  (check) => {
    for (const part of [orders, fractions, edits]) part(check);
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      await stock();
    },
    after: () => temp.close(),
    deadlineS: 180,
  },
);
