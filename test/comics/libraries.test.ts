// Libraries of the comic-server API: who is told where they lie on the server, lists of several of them, and ids of other servers.
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let people: People;
let ann: Person;
/** By name, without hyphens. */
const libraries = new Map<string, string>();

const get = async (path: string, who: Person) => {
  const { status, json } = await people.temp.call('GET', `/komga/api/v1${path}`, { token: who.token });
  assert.is(status, 200, path);
  return json;
};

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  for (const name of ['one', 'two', 'three']) {
    for (const n of [1, 2]) writeBook(join(temp.shelf, name, 'Ants', `Ants ${n}.cbz`), 1, `${name} ${n}`);
    const body = { name: `The ${name}`, path: join(temp.shelf, name), scanImmediately: true };
    const { json } = await people.ask(admin.token, 'POST', '/libraries', { body });
    libraries.set(name, json.id.replaceAll('-', ''));
  }
  writeBook(join(temp.shelf, 'one', 'Alone.cbz'), 1, 'alone');
  await people.ask(admin.token, 'POST', `/libraries/${libraries.get('one')}/scan`, {});
  await until('the books are there', async () => {
    const { data } = (await people.ask(admin.token, 'GET', '/books?pageSize=50')).json;
    const isDone = data.length === 7 && data.every(({ analyzed }: { analyzed: boolean }) => analyzed);
    return temp.app.scans.active().length === 0 && isDone;
  });
  ann = await people.join('ann');
};

block(
  'libraries of the comic-server API',
  (check) => {
    check('only administrators are told where something lies on the server', async () => {
      const { admin, temp } = people;
      const root = join(temp.shelf, 'one');
      for (const [who, place] of [
        [admin, root],
        [ann, '/The one'],
        [admin, root],
      ] as const) {
        const id = libraries.get('one') ?? '';
        assert.is((await get(`/libraries/${id}`, who)).root, place);
        const listed = (await get('/libraries', who)).find((one: { id: string }) => one.id === id);
        assert.is(listed.root, place);
        const urlsAt = async (path: string): Promise<string[]> =>
          (await get(`${path}?library_id=${id}`, who)).content.map(({ url }: { url: string }) => url).sort();
        assert.equal(await urlsAt('/series'), [`${place}/Alone.cbz`, `${place}/Ants`]);
        const books = ['Alone.cbz', 'Ants/Ants 1.cbz', 'Ants/Ants 2.cbz'];
        assert.equal(
          await urlsAt('/books'),
          books.map((book) => `${place}/${book}`),
        );
      }
    });
    check('an id of another server is one of nothing', async () => {
      const ask = (path: string) => people.temp.call('GET', `/komga/api/v1${path}`, { token: ann.token });
      for (const path of ['series', 'books', 'libraries', 'collections', 'readlists'])
        for (const below of ['', '/thumbnail']) {
          const { status, json } = await ask(`/${path}/0SA292X1121SS${below}`);
          assert.equal([status, json.status, json.message], [404, 404, 'There is nothing with this id.'], path + below);
        }
      const [{ id }] = (await get('/books?size=1', ann)).content;
      for (const one of [id, '0SA292X1121SS']) assert.is((await ask(`/books/${one}/pages/first`)).status, 400);
    });
    check('what is on deck can be limited to one library, or to several', async () => {
      const series = (await get('/series', ann)).content.filter(({ name }: { name: string }) => name === 'Ants');
      for (const { id } of series) {
        const [first] = (await get(`/series/${id}/books`, ann)).content;
        const path = `/komga/api/v1/books/${first.id}/read-progress`;
        const { status } = await people.temp.call('PATCH', path, { token: ann.token, body: { completed: true } });
        assert.is(status, 204);
      }
      const onDeck = async (...names: string[]): Promise<string[]> => {
        const wanted = names.map((name) => libraries.get(name) ?? name).join();
        const { content } = await get(`/books/ondeck${wanted === '' ? '' : `?library_id=${wanted}`}`, ann);
        const nameOf = (id: string) => [...libraries].find(([, one]) => one === id)?.[0];
        return content.map(({ libraryId }: { libraryId: string }) => nameOf(libraryId)).sort();
      };
      assert.equal(await onDeck(), ['one', 'three', 'two']);
      assert.equal(await onDeck('two'), ['two']);
      assert.equal(await onDeck('one', 'two'), ['one', 'two']);
      assert.equal(await onDeck('01890000000070008000000000000000', 'three'), ['three']);
    });
  },
  { before: stock, after: () => people.temp.close() },
);
