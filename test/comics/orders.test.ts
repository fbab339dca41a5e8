// Every order that apps ask for, in both directions, compared with the field of its name; and lists that are limited to libraries.
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { BOOK_SORTS } from '../../http/comics/rows/book-lists.js';
import { SERIES_SORTS } from '../../http/comics/rows/series-lists.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import {
  BOOK_ALIASES,
  BOOK_KEYS,
  folded,
  type Keys,
  LIST_KEYS,
  READ_KEYS,
  SERIES_ALIASES,
  SERIES_KEYS,
} from './order-keys.js';

let temp: TempApp;
let token: string;

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/komga/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const rows = async (path: string): Promise<Json[]> => {
  const { status, json, bytes } = await ask('GET', path);
  assert.is(status, 200, `${path}: ${bytes.toString().slice(0, 300)}`);
  return json.content;
};

const namesAt = async (path: string): Promise<string[]> => (await rows(path)).map(({ name }) => name);

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

const scanned = (books: number) =>
  until('all is analysed', async () => {
    const active = await temp.call('GET', '/api/v1/scans/active', { token });
    const { data } = (await temp.call('GET', '/api/v1/books?pageSize=50', { token })).json;
    const done = data.length === books && data.every(({ analyzed }: { analyzed: boolean }) => analyzed);
    return active.json.length === 0 && done;
  });

const libraries = new Map<string, string>();

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  const at = (...parts: string[]) => join(temp.shelf, ...parts);
  writeBook(at('one', 'Zebras', 'Zeta.cbz'), 4, 'z', info('<Number>2</Number><Year>2001</Year><Title>Zoo</Title>'));
  writeBook(at('one', 'Zebras', 'alice.cbz'), 1, 'a', info('<Number>1.5</Number><Year>1990</Year><Title>Mask</Title>'));
  writeBook(at('one', 'Ants', 'Bob.cbz'), 3, 'b', info('<Number>10</Number><Year>2010</Year><Title>Apes</Title>'));
  writeBook(at('two', 'moths', 'carl.cbz'), 2, 'c', info('<Number>3</Number><Year>1985</Year><Title>Bats</Title>'));
  let books = 0;
  for (const [name, count] of [
    ['one', 3],
    ['two', 1],
  ] as const) {
    const body = { name, path: at(name), scanImmediately: true, numberStrategy: 'metadata' };
    const { status, json } = await temp.call('POST', '/api/v1/libraries', { token, body });
    assert.is(status, 201);
    libraries.set(name, json.id.replaceAll('-', ''));
    books += count;
    await scanned(books);
    temp.advance(60_000);
  }
};

const patch = async (path: string, body: unknown): Promise<void> => {
  temp.advance(60_000);
  const { status, bytes } = await ask('PATCH', path, body);
  assert.is(status, 204, bytes.toString().slice(0, 300));
};

const idOf = async (kind: 'books' | 'series', name: string): Promise<string> =>
  (await rows(`/${kind}?size=50`)).find((one) => one.name === name).id;

/** Rows with equal values are in any order. */
const assertSorted = async (path: string, keys: Keys, count: number): Promise<void> => {
  for (const [key, field] of Object.entries(keys))
    for (const direction of ['asc', 'desc']) {
      const found = (await rows(`${path}?sort=${key},${direction}&size=50`)).map(field);
      const right = found.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
      assert.is(found.length, count, `${path} ${key}`);
      assert.equal(found, direction === 'asc' ? right : right.toReversed(), `${path} ${key} ${direction}`);
    }
};

const orders = (check: Check): void => {
  check('nothing is updated before something changes after it was added', async () => {
    assert.equal(await namesAt('/series/updated'), []);
    assert.is((await rows('/series/latest')).length, 3);
  });
  check('an edit makes a book and a series the newest', async () => {
    const alice = await idOf('books', 'alice');
    await patch(`/books/${alice}/metadata`, { summary: 'Changed.' });
    await patch(`/series/${await idOf('series', 'Ants')}/metadata`, { summary: 'Changed.' });
    for (const path of ['/books/latest', '/books?sort=lastModifiedDate,desc', '/books?sort=lastModified,desc'])
      assert.is((await namesAt(path))[0], 'alice', path);
    assert.equal(await namesAt('/series/updated'), ['Ants']);
  });
  check('books, series and their lists are sorted by the field that the key names', async () => {
    await assertSorted('/books', BOOK_KEYS, 4);
    await assertSorted('/series', SERIES_KEYS, 3);
    await assertSorted(`/series/${await idOf('series', 'Zebras')}/books`, BOOK_KEYS, 2);
  });
  check('a series with a new book is updated', async () => {
    temp.advance(3_600_000);
    writeBook(join(temp.shelf, 'two', 'moths', 'dora.cbz'), 1, 'd', info('<Number>4</Number><Year>1986</Year>'));
    const id = uuidOfHex(libraries.get('two') ?? '');
    assert.is((await temp.call('POST', `/api/v1/libraries/${id}/scan`, { token })).status, 200);
    await scanned(5);
    assert.equal(await namesAt('/series/updated'), ['moths', 'Ants']);
    assert.is((await namesAt('/books/latest'))[0], 'dora');
  });
};

const aliases = (check: Check): void => {
  check('every sort key is tested', () => {
    const others = ['random', 'series'];
    const books = [...Object.keys({ ...BOOK_KEYS, ...BOOK_ALIASES }), ...READ_KEYS.books, ...others];
    assert.equal(books.sort(), Object.keys(BOOK_SORTS).sort());
    const series = [...Object.keys({ ...SERIES_KEYS, ...SERIES_ALIASES }), ...READ_KEYS.series, 'random'];
    assert.equal(series.sort(), Object.keys(SERIES_SORTS).sort());
  });
  check('other names of a field sort by it too, and books by their series', async () => {
    await assertSorted('/books', BOOK_ALIASES, 5);
    await assertSorted('/series', SERIES_ALIASES, 3);
    await assertSorted('/books', { series: ({ seriesTitle }) => folded(seriesTitle) }, 5);
  });
  check('sorted by when they were read, with unread ones last in both directions', async () => {
    for (const name of ['carl', 'alice'])
      await patch(`/books/${await idOf('books', name)}/read-progress`, { completed: true });
    const startOf = async (path: string): Promise<readonly string[]> => (await namesAt(path)).slice(0, 2);
    for (const [kind, keys, read] of [
      ['books', READ_KEYS.books, ['carl', 'alice']],
      ['series', READ_KEYS.series, ['moths', 'Zebras']],
    ] as const)
      for (const key of keys) {
        assert.equal(await startOf(`/${kind}?sort=${key},asc`), read, key);
        assert.equal(await startOf(`/${kind}?sort=${key},desc`), read.toReversed(), key);
      }
  });
  check('with a search, the best match is first in either direction', async () => {
    await patch(`/books/${await idOf('books', 'alice')}/metadata`, { title: 'Bat' });
    for (const order of ['', '&sort=relevance,asc', '&sort=relevance,desc'])
      assert.equal(await namesAt(`/books?search=bat${order}`), ['alice', 'carl'], order);
  });
};

const scan = async (name: string, books: number): Promise<void> => {
  const id = uuidOfHex(libraries.get(name) ?? '');
  assert.is((await temp.call('POST', `/api/v1/libraries/${id}/scan`, { token })).status, 200);
  await scanned(books);
};

const computed = (check: Check): void => {
  check('orders that no index holds follow what changes', async () => {
    const first = async (path: string): Promise<string | undefined> => (await namesAt(path))[0];
    const BY_FILE_TIME = '/series?sort=fileLastModified,desc';
    const BY_COMMENT = '/books?sort=media.comment,desc&size=50';
    await namesAt(BY_FILE_TIME);
    assert.equal(
      (await rows(BY_COMMENT)).filter(({ media }) => media.comment !== ''),
      [],
    );
    const ants = join(temp.shelf, 'one', 'Ants', 'Bob.cbz');
    const moths = join(temp.shelf, 'two', 'moths', 'carl.cbz');
    for (const [path, name, day] of [
      [ants, 'one', '2030-01-01'],
      [moths, 'two', '2030-01-02'],
    ] as const) {
      utimesSync(path, new Date(day), new Date(day));
      await scan(name, 5);
      assert.is(await first(BY_FILE_TIME), name === 'one' ? 'Ants' : 'moths');
    }
    assert.is(await first('/series?sort=fileLastModified,asc'), 'Zebras');
    writeFileSync(ants, 'no archive');
    await temp.call('POST', `/api/v1/libraries/${uuidOfHex(libraries.get('one') ?? '')}/scan`, { token });
    await until('the damage was found', async () => (await rows(BY_COMMENT))[0]?.media.comment !== '');
    assert.is(await first(BY_COMMENT), 'Bob');
    assert.is(await first('/books?sort=media.status,asc'), 'Bob');
    const { 'metadata.releaseDate': _, ...others } = BOOK_KEYS;
    await assertSorted('/books', others, 5);
  });
  check('files that were hashed later are in their place', async () => {
    await until('all is hashed', async () =>
      (await rows('/books?sort=fileHash,desc')).every(
        ({ fileHash, media }) => fileHash !== '' || media.status !== 'READY',
      ),
    );
    await assertSorted('/books', { fileHash: ({ fileHash }) => fileHash }, 5);
  });
};

const lists = (check: Check): void => {
  let [readList, collection] = ['', ''];
  check('collections and read lists are sorted, and limited to libraries', async () => {
    const [alice, bob, carl] = [await idOf('books', 'alice'), await idOf('books', 'Bob'), await idOf('books', 'carl')];
    const [ants, zebras] = [await idOf('series', 'Ants'), await idOf('series', 'Zebras')];
    const moths = await idOf('series', 'moths');
    const make = async (path: string, body: unknown): Promise<string> => {
      temp.advance(60_000);
      const { status, json } = await ask('POST', path, body);
      assert.is(status, 200);
      return json.id;
    };
    readList = await make('/readlists', { name: 'middle', ordered: true, bookIds: [carl, alice, bob] });
    await make('/readlists', { name: 'Alpha', bookIds: [bob] });
    await make('/readlists', { name: 'Zulu', bookIds: [carl] });
    collection = await make('/collections', { name: 'middle', ordered: true, seriesIds: [zebras, ants] });
    await make('/collections', { name: 'Alpha', seriesIds: [moths] });
    await patch(`/readlists/${readList}`, { summary: 'Later.' });
    await assertSorted('/readlists', LIST_KEYS, 4);
    await assertSorted('/collections', LIST_KEYS, 3);
    const [one, two] = [libraries.get('one'), libraries.get('two')];
    assert.equal(await namesAt(`/readlists?library_id=${one}`), ['Alpha', 'middle']);
    assert.equal(await namesAt(`/readlists?library_id=${two}&sort=name,desc`), ['Zulu', 'middle']);
    assert.equal(await namesAt(`/readlists?library_id=${one},%20${two}&size=1&page=1`), ['middle']);
    assert.equal(await namesAt(`/collections?library_id=${two}`), ['Alpha']);
    assert.equal(await namesAt(`/collections?library_id=${'0'.repeat(32)}`), []);
    assert.equal(await namesAt('/readlists'), ['Want to Read', 'Alpha', 'middle', 'Zulu']);
  });
  check('collections with a condition, and the queue, are limited to libraries too', async () => {
    const condition = { name: { operator: 'is', value: 'moths' } };
    const made = await temp.call('POST', '/api/v1/collections', { token, body: { name: 'By name', condition } });
    assert.is(made.status, 201);
    const seriesId = uuidOfHex(await idOf('series', 'Ants'));
    await temp.call('POST', '/api/v1/want-to-read', { token, body: { seriesId } });
    assert.equal(await namesAt(`/collections?library_id=${libraries.get('one')}`), ['Want to Read', 'middle']);
    assert.equal(await namesAt(`/collections?library_id=${libraries.get('two')}`), ['Alpha', 'By name']);
  });
  check('members are in the order of the list from either end, or in the order asked for', async () => {
    const books = `/readlists/${readList}/books`;
    assert.equal(await namesAt(books), ['carl', 'alice', 'Bob']);
    assert.equal(await namesAt(`${books}?sort=readList.number,desc`), ['Bob', 'alice', 'carl']);
    await assertSorted(books, BOOK_KEYS, 3);
    const series = `/collections/${collection}/series`;
    assert.equal(await namesAt(`${series}?sort=collection.number,asc`), ['Zebras', 'Ants']);
    assert.equal(await namesAt(`${series}?sort=collection.number,desc`), ['Ants', 'Zebras']);
    await assertSorted(series, SERIES_KEYS, 2);
    assert.is((await ask('GET', `/collections/${'0'.repeat(32)}/series?sort=name`)).status, 404);
  });
};

block(
  'orders of the comic-server API',
  (check) => {
    orders(check);
    lists(check);
    aliases(check);
    computed(check);
  },
  { before: stock, after: () => temp.close(), deadlineS: 120 },
);
