// Everybody who may come to a row: nobody, each role with a session and with keys, and those who are let in no more.
import type { Permission } from '../../core/model/permissions.js';
import type { CallOptions } from '../app.js';
import { assert } from '../kit.js';
import { basicPair, PASSWORD, type People, type Person } from './people.js';
import { HELD, LINES, ROLES } from './permission-table.js';

export interface Asker {
  readonly name: string;
  /** Null: is let in nowhere. */
  readonly held: ReadonlySet<string> | null;
  readonly isAdministrator: boolean;
  readonly isKey: boolean;
  /** Asks only rows that require this permission; null asks all. */
  readonly lacks: string | null;
  /** One of many who are refused for the same reason: outside a full run, not all of them need to ask every row. */
  readonly takesTurns: boolean;
  readonly with: CallOptions;
  /** Who has signed in, and can again; null for keys and for those who are let in nowhere. */
  readonly person: string | null;
}

const HOUR_MS = 3_600_000;

interface Made {
  readonly id: string;
  readonly key: string;
}

/** A key of this person; all permissions of theirs unless some are named. */
export const keyOf = async (
  { ask }: People,
  { token }: Person,
  permissions?: readonly string[],
  more: object = {},
): Promise<Made> => {
  const body = { name: 'Tablet', permissions, ...more };
  const { status, json } = await ask(token, 'POST', '/api-keys', { body });
  assert.is(status, 201, JSON.stringify(json));
  return json;
};

const usual = { isKey: false, lacks: null, takesTurns: false, person: null };
const nowhere = { ...usual, held: null, isAdministrator: true };

/** Each role: a session, a key that may do what the role may, one without each permission, and keys that may do one thing alone. */
const ofRoles = async (people: People): Promise<Asker[]> => {
  const askers: Asker[] = [];
  for (const role of ROLES) {
    const person = await people.join(`a-${role}`, role);
    const shared = { isAdministrator: role === 'admin', held: HELD[role] };
    askers.push({ ...usual, ...shared, name: role, with: { token: person.token }, person: person.name });
    const whole = await keyOf(people, person);
    askers.push({ ...usual, ...shared, name: `key of a ${role}`, isKey: true, with: { token: whole.key } });
    for (const lacks of HELD[role]) {
      const held = new Set([...HELD[role]].filter((one) => one !== lacks));
      const { key } = await keyOf(people, person, [...held]);
      const name = `key of a ${role} without ${lacks}`;
      askers.push({ ...usual, ...shared, name, held, isKey: true, lacks, with: { headers: { 'x-api-key': key } } });
    }
    const nothing = await keyOf(people, person, []);
    const name = `key of a ${role} that may do nothing`;
    askers.push({ ...usual, ...shared, name, held: new Set(), isKey: true, with: { token: nothing.key } });
  }
  return askers;
};

/** What each row requires is enough for it. */
const withJustEnough = async (people: People): Promise<Asker[]> => {
  const person = await people.join('just-enough', 'admin');
  const sets = new Set(LINES.flatMap(({ required }) => (required === null ? [] : [required.join(' ')])));
  return Promise.all(
    [...sets].map(async (words) => {
      const held = words === '' ? [] : words.split(' ');
      const token = (await keyOf(people, person, held)).key;
      return {
        ...usual,
        name: `key of an administrator with just ${words}`,
        held: new Set(held),
        isAdministrator: true,
        isKey: true,
        takesTurns: true,
        with: { token },
      };
    }),
  );
};

/** Permissions do not make an administrator. */
const withEverything = async (people: People): Promise<Asker[]> => {
  const all = [...HELD.admin] as Permission[];
  const reader = await people.join('reader-with-all', 'reader', all);
  const shared = { ...usual, held: HELD.admin, isAdministrator: false };
  const name = 'a reader with every permission';
  const { key } = await keyOf(people, reader);
  return [
    { ...shared, name, with: { token: reader.token }, person: reader.name },
    { ...shared, name: 'key of a reader with every permission', isKey: true, with: { token: key } },
  ];
};

/** Administrators whose credentials were known to the server a moment ago. */
const departed = async (people: People): Promise<Asker[]> => {
  const { admin, ask, temp } = people;
  const admins: Person[] = [];
  for (const name of ['disabled', 'deleted', 'key-owner', 'signed-out']) admins.push(await people.join(name, 'admin'));
  const [disabled, deleted, owner, signedOut] = admins as [Person, Person, Person, Person];
  const keys = {
    expired: await keyOf(people, owner, undefined, {
      expires_at: new Date(temp.app.clock.now() + HOUR_MS).toISOString(),
    }),
    revoked: await keyOf(people, owner),
    inactive: await keyOf(people, owner),
    'of a disabled user': await keyOf(people, disabled),
    'of a deleted user': await keyOf(people, deleted),
  };
  const basic = { headers: { authorization: basicPair(disabled.name, PASSWORD) } };
  const gone: [string, CallOptions][] = [
    ...Object.entries(keys).map(([what, { key }]): [string, CallOptions] => [`key: ${what}`, { token: key }]),
    ['session of a disabled user', { token: disabled.token }],
    ['cookie of a disabled user', { headers: { cookie: `auth_token=${disabled.token}` } }],
    ['password of a disabled user', basic],
    ['session of a deleted user', { token: deleted.token }],
    ['session that has ended', { token: signedOut.token }],
  ];
  for (const [name, options] of gone)
    assert.is((await temp.call('GET', '/api/v1/libraries', options)).status, 200, `${name}, before`);
  temp.advance(2 * HOUR_MS);
  for (const [token, method, path, body] of [
    [owner.token, 'DELETE', `/api-keys/${keys.revoked.id}`],
    [owner.token, 'PATCH', `/api-keys/${keys.inactive.id}`, { isActive: false }],
    [admin.token, 'PATCH', `/users/${disabled.id}`, { isActive: false }],
    [admin.token, 'DELETE', `/users/${deleted.id}`],
    [signedOut.token, 'POST', '/auth/logout'],
  ] as const)
    assert.ok((await ask(token, method, path, { body })).status < 300, path);
  return gone.map(([name, options]) => ({ ...nowhere, name, takesTurns: true, with: options }));
};

export const everyAsker = async (people: People): Promise<readonly Asker[]> => [
  { ...nowhere, name: 'nobody', with: {} },
  ...(await departed(people)),
  ...(await ofRoles(people)),
  ...(await withJustEnough(people)),
  ...(await withEverything(people)),
];
