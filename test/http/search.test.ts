// One search over everything: bad input, every group as its list has it, what is hidden from a person, and who may search.
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let limited: Person;
let young: Person;

const GROUPS = ['series', 'books', 'people', 'collections', 'readLists'] as const;
type Group = (typeof GROUPS)[number];

interface Row {
  readonly id: string;
  readonly title?: string;
  readonly name?: string;
}

const ask = (path: string, { token }: Person = people.admin): Promise<Answer> => people.ask(token, 'GET', path);
const searched = async (text: string, who?: Person): Promise<Record<Group, { items: Row[]; total: number }>> => {
  const answer = await ask(`/search?q=${encodeURIComponent(text)}`, who);
  assert.is(answer.status, 200, JSON.stringify(answer.json));
  return answer.json;
};
/** The names in each group that has any. */
const found = async (text: string, who?: Person): Promise<Partial<Record<Group, string[]>>> => {
  const json = await searched(text, who);
  assert.equal(Object.keys(json), [...GROUPS]);
  for (const group of GROUPS) assert.is(json[group].total, json[group].items.length);
  const namesOf = (group: Group): string[] => json[group].items.map(({ title, name }) => title ?? name ?? '');
  return Object.fromEntries(
    GROUPS.filter((group) => json[group].total > 0).map((group) => [group, namesOf(group).sort()]),
  );
};

const write = (library: string, file: string, info: string): void =>
  writeBook(join(people.temp.shelf, library, file), 2, file, [
    { name: 'ComicInfo.xml', bytes: Buffer.from(`<?xml version="1.0"?><ComicInfo>${info}</ComicInfo>`) },
  ]);

const send = async (method: string, path: string, body: unknown): Promise<Row> => {
  const { status, json } = await people.ask(people.admin.token, method, path, { body });
  assert.ok(status < 300, JSON.stringify(json));
  return json;
};

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp } = people;
  write('one', 'Harbour/Harbour 1.cbz', '<Writer>Ann Harbourmaster</Writer><AgeRating>Everyone</AgeRating>');
  write('one', 'Harbour/Harbour 2.cbz', '<AgeRating>Everyone</AgeRating>');
  write('one', 'Night/Night Harbour 1.cbz', '<Writer>Eve Harbourne</Writer><AgeRating>X18+</AgeRating>');
  write('two', 'Lagoon/Lagoon 1.cbz', '<Writer>Cy</Writer><AgeRating>Everyone</AgeRating><Publisher>Acme</Publisher>');
  for (const name of ['one', 'two'])
    await send('POST', '/libraries', { name, path: join(temp.shelf, name), scanImmediately: true });
  await until('the scans end', () => temp.app.scans.active().length === 0);
  await until('people are known', async () => (await ask('/people')).json.total === 3);
  const series: Row[] = (await ask('/series')).json.data;
  const idOf = (title: string): string => series.find((one) => one.title === title)?.id ?? '';
  const [sea, deep] = [
    await send('POST', '/collections', { name: 'Spider-Man by the harbour' }),
    await send('POST', '/collections', { name: 'Harbours at night' }),
  ];
  await send('POST', `/collections/${sea.id}/series`, { seriesIds: [idOf('Harbour'), idOf('Lagoon')] });
  await send('POST', `/collections/${deep.id}/series`, { seriesIds: [idOf('Night')] });
  const condition = { title: { operator: 'is', value: 'Night' } };
  await send('POST', '/collections', { name: 'Automatic harbours', condition });
  const list = await send('POST', '/readlists', { name: 'Förde 05: a harbour' });
  const books: Row[] = (await ask('/books')).json.data;
  const bookIds = books.filter(({ title }) => title?.startsWith('Harbour')).map(({ id }) => id);
  await send('POST', `/readlists/${list.id}/books`, { bookIds });
  [limited, young] = [await people.join('limited'), await people.join('young')];
  const libraries: Row[] = (await ask('/libraries')).json.data;
  const two = libraries.find(({ name }) => name === 'two')?.id;
  await send('PATCH', `/users/${limited.id}`, { libraryIds: [two] });
  await send('PATCH', `/users/${young.id}`, { ageLimit: { max: 12 } });
};

const REFUSED: readonly (readonly [string, string, string])[] = [
  ['no text', '/search', 'q'],
  ['an empty text', '/search?q=', 'q'],
  ['a text under another name', '/search?query=harbour', 'q'],
  ['a text over 1,000 characters', `/search?q=${'x'.repeat(1001)}`, 'q'],
  ['a limit that is no number', '/search?q=harbour&limit=many', 'limit'],
  ['a limit with a fraction', '/search?q=harbour&limit=1.5', 'limit'],
];

const input = (check: Check): void => {
  for (const [what, path, detail] of REFUSED)
    check(`refused: ${what}`, async () => {
      const { status, json } = await ask(path);
      assert.equal([status, json.error, json.details[0].path], [400, 'BadRequest', detail]);
    });
  check('a text without anything to find finds nothing, not everything', async () => {
    for (const text of [' ', '-', '"', '()', '*', '\0', '😀', '\u{10FFFF}', '%', `'; --`])
      assert.equal(await found(text), {}, JSON.stringify(text));
  });
  check('what a query language has operators for is text', async () => {
    for (const text of ['harbour OR', 'NEAR(harbour lagoon)', 'title:harbour', 'harbour" OR "lagoon'])
      assert.is((await ask(`/search?q=${encodeURIComponent(text)}`)).status, 200);
  });
};

const groups = (check: Check): void => {
  check('each group has what matches, and the lists with a word of their name', async () => {
    assert.equal(await found('harbour'), {
      series: ['Harbour', 'Night'],
      books: ['Harbour 1', 'Harbour 2', 'Night Harbour 1'],
      people: ['Ann Harbourmaster', 'Eve Harbourne'],
      collections: ['Automatic harbours', 'Harbours at night', 'Spider-Man by the harbour'],
      readLists: ['Förde 05: a harbour'],
    });
    assert.equal(await found('acme'), { series: ['Lagoon'], books: ['Lagoon 1'] });
    assert.equal(await found('nothing like it'), {});
  });
  check('names of lists are found without accents, signs and zeros, inside words, and by every word', async () => {
    for (const text of ['forde', 'FÖRDE 5', 'harbour förde', 'örd', 'orde arbo'])
      assert.equal((await found(text)).readLists, ['Förde 05: a harbour'], text);
    for (const text of ['spiderman', 'spider man', 'spider-man', 'harbour spider'])
      assert.equal((await found(text)).collections, ['Spider-Man by the harbour'], text);
    assert.is((await found('förde lagoon')).readLists, undefined);
  });
  check('rows are those of the lists', async () => {
    const json = await searched('harbour');
    const post = async (path: string): Promise<unknown> =>
      (await people.ask(people.admin.token, 'POST', path, { body: { fullTextSearch: 'harbour' } })).json.data;
    assert.equal(json.series.items, (await post('/series/list')) as Row[]);
    assert.equal(json.books.items, (await post('/books/list')) as Row[]);
    assert.equal(json.people.items, (await ask('/people?search=harbour')).json.data);
    assert.equal(json.collections.items, (await ask('/collections')).json.items);
    assert.equal(json.readLists.items, (await ask('/readlists')).json.items);
  });
  check('limit is for each group, and totals count all', async () => {
    const { json } = await ask('/search?q=harbour&limit=1');
    const counts = GROUPS.map((group) => [json[group].items.length, json[group].total]);
    assert.equal(counts, [
      [1, 2],
      [1, 3],
      [1, 2],
      [1, 3],
      [1, 1],
    ]);
  });
  check('an answer is kept until something changes that it shows', async () => {
    const first = await ask('/search?q=pier');
    const tag = first.header('etag') ?? '';
    const again = (): Promise<Answer> =>
      people.ask(people.admin.token, 'GET', '/search?q=pier', { headers: { 'if-none-match': tag } });
    assert.is((await again()).status, 304);
    const list = await send('POST', '/readlists', { name: 'The pier' });
    assert.equal(await found('pier'), { readLists: ['The pier'] });
    assert.is((await again()).status, 200);
    await people.ask(people.admin.token, 'DELETE', `/readlists/${list.id}`);
    assert.equal(await found('pier'), {});
  });
};

const hidden = (check: Check): void => {
  check('what is in hidden libraries is in no group and no total', async () => {
    assert.equal(await found('harbour', limited), { collections: ['Spider-Man by the harbour'] });
    assert.is((await ask('/search?q=harbour', limited)).json.collections.items[0].seriesCount, 1);
    assert.equal(await found('cy', limited), { people: ['Cy'], series: ['Lagoon'], books: ['Lagoon 1'] });
  });
  check('nor is what is rated above the limit of a person', async () => {
    assert.equal(await found('harbour', young), {
      series: ['Harbour'],
      books: ['Harbour 1', 'Harbour 2'],
      people: ['Ann Harbourmaster'],
      collections: ['Spider-Man by the harbour'],
      readLists: ['Förde 05: a harbour'],
    });
    assert.equal(await found('night', young), {});
    assert.equal(await found('harbourne', young), {});
  });
  check('a key needs the permission of every group', async () => {
    const all = ['SeriesRead', 'BooksRead', 'CollectionsRead', 'ReadListsRead'] as const;
    for (const missing of [null, ...all]) {
      const permissions = all.filter((one) => one !== missing);
      const { json } = await people.ask(people.admin.token, 'POST', '/api-keys', {
        body: { name: `without ${missing}`, permissions },
      });
      const answer = await people.temp.call('GET', '/api/v1/search?q=harbour', { headers: { 'x-api-key': json.key } });
      assert.is(answer.status, missing === null ? 200 : 403, `without ${missing}`);
    }
    assert.is((await people.temp.call('GET', '/api/v1/search?q=harbour')).status, 401);
  });
};

block(
  'a search over everything',
  (check) => {
    input(check);
    groups(check);
    hidden(check);
  },
  { before: stock, after: () => people.temp.close() },
);
