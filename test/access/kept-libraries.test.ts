// Libraries that somebody who may change libraries is not shown: they cannot be changed, scanned or removed by them, and their files
// cannot be had through another library.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { markRemoving } from '../../core/catalog/removal-mark.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type Answer, until, writeBook } from '../app.js';
import { UNKNOWN_ID } from '../http/row-bodies.js';
import { assert, block } from '../kit.js';
import { openPeople, type People, type Person } from './people.js';

const GENERIC = 'Another library has this path, a part of it or a folder above it.';

interface Shelf extends People {
  readonly keeper: Person;
  readonly own: string;
  readonly hidden: string;
  folder(name: string): string;
  scanned(id: string, query?: string): Promise<void>;
}

const shelfOf = async (people: People): Promise<Shelf> => {
  const { temp, admin, ask, join: joined } = people;
  const folder = (name: string): string => join(temp.shelf, name);
  const free = () => until('the scans end', () => temp.app.scans.active().length === 0);
  const add = async (name: string): Promise<string> => {
    writeBook(join(folder(name), 'Series', `${name}.cbz`), 1, name);
    const body = { name, path: folder(name), scanImmediately: true };
    return (await ask(admin.token, 'POST', '/libraries', { body })).json.id;
  };
  const [own, hidden] = [await add('own'), await add('hidden')];
  for (const name of ['empty', 'hidden/inside']) mkdirSync(folder(name));
  await free();
  const keeper = await joined('keeper', 'maintainer', ['LibrariesDelete']);
  await ask(admin.token, 'PATCH', `/users/${keeper.id}`, { body: { libraryIds: [own] } });
  const scanned = async (id: string, query = ''): Promise<void> => {
    assert.is((await ask(admin.token, 'POST', `/libraries/${id}/scan${query}`)).status, 200);
    await free();
  };
  return { ...people, keeper, own, hidden, folder, scanned };
};

const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const people = await openPeople();
  try {
    await use(await shelfOf(people));
  } finally {
    await people.temp.close();
  }
};

const ROWS: readonly (readonly [method: string, rest: string, body?: object])[] = [
  ['GET', ''],
  ['PUT', '', {}],
  ['PATCH', '', {}],
  ['PATCH', '', { name: 'Mine', path: '/nowhere' }],
  ['PATCH', '', { seriesStrategy: 'flat' }],
  ['GET', '/scan-status'],
  ['POST', '/scan'],
  ['POST', '/scan?mode=deep&acceptMissing=true'],
  ['POST', '/scan/cancel'],
  ['GET', '/thumbnail'],
  ['DELETE', ''],
];

/** What is told of a path that must not become one of the keeper's. */
const refusedAt = async ({ ask, keeper, own, folder }: Shelf, names: readonly string[]): Promise<void> => {
  for (const path of names.map(folder)) {
    const refuse = ({ status, json }: Answer): void =>
      assert.equal([status, json.message, json.details ?? null], [409, GENERIC, null], path);
    refuse(await ask(keeper.token, 'PATCH', `/libraries/${own}`, { body: { path } }));
    refuse(await ask(keeper.token, 'POST', '/libraries', { body: { name: 'x', path } }));
  }
};

block('libraries that a maintainer is not shown', (check) => {
  check('are unknown to every row of libraries, also with a key; nothing happens to them', () =>
    withShelf(async ({ ask, admin, keeper, hidden }) => {
      const names = ['LibrariesRead', 'LibrariesWrite', 'LibrariesDelete'];
      const { key } = (await ask(keeper.token, 'POST', '/api-keys', { body: { name: 'k', permissions: names } })).json;
      const before = (await ask(admin.token, 'GET', `/libraries/${hidden}`)).json;
      for (const token of [keeper.token, key])
        for (const [method, rest, body] of ROWS) {
          const told = async (id: string): Promise<string> => {
            const options = body === undefined ? {} : { body };
            const { status, bytes } = await ask(token, method, `/libraries/${id}${rest}`, options);
            return `${status} ${bytes.toString().replaceAll(id, '*')}`;
          };
          const answer = await told(hidden);
          assert.is(answer, await told(UNKNOWN_ID), `${method} ${rest}`);
          assert.match(answer, /^404 .*There is no library with this id/);
        }
      assert.equal((await ask(admin.token, 'GET', `/libraries/${hidden}`)).json, before);
    }),
  );
  check('are administered by an administrator who is not shown them either', () =>
    withShelf(async ({ ask, admin, own, hidden }) => {
      await ask(admin.token, 'PATCH', `/users/${admin.id}`, { body: { libraryIds: [own] } });
      assert.is((await ask(admin.token, 'GET', `/libraries/${hidden}`)).status, 404);
      const changed = await ask(admin.token, 'PATCH', `/libraries/${hidden}`, { body: { name: 'Renamed' } });
      assert.equal([changed.status, changed.json.name], [200, 'Renamed']);
      assert.is((await ask(admin.token, 'POST', `/libraries/${hidden}/scan`)).status, 200);
      assert.is((await ask(admin.token, 'DELETE', `/libraries/${hidden}`)).status, 204);
    }),
  );
  check('keep their paths, and those they had until their books are found or given up', () =>
    withShelf(async (shelf) => {
      const { ask, admin, keeper, own, hidden, folder, scanned } = shelf;
      await refusedAt(shelf, ['hidden', 'hidden/inside']);
      const move = (path: string) => ask(admin.token, 'PATCH', `/libraries/${hidden}`, { body: { path } });
      assert.is((await move(folder('empty'))).status, 200);
      await refusedAt(shelf, ['hidden', 'hidden/inside', 'empty']);
      await scanned(hidden);
      await refusedAt(shelf, ['hidden']);
      await scanned(hidden, '?acceptMissing=true');
      const taken = await ask(keeper.token, 'PATCH', `/libraries/${own}`, { body: { path: folder('hidden') } });
      assert.equal([taken.status, taken.json.path], [200, folder('hidden')]);
    }),
  );
  check('do not tell which names there are in their folders, or were', () =>
    withShelf(async (shelf) => {
      const { ask, admin, keeper, hidden, folder } = shelf;
      const names = [
        'hidden/Series',
        'hidden/Series/hidden.cbz',
        'hidden/none',
        'hidden/none/deeper',
        'hidden/Series/hidden.cbz/x',
      ];
      const preview = async (path: string): Promise<number> =>
        (await ask(keeper.token, 'POST', '/libraries/preview-scan', { body: { path } })).status;
      const alike = async (): Promise<void> => {
        await refusedAt(shelf, names);
        assert.equal(await Promise.all(['hidden', ...names].map((name) => preview(folder(name)))), Array(6).fill(403));
      };
      await alike();
      const moved = await ask(admin.token, 'PATCH', `/libraries/${hidden}`, { body: { path: folder('empty') } });
      assert.is(moved.status, 200);
      await alike();
      assert.is(await preview(folder('nowhere')), 400);
    }),
  );
  check('keep the path of a removed one while its books are stored, except for those who see all', () =>
    withShelf(async (shelf) => {
      const { ask, admin, temp, hidden, folder } = shelf;
      await temp.app.db.write(SYSTEM, 'interactive', (tx) => markRemoving(tx, hidden));
      await refusedAt(shelf, ['hidden']);
      const body = { name: 'Again', path: folder('hidden') };
      assert.is((await ask(admin.token, 'POST', '/libraries', { body })).status, 201);
    }),
  );
});
