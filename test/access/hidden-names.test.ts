// Names of genres and libraries that only hidden series have: in the conditions of collections, and in answers to whoever gives them anew.
import { assert, block, type Check } from '../kit.js';
import { type Person, type SharedShelf, sharedShelf, type Title } from './shared-shelf.js';

let shelf: SharedShelf;
/** Somebody who is not shown Ants, and one who may change what they see. */
let reader: Person;
let keeper: Person;

const bookOf = async (title: Title): Promise<string> =>
  (await shelf.done(200, 'GET', `/series/${shelf.series[title]}/books`)).json[0].id;

const open = async (): Promise<void> => {
  shelf = await sharedShelf();
  [reader, keeper] = [await shelf.join(), await shelf.join('maintainer')];
  const sharingTagId = await shelf.tag('hidden', 'Ants');
  for (const { id } of [reader, keeper])
    await shelf.done(200, 'PUT', `/users/${id}/sharing-tags`, { sharingTagId, accessMode: 'deny' });
};

const names = (check: Check): void => {
  check('are in the condition of a collection only for those who see everything or change collections', async () => {
    const condition = { anyOf: [{ genre: { operator: 'isNot', value: 'Secret society' } }] };
    const { id } = (await shelf.done(201, 'POST', '/collections', { name: 'Auto', condition })).json;
    const free = await shelf.join();
    for (const path of ['/collections', `/collections/${id}`, `/series/${shelf.series.Bees}/collections`]) {
      const found = async ({ token }: Person) => {
        const { json } = await shelf.ask(token, 'GET', path);
        const one = json.items?.[0] ?? json;
        return [one.id, one.automatic, one.condition];
      };
      assert.equal(await found(reader), [id, true, null], path);
      for (const person of [shelf.root, free, keeper]) assert.equal(await found(person), [id, true, condition], path);
    }
  });
  check('are new names to whoever gives one to what they see', async () => {
    const { temp, series } = shelf;
    for (const owner of ['series', 'books'] as const)
      for (const kind of ['genres', 'tags'] as const) {
        const path = async (title: Title) =>
          `/${owner}/${owner === 'series' ? series[title] : await bookOf(title)}/${kind}`;
        const name = (word: string) => `${word} of ${owner} ${kind}`;
        await shelf.done(200, 'PUT', await path('Ants'), { [kind]: ['HIDDEN', 'VEILED', 'CLOAKED'].map(name) });
        await shelf.done(200, 'PUT', await path('Cats'), { [kind]: [name('SEEN')] });
        const old = new Date(temp.app.clock.now()).toISOString();
        temp.advance(60_000);
        const now = new Date(temp.app.clock.now()).toISOString();
        const told = (term: { name: string; createdAt: string }) => [term.name, term.createdAt];
        const add = async ({ token }: Person, word: string) =>
          told((await shelf.ask(token, 'POST', await path('Bees'), { name: name(word) })).json);
        assert.equal(await add(keeper, 'Hidden'), [name('Hidden'), now]);
        assert.equal(await add(keeper, 'Seen'), [name('SEEN'), old]);
        assert.equal(await add(shelf.root, 'Veiled'), [name('VEILED'), old]);
        const body = { [kind]: ['Cloaked', 'Veiled', 'Seen'].map(name) };
        const { json } = await shelf.ask(keeper.token, 'PUT', await path('Dogs'), body);
        const expected = [
          [name('Cloaked'), now],
          [name('SEEN'), old],
          [name('VEILED'), old],
        ];
        assert.equal(json[kind].map(told).toSorted(), expected);
      }
  });
};

block('names that hidden series have', names, { before: open, after: () => shelf.temp.close() });
