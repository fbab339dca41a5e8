// Fields that nobody asked for: sent to every row that takes a body, they change nothing of any account, key or grant.
import { userById } from '../../core/access/users.js';
import { ROUTES } from '../../http/api/rows/index.js';
import type { Route } from '../../http/surface/route.js';
import { tempApp } from '../app.js';
import { assert, block } from '../kit.js';
import { openPeople, type People, type Person } from './people.js';

const UUID = '01890000-0000-7000-8000-000000000000';
const WITH_BODY = ROUTES.filter(({ body }) => body !== null);

let people: People;
let eve: Person;
let ann: Person;

/** Whatever other servers were raised by, with what the row asks for; JSON keeps `__proto__` as a field of its own. */
const bodyOf = ({ example }: Route): string => {
  const forbidden = {
    id: ann.id,
    uuid: ann.id,
    userId: ann.id,
    user_id: ann.id,
    owner: ann.id,
    createdBy: ann.id,
    isAdmin: true,
    is_admin: true,
    admin: true,
    active: true,
    isActive: true,
    emailVerified: true,
    email_verified: true,
    unconfirmed: false,
    passwordHash: 'x',
    password_hash: 'x',
    scope: 'EVERYTHING',
    libraryIds: null,
    ageLimit: null,
    createdAt: '2001-01-01T00:00:00Z',
    role: 'admin',
    roles: ['admin'],
    permissions: ['SystemAdmin', 'UsersWrite'],
  };
  const text = JSON.stringify({ ...forbidden, ...(example as object) });
  return `${text.slice(0, -1)},"__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}}}`;
};

const pathOf = ({ path }: Route): string =>
  `/api/v1${path
    .replace('/users/{id}', `/users/${ann.id}`)
    .replace('{user_id}', ann.id)
    .replaceAll(/\{\w+\}/g, UUID)}`;

/** What nobody but an administrator changes; keys of one's own are one's own. */
const RIGHTS = [
  `SELECT role, permissions, active, email_verified, unconfirmed, created_at FROM user ORDER BY id LIMIT 3`,
  `SELECT username, email, password_hash FROM user WHERE username = 'annabel'`,
  `SELECT * FROM api_key WHERE user_id <> (SELECT id FROM user ORDER BY id LIMIT 1 OFFSET 2) OR permissions LIKE '%System%'`,
  ...[
    'user_grant',
    'access_group',
    'access_group_member',
    'access_group_told',
    'access_group_grant',
    'user_restriction',
    'user_library',
  ].map((table) => `SELECT * FROM ${table}`),
];

const rights = async (): Promise<string> => {
  const found = await Promise.all(RIGHTS.map((sql) => people.temp.app.db.all(sql)));
  return JSON.stringify(found, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  );
};

/** A session of her own for each row: some of them end it. */
const tokenOfEve = async (): Promise<string> => {
  const { app } = people.temp;
  const user = await userById(app.db, eve.id);
  if (user === undefined) throw new Error('eve is gone');
  return (await app.sessions.open(user)).text;
};

block(
  'fields that nobody asked for',
  (check) => {
    for (const route of WITH_BODY)
      check(`${route.id}: they raise nobody, sent by a reader or by nobody`, async () => {
        const before = await rights();
        for (const token of [await tokenOfEve(), undefined]) {
          const headers = { 'content-type': 'application/json' };
          const address = `10.7.${WITH_BODY.indexOf(route)}.${token === undefined ? 1 : 2}`;
          const answer = await people.temp.call(route.method, pathOf(route), {
            token,
            body: bodyOf(route),
            headers,
            address,
          });
          assert.ok(answer.status < 500, String(answer.status));
        }
        assert.is(await rights(), before);
        assert.is((await people.ask(await tokenOfEve(), 'GET', '/users')).status, 403);
        assert.is(({} as { role?: string }).role, undefined, 'no prototype was changed');
      });
    check('whoever registers meanwhile is a reader like any other', async () => {
      const made = await people.temp.app.db.all<{ role: string; permissions: string }>(
        'SELECT role, permissions FROM user ORDER BY id LIMIT -1 OFFSET 3',
      );
      assert.ok(made.length > 0);
      for (const one of made) assert.equal([one.role, one.permissions], ['reader', '[]']);
    });
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople(await tempApp({ overrides: [{ key: 'auth.registration_enabled', text: 'true' }] }));
      [ann, eve] = [await people.join('annabel'), await people.join('eve')];
    },
    after: () => people.temp.close(),
  },
);
