// Sharing tags over HTTP: who may ask, what names they have, which series carry them, and how lists are filtered by them.
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { NOBODY, type SharedShelf, sharedShelf, type Title } from './shared-shelf.js';

let shelf: SharedShelf;

const pathsOf = (answer: Answer): readonly string[] =>
  (answer.json.details ?? []).map(({ path }: { path: string }) => path);

const namesOf = async (title: Title): Promise<readonly string[]> => {
  const { json } = await shelf.done(200, 'GET', `/series/${shelf.series[title]}/sharing-tags`);
  return json.map(({ name }: { name: string }) => name);
};

const bad = (check: Check): void => {
  check(
    'readers and maintainers get no tag, no grant and no group, whatever permissions they have of their own',
    async () => {
      const [tag, group] = [await shelf.tag('Hidden from you', 'Ants'), await shelf.group('Them')];
      const [reader, maintainer] = [await shelf.join('reader'), await shelf.join('maintainer')];
      await shelf.done(200, 'PATCH', `/users/${maintainer.id}`, { permissions: ['SystemAdmin', 'UsersRead'] });
      const rows: readonly (readonly [method: string, path: string, body?: unknown])[] = [
        ['GET', '/admin/sharing-tags'],
        ['POST', '/admin/sharing-tags', { name: 'Mine' }],
        ['GET', `/admin/sharing-tags/${tag}`],
        ['PATCH', `/admin/sharing-tags/${tag}`, { name: 'Mine' }],
        ['DELETE', `/admin/sharing-tags/${tag}?force=true`],
        ['GET', `/series/${shelf.series.Ants}/sharing-tags`],
        ['PUT', `/series/${shelf.series.Ants}/sharing-tags`, { sharingTagIds: [] }],
        ['POST', `/series/${shelf.series.Ants}/sharing-tags`, { sharingTagId: tag }],
        ['DELETE', `/series/${shelf.series.Ants}/sharing-tags/${tag}`],
        ['GET', `/users/${reader.id}/sharing-tags`],
        ['PUT', `/users/${reader.id}/sharing-tags`, { sharingTagId: tag, accessMode: 'allow' }],
        ['DELETE', `/users/${reader.id}/sharing-tags/${tag}?force=true`],
        ['GET', `/users/${reader.id}/access-groups`],
        ['GET', `/users/${reader.id}/effective-grants`],
        ['GET', '/access-groups'],
        ['POST', '/access-groups', { name: 'Mine' }],
        ['GET', `/access-groups/${group}`],
        ['PATCH', `/access-groups/${group}`, { name: 'Mine' }],
        ['DELETE', `/access-groups/${group}?force=true`],
        ['POST', `/access-groups/${group}/grants`, { sharingTagId: tag, accessMode: 'allow' }],
        ['DELETE', `/access-groups/${group}/grants/${tag}?force=true`],
        ['POST', `/access-groups/${group}/members`, { userIds: [reader.id] }],
        ['DELETE', `/access-groups/${group}/members/${reader.id}?force=true`],
        ['POST', `/access-groups/${group}/oidc-mappings`, { oidcGroupName: 'x' }],
        ['DELETE', `/access-groups/${group}/oidc-mappings/${NOBODY}`],
      ];
      for (const { token } of [reader, maintainer])
        for (const [method, path, body] of rows)
          assert.is((await shelf.ask(token, method, path, body)).status, 403, `${method} ${path}`);
      assert.equal(await namesOf('Ants'), ['Hidden from you']);
      assert.equal((await shelf.ask(reader.token, 'GET', '/user/sharing-tags')).json, {
        userId: reader.id,
        grants: [],
      });
      await shelf.done(204, 'DELETE', `/admin/sharing-tags/${tag}`);
    },
  );

  check('names that are blank, too long, or hold what nobody sees are 400 at their path', async () => {
    const id = await shelf.tag('Kept');
    const names = ['', '  ', 'x'.repeat(256), 'a\nb', 'a\0b', 'K\u200Bept', 'a\u202Eb', 'a\u00ADb', '\uD800', 7, ['x']];
    for (const name of names)
      for (const [method, path] of [
        ['POST', '/admin/sharing-tags'],
        ['PATCH', `/admin/sharing-tags/${id}`],
        ['POST', '/access-groups'],
      ] as const) {
        const answer = await shelf.ask(shelf.root.token, method, path, { name });
        assert.equal([answer.status, pathsOf(answer)], [400, ['name']], `${path} ${JSON.stringify(name).slice(0, 40)}`);
      }
    const long = await shelf.ask(shelf.root.token, 'POST', '/admin/sharing-tags', {
      name: 'x',
      description: 'x'.repeat(2001),
    });
    assert.equal([long.status, pathsOf(long)], [400, ['description']]);
  });

  check(
    'a name that looks like another is taken: other case, width, form, space around it, or emoji style',
    async () => {
      await shelf.tag('Café ♥');
      for (const name of ['café ♥', ' CAFÉ  ♥ ', 'Cafe\u0301 ♥', 'ｃａｆé ♥', 'Café ♥\uFE0F']) {
        const answer = await shelf.ask(shelf.root.token, 'POST', '/admin/sharing-tags', { name });
        assert.equal([answer.status, answer.json.error], [409, 'Conflict'], name);
      }
      const other = await shelf.tag('Other');
      await shelf.done(409, 'PATCH', `/admin/sharing-tags/${other}`, { name: 'CAFÉ ♥' });
      await shelf.done(200, 'PATCH', `/admin/sharing-tags/${other}`, { name: 'OTHER' });
    },
  );

  check('of a hundred who create the same name at once, one does', async () => {
    const ask = (_: unknown, n: number): Promise<Answer> =>
      shelf.ask(shelf.root.token, 'POST', '/admin/sharing-tags', { name: n % 2 === 0 ? 'Rush' : 'RUSH' });
    const statuses = (await Promise.all(Array.from({ length: 100 }, ask))).map(({ status }) => status);
    assert.equal([statuses.filter((one) => one === 201).length, statuses.filter((one) => one === 409).length], [1, 99]);
  });

  check('unknown series, tags and ids in bodies', async () => {
    const ants = `/series/${shelf.series.Ants}/sharing-tags`;
    const tag = await shelf.tag('Known');
    for (const [method, path, body] of [
      ['GET', `/admin/sharing-tags/${NOBODY}`],
      ['PATCH', `/admin/sharing-tags/${NOBODY}`, { name: 'x' }],
      ['DELETE', `/admin/sharing-tags/${NOBODY}`],
      ['GET', `/series/${NOBODY}/sharing-tags`],
      ['PUT', `/series/${NOBODY}/sharing-tags`, { sharingTagIds: [tag] }],
      ['POST', `/series/${NOBODY}/sharing-tags`, { sharingTagId: tag }],
      ['DELETE', `${ants}/${NOBODY}`],
      ['DELETE', `${ants}/${tag}`],
    ] as const)
      await shelf.done(404, method, path, body);
    const put = await shelf.done(400, 'PUT', ants, { sharingTagIds: [tag, NOBODY] });
    assert.equal(pathsOf(put), ['sharingTagIds[1]']);
    assert.equal(pathsOf(await shelf.done(400, 'POST', ants, { sharingTagId: NOBODY })), ['sharingTagId']);
    for (const body of [{}, { sharingTagIds: 'x' }, { sharingTagIds: ['x'] }, { sharingTagIds: Array(501).fill(tag) }])
      await shelf.done(400, 'PUT', ants, body);
    assert.equal(await namesOf('Ants'), [], 'nothing of what was refused was written');
  });
};

const good = (check: Check): void => {
  check('a tag is created, listed by name in pages, changed and cleared, with its counts', async () => {
    for (const { id } of (await shelf.done(200, 'GET', '/admin/sharing-tags')).json.data)
      await shelf.done(204, 'DELETE', `/admin/sharing-tags/${id}?force=true`);
    const { json: made } = await shelf.done(201, 'POST', '/admin/sharing-tags', { name: ' Kids ', description: ' d ' });
    assert.equal([made.name, made.description, made.seriesCount, made.userCount], ['Kids', 'd', 0, 0]);
    await shelf.tag('adults', 'Ants', 'Bees');
    const { json: page } = await shelf.done(200, 'GET', '/admin/sharing-tags?page=1&pageSize=1');
    assert.equal([page.data[0].name, page.data[0].seriesCount, page.total, page.totalPages], ['adults', 2, 2, 2]);
    assert.is(page.links.next, '/api/v1/admin/sharing-tags?page=2&pageSize=1');
    shelf.temp.advance(1000);
    const path = `/admin/sharing-tags/${made.id}`;
    const { json: changed } = await shelf.done(200, 'PATCH', path, { name: null, description: null });
    assert.equal([changed.name, changed.description, changed.updatedAt > made.updatedAt], ['Kids', null, true]);
    const person = await shelf.join();
    await shelf.done(200, 'PUT', `/users/${person.id}/sharing-tags`, { sharingTagId: made.id, accessMode: 'deny' });
    assert.is((await shelf.done(200, 'GET', path)).json.userCount, 1);
  });

  check('PUT replaces the tags of a series, POST adds one, DELETE takes one off; ids in any case', async () => {
    const [a, b, c] = [await shelf.tag('A'), await shelf.tag('B'), await shelf.tag('C')];
    const cats = `/series/${shelf.series.Cats}/sharing-tags`;
    await shelf.done(200, 'PUT', cats, { sharingTagIds: [b, a.toUpperCase(), a] });
    assert.equal(await namesOf('Cats'), ['A', 'B']);
    const added = await shelf.done(200, 'POST', cats, { sharingTagId: c.toUpperCase() });
    assert.equal(
      added.json.map(({ name }: { name: string }) => name),
      ['A', 'B', 'C'],
    );
    await shelf.done(200, 'POST', cats, { sharingTagId: c });
    await shelf.done(204, 'DELETE', `${cats}/${b.toUpperCase()}`);
    assert.equal(await namesOf('Cats'), ['A', 'C']);
    await shelf.done(200, 'PUT', cats, { sharingTagIds: [] });
    assert.equal(await namesOf('Cats'), []);
  });

  check('an administrator who cannot see a series takes off the tag that hides it', async () => {
    const admin = await shelf.join('admin');
    const tag = await shelf.tag('Shut', 'Dogs');
    await shelf.done(200, 'PUT', `/users/${admin.id}/sharing-tags`, { sharingTagId: tag, accessMode: 'deny' });
    assert.is((await shelf.ask(admin.token, 'GET', `/series/${shelf.series.Dogs}`)).status, 404);
    const path = `/series/${shelf.series.Dogs}/sharing-tags/${tag}`;
    assert.is((await shelf.ask(admin.token, 'DELETE', path)).status, 204);
    assert.is((await shelf.ask(admin.token, 'GET', `/series/${shelf.series.Dogs}`)).status, 200);
  });

  check('deleting a tag that many series carry takes it off all of them, and interrupts nobody', async () => {
    const tag = await shelf.tag('Many', 'Ants');
    const library = shelf.libraryId;
    await shelf.temp.app.db.write(null, 'interactive', (tx) =>
      tx.run(
        `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 450)
         INSERT INTO series (uuid, library_id, path, name, name_sort, created_at, updated_at)
         SELECT randomblob(16), l.id, 'x' || i, 'x' || i, 'x', 0, 0 FROM n, library l WHERE l.uuid = unhex(?)`,
        [library.replaceAll('-', '')],
      ),
    );
    await shelf.temp.app.db.write(null, 'interactive', (tx) =>
      tx.run(
        `INSERT INTO series_sharing_tag SELECT s.id, t.id FROM series s, sharing_tag t WHERE s.path LIKE 'x%' AND t.uuid = unhex(?)`,
        [tag.replaceAll('-', '')],
      ),
    );
    assert.is((await shelf.done(200, 'GET', `/admin/sharing-tags/${tag}`)).json.seriesCount, 451);
    await shelf.done(204, 'DELETE', `/admin/sharing-tags/${tag}`);
    const left = await shelf.temp.app.db.all(
      'SELECT 1 FROM series_sharing_tag c LEFT JOIN sharing_tag t ON t.id = c.sharing_tag_id WHERE t.id IS NULL',
    );
    assert.equal(left, []);
    assert.not.ok((await namesOf('Ants')).includes('Many'));
    await shelf.temp.app.db.write(null, 'interactive', (tx) => tx.run(`DELETE FROM series WHERE path LIKE 'x%'`));
  });
};

const filtered = async (token: string, sharingTag: unknown): Promise<readonly string[]> => {
  const { json } = await shelf.ask(token, 'POST', '/series/list?sort=name', { condition: { sharingTag } });
  return json.data.map(({ title }: { title: string }) => title);
};

const filters = (check: Check): void => {
  check('to anybody but administrators no series has a sharing tag', async () => {
    const tag = await shelf.tag('Secret', 'Ants');
    const is = { operator: 'is', value: 'secret' };
    for (const role of ['reader', 'maintainer'] as const) {
      const { token } = await shelf.join(role);
      assert.equal([await filtered(token, is), await filtered(token, { operator: 'isNotNull' })], [[], []]);
      assert.is((await filtered(token, { operator: 'isNot', value: 'secret' })).length, 4);
      const letters = await shelf.ask(token, 'POST', '/series/list/alphabetical-groups', {
        condition: { sharingTag: is },
      });
      assert.equal(letters.json, []);
    }
    assert.equal(await filtered(shelf.root.token, is), ['Ants']);
    const helper = await shelf.join('maintainer');
    await shelf.done(200, 'PATCH', `/users/${helper.id}`, { permissions: ['SystemAdmin'] });
    assert.equal(await filtered(helper.token, is), [], 'a permission makes no administrator');
    const key = (permissions: readonly string[]) =>
      shelf.done(201, 'POST', '/api-keys', { name: 'k', permissions: ['SeriesRead', ...permissions] });
    assert.equal(await filtered((await key([])).json.key, is), [], 'nor does a key that lacks it');
    assert.equal(await filtered((await key(['SystemAdmin'])).json.key, is), ['Ants']);
    await shelf.done(204, 'DELETE', `/admin/sharing-tags/${tag}`);
  });

  check('no condition of a collection tells of sharing tags, at any depth', async () => {
    const condition = { allOf: [{ anyOf: [{ sharingTag: { operator: 'isNull' } }] }] };
    const answer = await shelf.done(400, 'POST', '/collections', { name: 'By tag', condition });
    assert.equal(pathsOf(answer), ['condition']);
  });

  check('the next list follows what series carry, what tags are called, and what is deleted', async () => {
    const tag = await shelf.tag('Blue', 'Bees');
    const red = { operator: 'is', value: 'RED' };
    assert.equal(
      [await filtered(shelf.root.token, red), await filtered(shelf.root.token, { ...red, value: 'blue' })],
      [[], ['Bees']],
    );
    await shelf.done(200, 'PATCH', `/admin/sharing-tags/${tag}`, { name: 'Red' });
    assert.equal(
      [await filtered(shelf.root.token, red), await filtered(shelf.root.token, { ...red, value: 'blue' })],
      [['Bees'], []],
    );
    await shelf.done(200, 'POST', `/series/${shelf.series.Dogs}/sharing-tags`, { sharingTagId: tag });
    assert.equal(await filtered(shelf.root.token, red), ['Bees', 'Dogs']);
    await shelf.done(204, 'DELETE', `/admin/sharing-tags/${tag}`);
    assert.equal(await filtered(shelf.root.token, red), []);
  });
};

block(
  'sharing tags',
  (check) => {
    for (const part of [bad, good, filters]) part(check);
    check('no answer was a server error', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await sharedShelf();
    },
    after: () => shelf.temp.close(),
  },
);
