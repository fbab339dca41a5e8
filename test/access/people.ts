// Accounts made over the API, signed in: for tests of what people may do to each other.
import type { Caller } from '../../core/access/caller.js';
import { effectivePermissions, type Permission, type Role } from '../../core/model/permissions.js';
import { type Answer, type CallOptions, type TempApp, tempApp } from '../app.js';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

export const PASSWORD = 'gulls over the pier 4';

export interface People {
  readonly temp: TempApp;
  readonly admin: Person;
  ask(token: string, method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** An account with this role, and permissions of its own, signed in. */
  join(name: string, role?: Role, permissions?: readonly Permission[]): Promise<Person>;
  signIn(name: string, password?: string): Promise<Answer>;
  /** The caller who would come with an API key of this person that has these permissions. */
  withKey(person: Person, permissions: readonly Permission[]): Promise<Caller>;
}

const setUp = async (temp: TempApp): Promise<Person> => {
  const body = { username: 'Root', email: 'root@example.org', password: 'Root-passw0rd!' };
  const { json } = await temp.call('POST', '/api/v1/setup/initialize', { body });
  return { id: json.user.id, name: body.username, token: json.access_token };
};

const anAdministrator = async (temp: TempApp): Promise<Person> => {
  const token = await temp.tokenOf('admin');
  const { user } = await temp.app.sessions.verify(token);
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
      const { user } = await temp.app.sessions.verify(token);
      const held = effectivePermissions(user.role, user.permissions);
      return {
        user,
        permissions: new Set(permissions.filter((one) => held.has(one))),
        via: { kind: 'api-key', id: '01890000-0000-7000-8000-000000000000', name: 'Tablet' },
      };
    },
  };
};
