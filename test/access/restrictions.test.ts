// What a user is limited to, read from rows, and how soon a change of them is seen.

import { newId } from '../../core/model/ids.js';
import { EVERYTHING, type Scope, type Viewer } from '../../core/model/viewer.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;

const run = (sql: string): Promise<unknown> => temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));

const viewerOf = async (token: string): Promise<Viewer> => {
  const caller = await temp.app.callers.byToken(token);
  return temp.app.viewers.of(caller);
};

const tag = (id: number): Promise<unknown> =>
  run(
    `INSERT INTO sharing_tag (id, uuid, name, name_key, created_at, updated_at) VALUES (${id}, unhex('${newId(id)}'), 't${id}', 't${id}', 0, 0)`,
  );

const grant = (table: 'user_grant' | 'access_group_grant', key: number, id: number, access: string): Promise<unknown> =>
  run(
    `INSERT INTO ${table} (${table === 'user_grant' ? 'user_id' : 'access_group_id'}, sharing_tag_id, uuid, access, created_at)
     VALUES (${key}, ${id}, unhex('${newId(id)}'), '${access}', 0)`,
  );

block(
  'restrictions of users',
  (check) => {
    check('a user without restrictions has the scope that all share, without a promise', async () => {
      const token = await temp.tokenOf('admin');
      assert.is((await viewerOf(token)).scope, EVERYTHING);
      const caller = await temp.app.callers.byToken(token);
      await temp.app.viewers.of(caller);
      assert.not.instance(temp.app.viewers.of(caller), Promise);
    });

    check('grants of the user and of groups are one list; what they see changes with the next request', async () => {
      const token = await temp.tokenOf('reader');
      const { userKey } = await viewerOf(token);
      const scope = async (): Promise<Scope> => (await viewerOf(token)).scope;
      for (const id of [1, 2, 3]) await tag(id);
      await grant('user_grant', userKey, 2, 'allow');
      assert.equal((await scope()).allowedTags, [2]);
      await run(
        `INSERT INTO access_group (id, uuid, name, name_key, created_at, updated_at) VALUES (1, unhex('${newId(9)}'), 'g', 'g', 0, 0)`,
      );
      await grant('access_group_grant', 1, 1, 'allow');
      await grant('access_group_grant', 1, 2, 'deny');
      assert.equal((await scope()).allowedTags, [2], 'not a member yet');
      await run(`INSERT INTO access_group_member (access_group_id, user_id, created_at) VALUES (1, ${userKey}, 0)`);
      assert.equal(await scope(), { ...EVERYTHING, allowedTags: [1, 2], deniedTags: [2] });
      await run('DELETE FROM access_group WHERE id = 1');
      assert.equal((await scope()).allowedTags, [2]);
      await run('DELETE FROM sharing_tag WHERE id = 2');
      assert.is(await scope(), EVERYTHING);
    });

    check('unrated series are hidden under an age limit unless it says otherwise', async () => {
      const token = await temp.tokenOf('reader');
      const { userKey } = await viewerOf(token);
      await run(`INSERT INTO user_restriction (user_id, age_limit, updated_at) VALUES (${userKey}, 12, 0)`);
      assert.equal((await viewerOf(token)).scope, { ...EVERYTHING, ageLimit: 12, showUnrated: false });
      await run(`UPDATE user_restriction SET show_unrated = 1 WHERE user_id = ${userKey}`);
      assert.equal((await viewerOf(token)).scope, { ...EVERYTHING, ageLimit: 12, showUnrated: true });
    });

    check('a list of libraries may be empty, and deleting its last library leaves it empty', async () => {
      const token = await temp.tokenOf('admin');
      const { userKey } = await viewerOf(token);
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'L', path: temp.shelf } });
      await run(`INSERT INTO user_restriction (user_id, all_libraries, updated_at) VALUES (${userKey}, 0, 0)`);
      assert.equal((await viewerOf(token)).scope.libraries, []);
      await run(`INSERT INTO user_library (user_id, library_id) SELECT ${userKey}, id FROM library`);
      assert.is((await viewerOf(token)).scope.libraries?.length, 1);
      await temp.call('DELETE', `/api/v1/libraries/${made.json.id}`, { token });
      await until('its rows are gone', async () => (await viewerOf(token)).scope.libraries?.length === 0);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
