// Names of genres and libraries that only hidden series have: in the conditions of collections.
import { assert, block, type Check } from '../kit.js';
import { type Person, type SharedShelf, sharedShelf } from './shared-shelf.js';

let shelf: SharedShelf;
/** Somebody who is not shown Ants, and one who may change what they see. */
let reader: Person;
let keeper: Person;

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
};

block('names that hidden series have', names, { before: open, after: () => shelf.temp.close() });
