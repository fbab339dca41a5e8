// A search finds the same everywhere: in the lists and the search of the API, in both catalogues, and for reader apps.
import { join } from 'node:path';
import { hexOfUuid } from '../../core/model/ids.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token: string;

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

const get = async (path: string): Promise<Answer> => {
  const answer = await temp.call('GET', path, { token });
  assert.is(answer.status, 200, `${path}: ${answer.bytes.toString().slice(0, 200)}`);
  return answer;
};

const BOOKS: readonly (readonly [folder: string, file: string, info: string])[] = [
  ['Spider-Man', 'Spider-Man 01.cbz', '<Title>Webs</Title><Publisher>Big House</Publisher><Genre>Heroes</Genre>'],
  ['K-ON!', 'K-ON! 02.cbz', '<Title>Tea</Title><Tags>school band</Tags>'],
  ['Captain Comet', 'Captain Comet 005.cbz', '<Title>The Fog</Title>'],
  ['Captain Comet', 'Drift.cbz', '<Title>Drift</Title><Number>6</Number>'],
  ['Captain Comet', 'Captain Comet 12.5.cbz', '<Title>Harbour</Title>'],
  ['Harbours', 'Harbours.cbz', '<Title>Donaudampfschifffahrt</Title><GTIN>978-0-306-40615-7</GTIN>'],
  ['Smiles', 'Smiles.cbz', '<Title>Grin 😀</Title><Writer>Ann Elder</Writer>'],
  ['Dont', 'Dont.cbz', '<Title>Don’t Call Me</Title>'],
];

/** Queries, each with the titles of the books that it must find, and no others. */
const QUERIES: readonly (readonly [query: string, titles: readonly string[]])[] = [
  ['spiderman', ['Webs']],
  ['spider man', ['Webs']],
  ['spider-man', ['Webs']],
  ['kon', ['Tea']],
  ['K-ON!', ['Tea']],
  ['captain comet 5', ['The Fog']],
  ['captain comet 6', ['Drift']],
  ['captain comet 12.5', ['Harbour']],
  ['dampf', ['Donaudampfschifffahrt']],
  ['harbuor', ['Harbour', 'Donaudampfschifffahrt']],
  ['9780306406157', ['Donaudampfschifffahrt']],
  ['978-0-306-40615-7', ['Donaudampfschifffahrt']],
  ['big house', ['Webs']],
  ['heroes', ['Webs']],
  ['school band', ['Tea']],
  ['😀', ['Grin 😀']],
  ['elder', ['Grin 😀']],
  ['dont call', ['Don’t Call Me']],
  ['nothing of the kind', []],
];

const sorted = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort();

const listed = async (fullTextSearch: string): Promise<Json> => {
  const body = { fullTextSearch };
  const { status, json } = await temp.call('POST', '/api/v1/books/list?pageSize=100', { token, body });
  assert.is(status, 200);
  return json;
};

/** Ids in links to the books of a feed. */
const linkedIn = (text: string): readonly string[] =>
  [...text.matchAll(/\/books\/([0-9a-f-]{36})\//g)].map(([, id = '']) => hexOfUuid(id));

/** Search endpoints, each returning the ids found. */
const SEARCHES: Readonly<Record<string, (query: string) => Promise<readonly string[]>>> = {
  'search of the API': async (query) =>
    (await get(`/api/v1/search?q=${query}&limit=50`)).json.books.items.map(({ id }: Json) => hexOfUuid(id)),
  'Atom catalogue': async (query) => linkedIn((await get(`/opds/v1.2/search/books?q=${query}`)).bytes.toString()),
  'JSON catalogue': async (query) => linkedIn((await get(`/opds/v2/search/books?query=${query}`)).bytes.toString()),
  'reader apps': async (query) =>
    (await get(`/komga/api/v1/books?search=${query}&size=100`)).json.content.map(({ id }: Json) => id),
};

block(
  'the same search everywhere',
  (check) => {
    for (const [query, titles] of QUERIES)
      check(`“${query}”`, async () => {
        const text = encodeURIComponent(query);
        const { data } = await listed(query);
        assert.equal(data.map(({ title }: Json) => title).sort(), [...titles].sort());
        const wanted = sorted(data.map(({ id }: Json) => hexOfUuid(id)));
        for (const [place, find] of Object.entries(SEARCHES)) assert.equal(sorted(await find(text)), wanted, place);
      });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      for (const [folder, file, info] of BOOKS)
        writeBook(join(temp.shelf, folder, file), 2, file, [
          { name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${info}</ComicInfo>`) },
        ]);
      const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true, bookStrategy: 'metadata_first' };
      assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
      await until('all is analysed', async () => {
        const { data } = (await get('/api/v1/books?pageSize=100')).json;
        return data.length === BOOKS.length && data.every(({ analyzed }: Json) => analyzed);
      });
      await until('nothing is scanned', async () => temp.app.scans.active().length === 0);
    },
    after: () => temp.close(),
    deadlineS: 120,
  },
);
