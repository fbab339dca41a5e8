// Removals after which somebody would see more: refused with their names, and done when whoever removes insists.
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type Person, type SharedShelf, sharedShelf } from './shared-shelf.js';

let shelf: SharedShelf;

const grant = (person: Person, tag: string, accessMode: string): Promise<Answer> =>
  shelf.done(200, 'PUT', `/users/${person.id}/sharing-tags`, { sharingTagId: tag, accessMode });

const grantGroup = (group: string, tag: string, accessMode: string): Promise<Answer> =>
  shelf.done(200, 'POST', `/access-groups/${group}/grants`, { sharingTagId: tag, accessMode });

/** Refused with these names, unless forced. */
const refusedFor = async (path: string, people: readonly Person[]): Promise<void> => {
  for (const query of ['', '?force=false']) {
    const { json } = await shelf.done(409, 'DELETE', `${path}${query}`);
    const expected = people
      .map(({ id, name }) => ({ id, username: name }))
      .toSorted((a, b) => (a.username < b.username ? -1 : 1));
    assert.equal([json.error, json.details], ['Conflict', { users: expected, total: people.length }]);
    for (const { name } of people) assert.match(json.message, name);
  }
};

/** Everything that can be removed, each with one person who is denied `tag` by it alone. */
const denials = async (): Promise<
  readonly { readonly what: string; readonly path: string; readonly person: Person }[]
> => {
  const made = async (what: string, path: (tag: string, group: string, person: Person) => string, isOwn: boolean) => {
    const [person, tag] = [await shelf.join(), await shelf.tag(`of ${what}`, 'Ants')];
    const group = await shelf.group(`of ${what}`, person);
    await (isOwn ? grant(person, tag, 'deny') : grantGroup(group, tag, 'deny'));
    return { what, path: path(tag, group, person), person };
  };
  return [
    await made('a tag', (tag) => `/admin/sharing-tags/${tag}`, true),
    await made('a tag of a group', (tag) => `/admin/sharing-tags/${tag}`, false),
    await made('a grant', (tag, _, { id }) => `/users/${id}/sharing-tags/${tag}`, true),
    await made('a grant of a group', (tag, group) => `/access-groups/${group}/grants/${tag}`, false),
    await made('a membership', (_, group, { id }) => `/access-groups/${group}/members/${id}`, false),
    await made('a group', (_, group) => `/access-groups/${group}`, false),
  ];
};

const refusals = (check: Check): void => {
  check('a denied tag that would be denied no more: 409 and nothing changed; with force it is gone', async () => {
    for (const { what, path, person } of await denials()) {
      await refusedFor(path, [person]);
      assert.equal(await shelf.seen(person), ['Bees', 'Cats', 'Dogs'], what);
      await shelf.done(204, 'DELETE', `${path}?force=true`);
      assert.equal(await shelf.seen(person), ['Ants', 'Bees', 'Cats', 'Dogs'], what);
      await shelf.done(404, 'DELETE', `${path}?force=true`);
    }
  });

  check('the last allowed tag: without it everything would be seen', async () => {
    const [person, tag, other] = [await shelf.join(), await shelf.tag('L1', 'Ants'), await shelf.tag('L2', 'Bees')];
    for (const one of [tag, other]) await grant(person, one, 'allow');
    await shelf.done(204, 'DELETE', `/users/${person.id}/sharing-tags/${other}`);
    assert.equal(await shelf.seen(person), ['Ants']);
    await refusedFor(`/users/${person.id}/sharing-tags/${tag}`, [person]);
    await refusedFor(`/admin/sharing-tags/${tag}`, [person]);
  });

  check('an allowed tag on nothing hides everything, so it may not go either', async () => {
    const [person, tag] = [await shelf.join(), await shelf.tag('On nothing')];
    await grant(person, tag, 'allow');
    assert.equal(await shelf.seen(person), []);
    await refusedFor(`/admin/sharing-tags/${tag}`, [person]);
  });

  check('of many people only those are named who would see more, disabled ones too', async () => {
    const tag = await shelf.tag('Several', 'Ants');
    const [plain, denied, disabled, elsewhere] = [
      await shelf.join(),
      await shelf.join(),
      await shelf.join(),
      await shelf.join(),
    ];
    const group = await shelf.group('Several', plain, denied, disabled, elsewhere);
    await grantGroup(group, tag, 'deny');
    await grant(denied, tag, 'deny');
    await shelf.done(200, 'PATCH', `/users/${disabled.id}`, { isActive: false });
    await shelf.done(200, 'PATCH', `/users/${elsewhere.id}`, { libraryIds: [] });
    await refusedFor(`/access-groups/${group}`, [plain, disabled]);
    await refusedFor(`/admin/sharing-tags/${tag}`, [plain, denied, disabled]);
  });

  check('twenty names at most, and how many more', async () => {
    const people: Person[] = [];
    for (let n = 0; n < 23; n += 1) people.push(await shelf.join());
    const [tag, group] = [await shelf.tag('Crowd', 'Ants'), await shelf.group('Crowd', ...people)];
    await grantGroup(group, tag, 'deny');
    const { json } = await shelf.done(409, 'DELETE', `/access-groups/${group}`);
    assert.equal([json.details.users.length, json.details.total], [20, 23]);
    assert.match(json.message, / and 3 more\./);
  });

  check('more different restrictions than are checked count as seeing more', async () => {
    const hidden = await shelf.tag('Unused');
    const group = await shelf.group('Different');
    await grantGroup(group, hidden, 'deny');
    for (let n = 0; n < 22; n += 1) {
      const person = await shelf.join();
      await shelf.done(200, 'PATCH', `/users/${person.id}`, { ageLimit: { max: n, unrated: 'allow' } });
      await shelf.done(200, 'POST', `/access-groups/${group}/members`, { userIds: [person.id] });
    }
    const { json } = await shelf.done(409, 'DELETE', `/access-groups/${group}`);
    assert.is(json.details.total, 2);
  });
};

const opposites = (check: Check): void => {
  check('the last allowed tag that becomes a denied one: 409 and nothing changed, unless forced', async () => {
    const [person, other, tag] = [await shelf.join(), await shelf.join(), await shelf.tag('Turned', 'Ants')];
    const group = await shelf.group('Turned', other);
    await grant(person, tag, 'allow');
    await grantGroup(group, tag, 'allow');
    for (const [who, method, path] of [
      [person, 'PUT', `/users/${person.id}/sharing-tags`],
      [other, 'POST', `/access-groups/${group}/grants`],
    ] as const) {
      const body = { sharingTagId: tag, accessMode: 'deny' };
      const { json } = await shelf.done(409, method, path, body);
      assert.equal(json.details, { users: [{ id: who.id, username: who.name }], total: 1 });
      assert.equal(await shelf.seen(who), ['Ants']);
      await shelf.done(200, method, `${path}?force=true`, body);
      assert.equal(await shelf.seen(who), ['Bees', 'Cats', 'Dogs']);
    }
  });

  check('one of several allowed tags is denied, and a denied one allowed, without force', async () => {
    const [person, tag, kept] = [await shelf.join(), await shelf.tag('T1', 'Ants'), await shelf.tag('T2', 'Bees')];
    for (const one of [tag, kept]) await grant(person, one, 'allow');
    await grant(person, tag, 'deny');
    assert.equal(await shelf.seen(person), ['Bees']);
    await grant(person, tag, 'allow');
    assert.equal(await shelf.seen(person), ['Ants', 'Bees']);
  });
};

const allowances = (check: Check): void => {
  check('whatever opens nothing goes without force', async () => {
    const [person, other] = [await shelf.join(), await shelf.join()];
    const [free, unused, twice] = [
      await shelf.tag('Free', 'Ants'),
      await shelf.tag('On no series'),
      await shelf.tag('Twice', 'Bees'),
    ];
    const group = await shelf.group('Opens nothing', person, other);
    await shelf.done(204, 'DELETE', `/admin/sharing-tags/${free}`);
    await grant(person, unused, 'deny');
    await shelf.done(204, 'DELETE', `/admin/sharing-tags/${unused}`);
    await grant(person, twice, 'deny');
    await grantGroup(group, twice, 'deny');
    await shelf.done(204, 'DELETE', `/users/${person.id}/sharing-tags/${twice}`);
    await grant(person, twice, 'deny');
    await shelf.done(204, 'DELETE', `/access-groups/${group}/members/${person.id}`);
    await refusedFor(`/access-groups/${group}`, [other]);
    await grant(other, twice, 'deny');
    await shelf.done(204, 'DELETE', `/access-groups/${group}`);
    assert.equal(
      [await shelf.seen(person), await shelf.seen(other)],
      [
        ['Ants', 'Cats', 'Dogs'],
        ['Ants', 'Cats', 'Dogs'],
      ],
    );
  });

  check('a tag whose series are hidden for another reason opens nothing', async () => {
    const [person, tag] = [await shelf.join(), await shelf.tag('Rated', 'Dogs')];
    await shelf.done(200, 'PATCH', `/series/${shelf.series.Dogs}/metadata`, { ageRating: 18 });
    await shelf.done(200, 'PATCH', `/users/${person.id}`, { ageLimit: { max: 12, unrated: 'allow' } });
    await grant(person, tag, 'deny');
    await shelf.done(204, 'DELETE', `/users/${person.id}/sharing-tags/${tag}`);
    await grant(person, tag, 'deny');
    await shelf.done(200, 'PATCH', `/users/${person.id}`, { ageLimit: { max: 18, unrated: 'hide' } });
    await refusedFor(`/users/${person.id}/sharing-tags/${tag}`, [person]);
  });
};

block(
  'removals that open something',
  (check) => {
    for (const part of [refusals, opposites, allowances]) part(check);
    check('no answer was a server error', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await sharedShelf();
    },
    after: () => shelf.temp.close(),
  },
);
