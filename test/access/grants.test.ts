// Grants of sharing tags to users and to groups, what follows from several of them, and whom a group holds.
import { setImmediate } from 'node:timers/promises';
import { ASPECTS, updated } from '../../core/store/feed.js';
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { NOBODY, type Person, type SharedShelf, sharedShelf } from './shared-shelf.js';

let shelf: SharedShelf;

const grant = (person: Person, tag: string, accessMode: string) =>
  shelf.done(200, 'PUT', `/users/${person.id}/sharing-tags?force=true`, { sharingTagId: tag, accessMode });

const grantGroup = (group: string, tag: string, accessMode: string) =>
  shelf.done(200, 'POST', `/access-groups/${group}/grants?force=true`, { sharingTagId: tag, accessMode });

const membersIn = async (group: string): Promise<readonly string[]> =>
  (await shelf.done(200, 'GET', `/access-groups/${group}`)).json.members.map(
    ({ userId, source }: { userId: string; source: string }) => `${userId} ${source}`,
  );

const bad = (check: Check): void => {
  check('unknown people, tags, groups and memberships are 404, malformed ones 400, and change nothing', async () => {
    const [person, tag, group] = [await shelf.join(), await shelf.tag('Known'), await shelf.group('Known')];
    const known = { sharingTagId: tag, accessMode: 'deny' };
    for (const [status, method, path, body] of [
      [404, 'GET', `/users/${NOBODY}/sharing-tags`],
      [404, 'PUT', `/users/${NOBODY}/sharing-tags`, known],
      [404, 'PUT', `/users/${person.id}/sharing-tags`, { ...known, sharingTagId: NOBODY }],
      [404, 'DELETE', `/users/${person.id}/sharing-tags/${tag}`],
      [404, 'DELETE', `/users/${NOBODY}/sharing-tags/${tag}`],
      [404, 'GET', `/users/${NOBODY}/access-groups`],
      [404, 'GET', `/users/${NOBODY}/effective-grants`],
      [404, 'GET', `/access-groups/${NOBODY}`],
      [404, 'PATCH', `/access-groups/${NOBODY}`, { name: 'x' }],
      [404, 'DELETE', `/access-groups/${NOBODY}`],
      [404, 'POST', `/access-groups/${NOBODY}/grants`, known],
      [404, 'POST', `/access-groups/${group}/grants`, { ...known, sharingTagId: NOBODY }],
      [404, 'DELETE', `/access-groups/${group}/grants/${tag}`],
      [404, 'POST', `/access-groups/${NOBODY}/members`, { userIds: [person.id] }],
      [404, 'POST', `/access-groups/${group}/members`, { userIds: [person.id, NOBODY] }],
      [404, 'DELETE', `/access-groups/${group}/members/${person.id}`],
      [404, 'DELETE', `/access-groups/${group}/members/${NOBODY}`],
      [404, 'POST', `/access-groups/${NOBODY}/oidc-mappings`, { oidcGroupName: 'x' }],
      [404, 'DELETE', `/access-groups/${group}/oidc-mappings/${NOBODY}`],
      [400, 'PUT', `/users/${person.id}/sharing-tags`, { sharingTagId: tag, accessMode: 'maybe' }],
      [400, 'PUT', `/users/${person.id}/sharing-tags`, { accessMode: 'deny' }],
      [400, 'PUT', `/users/x/sharing-tags`, known],
      [400, 'POST', `/access-groups/${group}/members`, { userIds: 'x' }],
      [400, 'POST', `/access-groups/${group}/members`, { userIds: Array(501).fill(person.id) }],
      [400, 'POST', `/access-groups/${group}/oidc-mappings`, { oidcGroupName: ' ' }],
      [400, 'POST', `/access-groups/${group}/oidc-mappings`, { oidcGroupName: 'a\nb' }],
      [400, 'POST', `/access-groups/${group}/oidc-mappings`, { oidcGroupName: 'x'.repeat(1001) }],
      [400, 'DELETE', `/users/${person.id}/sharing-tags/${tag}?force=perhaps`],
    ] as const)
      await shelf.done(status, method, path, body);
    assert.equal((await shelf.done(200, 'GET', `/users/${person.id}/sharing-tags`)).json.grants, []);
    const { grants, members, oidcMappings } = (await shelf.done(200, 'GET', `/access-groups/${group}`)).json;
    assert.equal([grants, members, oidcMappings], [[], [], []]);
  });

  check('a hundred upserts at once leave one grant, one membership, one name', async () => {
    const [person, tag, group] = [await shelf.join(), await shelf.tag('Rush'), await shelf.group('Rush')];
    const all = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? 'allow' : 'deny'));
    const ids = await Promise.all(all.map(async (mode) => (await grant(person, tag, mode)).json.id));
    assert.is(new Set(ids).size, 1, 'a grant keeps its id');
    await Promise.all(all.map((mode) => grantGroup(group, tag, mode)));
    await Promise.all(
      all.map(() => shelf.done(200, 'POST', `/access-groups/${group}/members`, { userIds: [person.id] })),
    );
    const named = { oidcGroupName: 'family' };
    await Promise.all(all.map(() => shelf.done(200, 'POST', `/access-groups/${group}/oidc-mappings`, named)));
    const { json } = await shelf.done(200, 'GET', `/access-groups/${group}`);
    assert.equal([json.grants.length, json.members.length, json.oidcMappings.length], [1, 1, 1]);
    assert.is((await shelf.done(200, 'GET', `/users/${person.id}/sharing-tags`)).json.grants.length, 1);
  });

  check('who loses the role while waiting for the turn to write changes nothing', async () => {
    const [admin, tag] = [await shelf.join('admin'), await shelf.tag('Late')];
    const body = { sharingTagId: tag, accessMode: 'deny' };
    const caller = await shelf.temp.app.callers.byToken(admin.token);
    let asked: Promise<Answer> | undefined;
    await shelf.temp.app.db.write(null, 'interactive', async (tx) => {
      asked = shelf.ask(admin.token, 'PUT', `/users/${shelf.root.id}/sharing-tags`, body);
      await setImmediate();
      await tx.run("UPDATE user SET role = 'reader' WHERE id = ?", [caller.user.key]);
      tx.report(updated('user', [caller.user.key], ASPECTS.details));
    });
    const late = await asked;
    assert.is(late?.status, 403);
    assert.equal((await shelf.done(200, 'GET', `/users/${shelf.root.id}/sharing-tags`)).json.grants, []);
  });
};

const effects = (check: Check): void => {
  check('one upsert per PUT: other grants stay, the mode changes, and the person reads their own', async () => {
    const [person, a, b] = [await shelf.join(), await shelf.tag('A1', 'Ants'), await shelf.tag('B1', 'Bees')];
    const first = (await grant(person, a, 'deny')).json;
    await grant(person, b, 'allow');
    shelf.temp.advance(1000);
    assert.equal((await grant(person, a, 'allow')).json, { ...first, accessMode: 'allow' });
    const { json } = await shelf.ask(person.token, 'GET', '/user/sharing-tags');
    assert.is(json.userId, person.id);
    assert.equal(
      json.grants.map(
        (one: { sharingTagName: string; accessMode: string }) => `${one.sharingTagName} ${one.accessMode}`,
      ),
      ['A1 allow', 'B1 allow'],
    );
    assert.equal(await shelf.seen(person), ['Ants', 'Bees']);
    const listed = await shelf.done(200, 'GET', '/users?sharingTag=a1&sharingTagMode=allow');
    assert.equal(
      listed.json.data.map(({ id }: { id: string }) => id),
      [person.id],
    );
  });

  check('a deny from anywhere beats an allow from anywhere, in both directions', async () => {
    const [person, tag] = [await shelf.join(), await shelf.tag('Both', 'Ants')];
    const group = await shelf.group('Both', person);
    for (const [own, theirs] of [
      ['allow', 'deny'],
      ['deny', 'allow'],
    ] as const) {
      await grant(person, tag, own);
      await grantGroup(group, tag, theirs);
      assert.equal(await shelf.seen(person), [], `${own} and ${theirs}`);
    }
    await grant(person, tag, 'allow');
    assert.equal(await shelf.seen(person), ['Ants']);
  });

  check('effective grants: one for each tag and mode, with every source; the person comes before groups', async () => {
    const person = await shelf.join();
    const [x, y] = [await shelf.tag('X'), await shelf.tag('Y')];
    const [one, two] = [await shelf.group('One', person), await shelf.group('Two', person)];
    await shelf.group('Strangers');
    await grant(person, x, 'allow');
    await grantGroup(two, x, 'allow');
    await grantGroup(one, x, 'deny');
    await grantGroup(one, y, 'deny');
    await grantGroup(two, y, 'deny');
    const { json } = await shelf.done(200, 'GET', `/users/${person.id}/effective-grants`);
    const group = (groupId: string, groupName: string) => ({ kind: 'group', groupId, groupName });
    const own = { kind: 'user', groupId: null, groupName: null };
    const of = (sharingTagId: string, sharingTagName: string, accessMode: string, sources: object[]) => ({
      sharingTagId,
      sharingTagName,
      accessMode,
      sources,
    });
    assert.equal(json, {
      userId: person.id,
      grants: [
        of(x, 'X', 'allow', [own, group(two, 'Two')]),
        of(x, 'X', 'deny', [group(one, 'One')]),
        of(y, 'Y', 'deny', [group(one, 'One'), group(two, 'Two')]),
      ],
    });
    const groups = (await shelf.done(200, 'GET', `/users/${person.id}/access-groups`)).json;
    assert.equal(groups, [
      { id: one, name: 'One', description: null },
      { id: two, name: 'Two', description: null },
    ]);
  });
};

const groups = (check: Check): void => {
  check('a group is created, listed, renamed and described, with its counts; its name is given once', async () => {
    const person = await shelf.join();
    const { json: made } = await shelf.done(201, 'POST', '/access-groups', { name: 'Home', description: 'us' });
    assert.equal([made.name, made.description, made.memberCount, made.grantCount], ['Home', 'us', 0, 0]);
    await shelf.done(409, 'POST', '/access-groups', { name: ' HOME' });
    await shelf.done(200, 'POST', `/access-groups/${made.id}/members`, {
      userIds: [person.id, person.id.toUpperCase()],
    });
    await grantGroup(made.id, await shelf.tag('Home'), 'allow');
    shelf.temp.advance(1000);
    const { json } = await shelf.done(200, 'PATCH', `/access-groups/${made.id}`, { name: 'House', description: null });
    assert.equal([json.name, json.description, json.memberCount, json.grantCount], ['House', null, 1, 1]);
    assert.ok(json.updatedAt > made.updatedAt);
    const { json: all } = await shelf.done(200, 'GET', '/access-groups');
    assert.equal(
      all.find(({ id }: { id: string }) => id === made.id),
      json,
    );
  });

  check('whom a provider put in is told apart, and stays when an administrator adds them too', async () => {
    const [person, other] = [await shelf.join(), await shelf.join()];
    const group = await shelf.group('Sources', other);
    await shelf.temp.app.db.write(null, 'interactive', (tx) =>
      tx.run(
        `INSERT INTO access_group_member (access_group_id, user_id, created_at, provider)
         SELECT g.id, u.id, 0, 'home' FROM access_group g, user u WHERE g.name = 'Sources' AND u.username = ?`,
        [person.name],
      ),
    );
    assert.equal((await membersIn(group)).toSorted(), [`${person.id} oidc`, `${other.id} manual`].toSorted());
    const { json } = await shelf.done(200, 'POST', `/access-groups/${group}/members`, { userIds: [person.id] });
    assert.equal(
      json.map(({ source }: { source: string }) => source),
      ['manual', 'manual'],
    );
  });

  check('names at a provider are kept as they are, each once, and removed', async () => {
    const group = await shelf.group('Mapped');
    const add = async (oidcGroupName: string) =>
      (await shelf.done(200, 'POST', `/access-groups/${group}/oidc-mappings`, { oidcGroupName })).json;
    const [one, again, other] = [
      await add('CN=Family,DC=home'),
      await add(' CN=Family,DC=home '),
      await add('cn=family,dc=home'),
    ];
    assert.equal([again, one.oidcGroupName], [one, 'CN=Family,DC=home']);
    await shelf.done(204, 'DELETE', `/access-groups/${group}/oidc-mappings/${one.id}`);
    await shelf.done(404, 'DELETE', `/access-groups/${group}/oidc-mappings/${one.id}`);
    assert.equal((await shelf.done(200, 'GET', `/access-groups/${group}`)).json.oidcMappings, [other]);
  });

  check('a member who reads while their group is deleted sees all or less, and never gets an error', async () => {
    const [person, tag] = [await shelf.join(), await shelf.tag('Reading', 'Ants')];
    const group = await shelf.group('Reading', person);
    await grantGroup(group, tag, 'deny');
    const lists = Array.from({ length: 30 }, () => shelf.seen(person));
    const [seen] = await Promise.all([
      Promise.all(lists),
      shelf.done(204, 'DELETE', `/access-groups/${group}?force=true`),
    ]);
    for (const titles of seen) assert.ok([3, 4].includes(titles.length), titles.join());
    assert.is((await shelf.seen(person)).length, 4);
  });

  check('changes are in the audit log, with who, what and whom', async () => {
    const [person, tag] = [await shelf.join(), await shelf.tag('Logged')];
    const group = await shelf.group('Logged', person);
    await grant(person, tag, 'deny');
    await grant(person, tag, 'deny');
    await grantGroup(group, tag, 'allow');
    const entries = async (target: string) =>
      (await shelf.done(200, 'GET', `/admin/audit?target=${target}`)).json.data
        .map(({ action, details }: { action: string; details: object }) => `${action} ${JSON.stringify(details)}`)
        .reverse();
    assert.equal(
      await entries(person.id),
      ['user.grant {"tag":"Logged","mode":"deny"}'],
      'what changes nothing is left out',
    );
    assert.equal(await entries(group), [
      'access_group.create {}',
      `access_group.add_members {"users":["${person.name}"],"total":1}`,
      'access_group.grant {"tag":"Logged","mode":"allow"}',
    ]);
  });
};

const additions = (check: Check): void => {
  check('the entry of added members names those who were added, twenty at most', async () => {
    const [old, ...others] = await Promise.all(Array.from({ length: 25 }, () => shelf.join()));
    const group = await shelf.group('Added', ...(old === undefined ? [] : [old]));
    const userIds = [old, ...others].map((one) => one?.id);
    await shelf.done(200, 'POST', `/access-groups/${group}/members`, { userIds });
    const [{ details }] = (await shelf.done(200, 'GET', `/admin/audit?target=${group}`)).json.data;
    const names = others.map(({ name }) => name).toSorted();
    assert.equal(details, { users: names.slice(0, 20), total: 24 });
  });
};

block(
  'grants and access groups',
  (check) => {
    for (const part of [bad, effects, groups, additions]) part(check);
    check('no answer was a server error', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await sharedShelf();
    },
    after: () => shelf.temp.close(),
  },
);
