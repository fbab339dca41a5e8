// Accounts made over the API, signed in: for tests of what people may do to each other.
import type { Caller } from '../../core/access/caller.js';
import { Sessions } from '../../core/access/sessions.js';
import type { Permission, Role } from '../../core/model/permissions.js';
import { type Answer, type CallOptions, type TempApp, tempApp } from '../app.js';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

export const PASSWORD = 'gulls over the pier 4';

/** An Authorization header. */
export const basicPair = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** An access token that expires in 20 ms of the clock, of a session that goes on. */
export const briefToken = async ({ app, advance }: TempApp, { token }: Pick<Person, 'token'>): Promise<string> => {
  const { db, clock, lastUse } = app;
  const options = { secret: Buffer.alloc(32, 7), lifetimeMs: 1000, refreshMs: 3_600_000 };
  const { user } = await app.callers.byToken(token);
  const end = Math.floor((clock.now() + 1000) / 1000) * 1000;
  const { text } = await new Sessions({ db, clock, lastUse }, options).open(user);
  advance(end - 20 - clock.now());
  return text;
};

export interface People {
  readonly temp: TempApp;
  readonly admin: Person;
  ask(token: string, method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** An account with this role, and permissions of its own, signed in. */
  join(name: string, role?: Role, permissions?: readonly Permission[]): Promise<Person>;
  signIn(name: string, password?: string): Promise<Answer>;
  /** The caller who comes with a new API key of this person that has these permissions. */
  withKey(person: Person, permissions: readonly Permission[]): Promise<Caller>;
}

const setUp = async (temp: TempApp): Promise<Person> => {
  const body = { username: 'Root', email: 'root@example.org', password: 'Root-passw0rd!' };
  const { json } = await temp.call('POST', '/api/v1/setup/initialize', { body });
  return { id: json.user.id, name: body.username, token: json.access_token };
};

const anAdministrator = async (temp: TempApp): Promise<Person> => {
  const token = await temp.tokenOf('admin');
  const { user } = await temp.app.callers.byToken(token);
  return { id: user.id, name: user.username, token };
};

/** On a server of its own, or on one that has users. */
export const openPeople = async (given?: TempApp): Promise<People> => {
  const temp = given ?? (await tempApp());
  const ask: People['ask'] = (token, method, path, options = {}) =>
    temp.call(method, `/api/v1${path}`, { token, ...options });
  const admin = given === undefined ? await setUp(temp) : await anAdministrator(temp);
  let logins = 0;
  const signIn: People['signIn'] = (name, password = PASSWORD) => {
    logins += 1;
    const address = `10.0.${logins >> 8}.${logins & 255}`;
    return temp.call('POST', '/api/v1/auth/login', { body: { username: name, password }, address });
  };
  return {
    temp,
    admin,
    ask,
    signIn,
    join: async (name, role = 'reader', permissions = []) => {
      const body = { username: name, email: `${name}@example.org`, password: PASSWORD, role };
      const { json } = await ask(admin.token, 'POST', '/users', { body });
      if (permissions.length > 0)
        await ask(admin.token, 'PATCH', `/users/${json.id}`, { body: { permissions: [...permissions] } });
      return { id: json.id, name, token: (await signIn(name)).json.access_token };
    },
    withKey: async ({ token }, permissions) => {
      const held = (await temp.app.callers.byToken(token)).permissions;
      const body = { name: 'Tablet', permissions: permissions.filter((one) => held.has(one)) };
      const { json } = await ask(token, 'POST', '/api-keys', { body });
      return temp.app.callers.byKey(json.key);
    },
  };
};
