// People, publishers and languages over HTTP, what a user without a library is told, and books filtered by them.
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let limited: Person;

const ask = (path: string, who: Person = people.admin): Promise<Answer> => people.ask(who.token, 'GET', path);
const namesAt = async (path: string, who?: Person): Promise<string[]> =>
  (await ask(path, who)).json.data.map((one: { name: string }) => one.name);

const infoOf = (text: string) => [
  { name: 'ComicInfo.xml', bytes: Buffer.from(`<?xml version="1.0"?><ComicInfo>${text}</ComicInfo>`) },
];

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  const one =
    '<Writer>Ann Writer, Émile Zola</Writer><Inker>Bo</Inker><Publisher>Acme</Publisher><LanguageISO>en</LanguageISO>';
  writeBook(join(temp.shelf, 'one', 'Ants', 'Ants 1.cbz'), 2, 'a', infoOf(one));
  writeBook(
    join(temp.shelf, 'two', 'Bees', 'Bees 1.cbz'),
    2,
    'b',
    infoOf('<Writer>Cy</Writer><Publisher>ACME</Publisher><Year>2001</Year>'),
  );
  for (const name of ['one', 'two']) {
    const body = { name, path: join(temp.shelf, name), scanImmediately: true };
    await people.ask(admin.token, 'POST', '/libraries', { body });
  }
  await until('the scans end', () => temp.app.scans.active().length === 0);
  await until('people are known', async () => (await namesAt('/people')).length === 4);
  limited = await people.join('limited');
  const libraries = (await ask('/libraries')).json.data as { id: string; name: string }[];
  const two = libraries.find(({ name }) => name === 'two')?.id;
  const answer = await people.ask(admin.token, 'PATCH', `/users/${limited.id}`, { body: { libraryIds: [two] } });
  assert.is(answer.status, 200);
};

const booksWhere = async (condition: unknown): Promise<string[]> => {
  const answer = await people.ask(people.admin.token, 'POST', '/books/list?sort=title', { body: { condition } });
  assert.is(answer.status, 200, JSON.stringify(answer.json));
  return answer.json.data.map(({ title }: { title: string }) => title);
};

const is = (value: unknown) => ({ operator: 'is', value });

const filters = (check: Check): void => {
  check('books are filtered by people in any role and in one, by year, and by none of several', async () => {
    assert.equal(await booksWhere({ author: is('bo') }), ['Ants 1']);
    assert.equal(await booksWhere({ writer: is('bo') }), []);
    assert.equal(await booksWhere({ writer: { operator: 'contains', value: 'y' } }), ['Bees 1']);
    assert.equal(await booksWhere({ inker: { operator: 'isNull' } }), ['Bees 1']);
    assert.equal(await booksWhere({ year: { operator: 'lt', value: 2002 } }), ['Bees 1']);
    assert.equal(await booksWhere({ year: is(2001) }), ['Bees 1']);
    assert.equal(await booksWhere({ year: is(2001.5) }), []);
    assert.equal(await booksWhere({ noneOf: [{ author: is('Cy') }, { title: is('x') }] }), ['Ants 1']);
  });
  check('a book has the publisher and language of its series until it has its own', async () => {
    const { admin } = people;
    const [bees] = (await people.ask(admin.token, 'POST', '/books/list', { body: { condition: { author: is('Cy') } } }))
      .json.data as readonly { readonly id: string; readonly seriesId: string }[];
    const put = async (path: string, body: unknown): Promise<void> =>
      assert.is((await people.ask(admin.token, 'PATCH', path, { body })).status, 200);
    assert.equal(await booksWhere({ publisher: is('acme') }), ['Ants 1', 'Bees 1']);
    assert.equal(await booksWhere({ language: is('en') }), ['Ants 1']);
    await put(`/series/${bees?.seriesId}/metadata`, { language: 'EN', publisher: 'Zed' });
    assert.equal(await booksWhere({ language: is('en') }), ['Ants 1', 'Bees 1']);
    assert.equal(await booksWhere({ publisher: is('zed') }), []);
    await put(`/books/${bees?.id}/metadata`, { languageIso: 'fr', publisher: null });
    assert.equal(await booksWhere({ language: is('en') }), ['Ants 1']);
    assert.equal(await booksWhere({ publisher: is('zed') }), ['Bees 1']);
  });
};

const facts = (check: Check): void => {
  check('unknown roles and malformed ids are 400, an unknown series 404', async () => {
    assert.is((await ask('/people?role=reader')).status, 400);
    assert.is((await ask('/people?libraryId=x')).status, 400);
    assert.is((await ask('/people?seriesId=01890000-0000-7000-8000-000000000000')).status, 404);
  });
  check('people have their roles, and are found by accents or without', async () => {
    assert.equal((await ask('/people?search=emile')).json.data, [
      { name: 'Émile Zola', roles: ['writer'], seriesCount: 1 },
    ]);
    assert.equal(await namesAt('/people'), ['Ann Writer', 'Bo', 'Cy', 'Émile Zola']);
    assert.equal(await namesAt('/people?role=inker,editor'), ['Bo']);
    assert.equal((await ask('/people?page=2&pageSize=3')).json.total, 4);
  });
  check('publishers and languages are counted', async () => {
    const { data } = (await ask('/publishers')).json;
    assert.equal(data, [{ name: 'ACME', seriesCount: 2 }]);
    assert.equal(await namesAt('/languages'), ['en']);
    assert.equal(await namesAt('/languages?search=fr'), []);
  });
  check('somebody who sees one library is told of nobody else', async () => {
    assert.equal(await namesAt('/people', limited), ['Cy']);
    assert.equal((await ask('/publishers', limited)).json.data, [{ name: 'ACME', seriesCount: 1 }]);
    assert.equal((await ask('/languages', limited)).json.total, 0);
  });
};

block(
  'people over HTTP',
  (check) => {
    facts(check);
    filters(check);
  },
  { before: stock, after: () => people.temp.close() },
);
