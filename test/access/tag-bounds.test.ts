// Sharing tags at their limits: how many a series carries, and one whose removal takes more than one transaction.

import { NAMED_MAX } from '../../core/sharing/names.js';
import { TAGS_MAX } from '../../core/sharing/series-tags.js';
import { assert, block } from '../kit.js';
import { type SharedShelf, sharedShelf } from './shared-shelf.js';

let shelf: SharedShelf;

const run = (sql: string, ...binds: readonly string[]): Promise<number> =>
  shelf.temp.app.db.write(null, 'interactive', (tx) => tx.run(sql, binds));

const hex = (id: string): string => id.replaceAll('-', '');

/** Puts a tag on more series than lose it in one transaction. */
const spread = async (tag: string): Promise<void> => {
  await run(
    `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 250)
     INSERT INTO series (uuid, library_id, path, name, name_sort, created_at, updated_at)
     SELECT randomblob(16), l.id, 'x' || i, 'x' || i, 'x', 0, 0 FROM n, library l`,
  );
  await run(
    `INSERT INTO series_sharing_tag SELECT s.id, t.id FROM series s, sharing_tag t WHERE s.path LIKE 'x%' AND t.uuid = unhex(?)`,
    hex(tag),
  );
};

block(
  'limits of sharing tags',
  (check) => {
    check('a removal that does not come to its end is in the audit log, like one that does', async () => {
      const [tag, person] = [await shelf.tag('Wide', 'Ants'), await shelf.join()];
      await spread(tag);
      await shelf.done(200, 'PUT', `/users/${person.id}/sharing-tags`, { sharingTagId: tag, accessMode: 'deny' });
      await run(`CREATE TRIGGER no_end BEFORE DELETE ON sharing_tag BEGIN SELECT RAISE(ABORT, 'no end'); END`);
      const deletions = async (): Promise<number> =>
        (await shelf.done(200, 'GET', `/admin/audit?target=${tag}&action=sharing_tag.delete`)).json.total;
      await shelf.done(500, 'DELETE', `/admin/sharing-tags/${tag}?force=true`);
      assert.is(shelf.temp.faults.splice(0).length, 1);
      assert.equal([await shelf.seen(person).then((titles) => titles.includes('Ants')), await deletions()], [true, 1]);
      await run('DROP TRIGGER no_end');
      const other = await shelf.tag('Whole', 'Ants');
      await shelf.done(204, 'DELETE', `/admin/sharing-tags/${other}`);
      const { json } = await shelf.done(200, 'GET', `/admin/audit?target=${other}&action=sharing_tag.delete`);
      assert.is(json.total, 1);
      await shelf.done(204, 'DELETE', `/admin/sharing-tags/${tag}`);
    });
    check(
      'a series carries as many tags one by one as in a list; beyond that they can still be taken off',
      async () => {
        await run(
          `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${TAGS_MAX})
         INSERT INTO sharing_tag (uuid, name, name_key, created_at, updated_at) SELECT randomblob(16), 't' || i, 't' || i, 0, 0 FROM n`,
        );
        assert.ok(TAGS_MAX < NAMED_MAX);
        await run(`INSERT INTO series_sharing_tag SELECT s.id, t.id FROM series s, sharing_tag t
        WHERE s.name = 'Bees' AND t.name_key LIKE 't%'`);
        const one = await shelf.tag('One more');
        const path = `/series/${shelf.series.Bees}/sharing-tags`;
        const { json } = await shelf.done(409, 'POST', path, { sharingTagId: one });
        assert.match(json.message, String(TAGS_MAX));
        const tags: readonly { readonly id: string }[] = (await shelf.done(200, 'GET', path)).json;
        assert.is(tags.length, TAGS_MAX);
        await shelf.done(200, 'POST', path, { sharingTagId: tags[0]?.id });
        await run(`INSERT INTO series_sharing_tag SELECT s.id, t.id FROM series s, sharing_tag t
        WHERE s.name = 'Bees' AND t.name = 'One more'`);
        await shelf.done(204, 'DELETE', `${path}/${tags[1]?.id}`);
        await shelf.done(200, 'PUT', path, { sharingTagIds: tags.map(({ id }) => id) });
      },
    );
    check('no answer was a server error', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await sharedShelf();
    },
    after: () => shelf.temp.close(),
  },
);
