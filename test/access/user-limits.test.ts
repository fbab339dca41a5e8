// The libraries and the age rating a user is limited to, as administrators set them.
import { join } from 'node:path';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { NOBODY, type Person, type SharedShelf, sharedShelf } from './shared-shelf.js';

let shelf: SharedShelf;
let second = '';

const limit = async (person: Person, body: object): Promise<Answer> =>
  shelf.done(200, 'PATCH', `/users/${person.id}`, body);

/** As everybody who may reads them. */
const limitsOf = async (person: Person): Promise<readonly unknown[]> => {
  const own = (await shelf.ask(person.token, 'GET', '/user')).json;
  const one = (await shelf.done(200, 'GET', `/users/${person.id}`)).json;
  const listed = (await shelf.done(200, 'GET', '/users?pageSize=100')).json.data.find(
    ({ id }: Person) => id === person.id,
  );
  const [first, ...others] = [own, one, listed].map(({ libraryIds, ageLimit }) => [libraryIds, ageLimit]);
  for (const other of others) assert.equal(other, first);
  return first ?? [];
};

block(
  'limits of users',
  (check) => {
    check('libraries that do not exist, and limits that are none, are 400 at their path', async () => {
      const person = await shelf.join();
      for (const [body, path] of [
        [{ libraryIds: [shelf.libraryId, NOBODY] }, 'libraryIds[1]'],
        [{ libraryIds: ['x'] }, 'libraryIds'],
        [{ libraryIds: 'x' }, 'libraryIds'],
        [{ libraryIds: Array(501).fill(shelf.libraryId) }, 'libraryIds'],
        [{ ageLimit: 12 }, 'ageLimit'],
        [{ ageLimit: { max: -1 } }, 'ageLimit'],
        [{ ageLimit: { max: 1.5 } }, 'ageLimit'],
        [{ ageLimit: { max: 121 } }, 'ageLimit'],
        [{ ageLimit: { unrated: 'hide' } }, 'ageLimit'],
        [{ ageLimit: { max: 12, unrated: 'maybe' } }, 'ageLimit'],
      ] as const) {
        const names = { username: 'x', email: 'x@example.org', password: 'gulls over the pier 4' };
        for (const answer of [
          await shelf.done(400, 'PATCH', `/users/${person.id}`, body),
          await shelf.done(400, 'POST', '/users', { ...names, ...body }),
        ])
          assert.ok(
            answer.json.details.some((one: { path: string }) => one.path.startsWith(path)),
            `${JSON.stringify(body).slice(0, 80)}: ${answer.json.message}`,
          );
      }
      assert.equal(await limitsOf(person), [null, null]);
      assert.is(
        (await shelf.done(200, 'GET', '/users?pageSize=100')).json.data.some(
          (one: { username: string }) => one.username === 'x',
        ),
        false,
      );
    });

    check('nobody but administrators lifts a limit, least of all their own', async () => {
      const person = await shelf.join('maintainer');
      await limit(person, { libraryIds: [], ageLimit: { max: 6 } });
      const free = { libraryIds: null, ageLimit: null };
      assert.is((await shelf.ask(person.token, 'PATCH', `/users/${person.id}`, free)).status, 403);
      assert.is((await shelf.ask(person.token, 'PATCH', '/user', { ...free, username: person.name })).status, 200);
      assert.equal(await limitsOf(person), [[], { max: 6, unrated: 'hide' }]);
    });

    check('a list of libraries: what is not in it does not exist, from the next request on', async () => {
      const person = await shelf.join();
      assert.is((await shelf.seen(person)).length, 5);
      await limit(person, { libraryIds: [second.toUpperCase(), second] });
      assert.equal([await shelf.seen(person), await limitsOf(person)], [['Eels'], [[second], null]]);
      assert.is((await shelf.ask(person.token, 'GET', `/libraries/${shelf.libraryId}`)).status, 404);
      await limit(person, { ageLimit: { max: 3, unrated: 'allow' } });
      assert.equal(
        [await shelf.seen(person), await limitsOf(person)],
        [['Eels'], [[second], { max: 3, unrated: 'allow' }]],
      );
      await limit(person, { libraryIds: [] });
      assert.equal(await shelf.seen(person), []);
      await limit(person, { libraryIds: null });
      assert.is((await shelf.seen(person)).length, 5);
    });

    check('an age limit: unrated series are hidden unless they are allowed', async () => {
      const person = await shelf.join();
      await shelf.done(200, 'PATCH', `/series/${shelf.series.Cats}/metadata`, { ageRating: 12 });
      await shelf.done(200, 'PATCH', `/series/${shelf.series.Dogs}/metadata`, { ageRating: 18 });
      await limit(person, { ageLimit: { max: 12 } });
      assert.equal(await shelf.seen(person), ['Cats']);
      await limit(person, { ageLimit: { max: 12, unrated: 'allow' } });
      assert.equal(await shelf.seen(person), ['Ants', 'Bees', 'Cats', 'Eels']);
      await limit(person, { ageLimit: null });
      assert.is((await shelf.seen(person)).length, 5);
    });

    check('a user is made with limits, and they hold with the first request', async () => {
      const names = { username: 'kid', email: 'kid@example.org', password: 'gulls over the pier 4' };
      const limits = { libraryIds: [second], ageLimit: { max: 9, unrated: 'allow' } };
      const { json } = await shelf.done(201, 'POST', '/users', { ...names, ...limits });
      assert.equal([json.libraryIds, json.ageLimit], [limits.libraryIds, limits.ageLimit]);
      const login = await shelf.temp.call('POST', '/api/v1/auth/login', {
        body: { username: 'kid', password: names.password },
      });
      assert.equal(await shelf.seen({ id: json.id, name: 'kid', token: login.json.access_token }), ['Eels']);
    });

    check('the audit log says what changed, and nothing of what did not', async () => {
      const person = await shelf.join();
      for (const body of [{ libraryIds: null, ageLimit: null }, { libraryIds: [second] }, { libraryIds: [second] }])
        await limit(person, body);
      const { data } = (await shelf.done(200, 'GET', `/admin/audit?target=${person.id}`)).json;
      assert.equal(
        data.map(({ details }: { details: unknown }) => details),
        [{ changed: ['libraryIds'], libraryIds: [second] }],
      );
    });

    check('a library that is deleted leaves the lists it is in, and an empty list shows nothing', async () => {
      const person = await shelf.join();
      await limit(person, { libraryIds: [second] });
      await shelf.done(204, 'DELETE', `/libraries/${second}`);
      assert.equal([await limitsOf(person), await shelf.seen(person)], [[[], null], []]);
      await shelf.done(400, 'PATCH', `/users/${person.id}`, { libraryIds: [second] });
      assert.equal(shelf.temp.faults, []);
    });
  },
  {
    before: async () => {
      shelf = await sharedShelf();
      const path = join(shelf.temp.folder, 'second');
      writeBook(join(path, 'Eels', 'Eels 1.cbz'), 1, 'Eels');
      second = (await shelf.done(201, 'POST', '/libraries', { name: 'Second', path, scanImmediately: true })).json.id;
      await until('the scan ends', () => shelf.temp.app.scans.active().length === 0);
    },
    after: () => shelf.temp.close(),
  },
);
