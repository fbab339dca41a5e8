// Every row of every surface, asked by everybody who may come to it: refused, or let through, exactly as the table written by hand says.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Answer } from '../app.js';
import { until, writeBook } from '../app.js';
import { COVER_FORM } from '../http/row-bodies.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { type Asker, everyAsker, keyOf } from './askers.js';
import { endsShared, NAMES, PARAM } from './named-parts.js';
import { openPeople, type People, type Person } from './people.js';
import { LINES, type Line } from './permission-table.js';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

let people: People;
let askers: readonly Asker[] = [];
let calls = 0;

/** What rows that look at their input first have to be sent, to refuse for who asks. */
const BODIES: Readonly<Record<string, object>> = {
  '/api/v1/auth/change-password': { currentPassword: 'none of mine', newPassword: 'Gulls over the pier 4!' },
  '/koreader/syncs/progress': { document: 'd', progress: '1', percentage: 0, device: 'Reader' },
};

const plausible = (path: string): string =>
  path.replaceAll(PARAM, (_, part: string) => `${part}/${NAMES[part]?.[0] ?? UNKNOWN}`).replaceAll(/\{\w*\}/g, UNKNOWN);

/** Each time from another address, so that nobody has to wait. */
const ask = ({ method, path }: Line, asker: Asker): Promise<Answer> => {
  calls += 1;
  const address = `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`;
  const body =
    method === 'GET' ? undefined : (BODIES[path] ?? (/\/(?:cover|thumbnails)$/.test(path) ? COVER_FORM : {}));
  return people.temp.call(method, plausible(path), { ...asker.with, address, body });
};

const ADMINISTRATORS = '403 Only an administrator may do this.';
const NO_KEYS = '403 An API key cannot change the account of its owner. Sign in instead.';
const NO_BACKUPS = '403 API keys cannot use backups. Sign in instead.';
const NO_LOG = '403 API keys cannot read the log. Sign in instead.';

const NO_PERMISSIONS = '403 This API key has no permissions, so it can do nothing. Use a key that has some.';

/** Undefined: gets through. */
const refusalOf = (line: Line, asker: Asker): string | undefined => {
  if (asker.held === null) return '401';
  const { held } = asker;
  const missing = line.required?.find((one) => !held.has(one));
  if (missing !== undefined) return `403 Missing required permission: ${missing}`;
  if (asker.isKey && held.size === 0) return NO_PERMISSIONS;
  if (line.administrator && !asker.isAdministrator) return ADMINISTRATORS;
  if (!line.session || !asker.isKey) return undefined;
  if (line.path.includes('/admin/backups')) return NO_BACKUPS;
  return line.path.endsWith('/admin/logs') ? NO_LOG : NO_KEYS;
};

const refusalIn = ({ status, json }: Answer): string | undefined => {
  if (status === 401) return '401';
  return status === 403 ? `403 ${json.message}` : undefined;
};

const PASSED = new Set([200, 201, 202, 204, 400, 404, 409, 422]);
/** What is off by default says so to whoever gets through. */
const hasPassed = ({ status, json }: Answer): boolean => PASSED.has(status) || json?.error === 'NotConfigured';

/** What is asked ends the session of who asks: others ask with it as well, so it is a new one. */
const forOnce = async (line: Line, asker: Asker): Promise<Asker> => {
  if (!line.path.endsWith('/logout') || asker.person === null) return asker;
  const { json } = await people.signIn(asker.person);
  return { ...asker, with: { token: json.access_token } };
};

const TURNS = IS_FULL ? 1 : 6;

/** Whoever is let through always asks: only those who are refused take turns. */
const isTurnOf = (asker: Asker, line: Line): boolean => {
  const isLetThrough = line.required !== null && refusalOf(line, asker) === undefined;
  return !asker.takesTurns || isLetThrough || (LINES.indexOf(line) + askers.indexOf(asker)) % TURNS === 0;
};

const checkRow = async (line: Line): Promise<void> => {
  for (const asker of askers) {
    if (asker.lacks !== null && line.required?.includes(asker.lacks) !== true) continue;
    if (!isTurnOf(asker, line)) continue;
    const answer = await ask(line, await forOnce(line, asker));
    const expected = refusalOf(line, asker);
    const what = `${line.method} ${line.path}: ${asker.name}: ${answer.status} ${answer.json?.message}`;
    assert.is(refusalIn(answer), expected, what);
    assert.ok(expected !== undefined || hasPassed(answer), what);
  }
};

/** Rows without a login answer whoever asks as they answer nobody. */
const checkPublic = async (line: Line): Promise<void> => {
  const [nobody, ...others] = askers as [Asker, ...Asker[]];
  const expected = await ask(line, nobody);
  assert.ok(expected.json?.message !== 'Missing or invalid authentication credentials', line.path);
  for (const asker of others.filter((one) => one.lacks === null && isTurnOf(one, line))) {
    const { status, json } = await ask(line, asker);
    assert.equal([status, json?.message], [expected.status, expected.json?.message], `${line.path}: ${asker.name}`);
  }
};

const everybody = (check: Check): void => {
  for (const line of LINES)
    check(`${line.method} ${line.path}: who gets through`, () =>
      line.required === null ? checkPublic(line) : checkRow(line),
    );
};

interface Things {
  readonly owner: Person;
  readonly other: Person;
  /** Ids by the part of the path before them. */
  readonly ids: Readonly<Record<string, string>>;
  /** What nobody else is shown. */
  readonly secrets: readonly string[];
}

const thingsOf = async (): Promise<Things> => {
  const { admin, ask: send, temp } = people;
  const [owner, other] = [await people.join('the-owner'), await people.join('somebody-else')];
  writeBook(join(temp.shelf, 'Ants', 'Ants 1.cbz'), 1, 'ants');
  await send(admin.token, 'POST', '/libraries', { body: { name: 'L', path: temp.shelf, scanImmediately: true } });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  const [book] = (await send(owner.token, 'GET', '/books')).json.data;
  await send(owner.token, 'POST', `/books/${book.id}/read`);
  await send(owner.token, 'POST', '/want-to-read', { body: { bookId: book.id } });
  const { entries } = (await send(owner.token, 'GET', `/books/${book.id}/read-history`)).json;
  await send(owner.token, 'PUT', '/user/preferences/reader.fit', { body: { value: 'only mine' } });
  const profile = await send(owner.token, 'PUT', '/user/reader-profiles', { body: { value: 'only mine' } });
  const [session] = (await send(owner.token, 'GET', '/user/sessions')).json;
  const key = await keyOf(people, owner);
  const ids = {
    books: book.id,
    'read-history': entries[0].id,
    sessions: session.id,
    'api-keys': key.id,
    preferences: 'reader.fit',
    'reader-profiles': profile.json.id,
  };
  const { progress } = (await send(owner.token, 'GET', '/progress')).json;
  const [, prefix = ''] = key.key.split('_');
  const own = [entries[0].id, session.id, key.id, progress[0].id, profile.json.id];
  return { owner, other, ids, secrets: [...own, prefix, owner.id, owner.name, 'the-owner@example.org', 'only mine'] };
};

const addressOf = (path: string, ids: Things['ids'], last: string | null): string => {
  const known = (part: string): string => ids[part] ?? NAMES[part]?.[0] ?? UNKNOWN;
  const filled = path.replaceAll(PARAM, (_, part: string) => `${part}/${known(part)}`);
  return last === null ? filled : filled.replace(/[^/]+$/, last);
};

const owned = (check: Check): void => {
  let things: Things;
  check('(what one person has)', async () => {
    things = await thingsOf();
  });
  check('the table says whose things the ids of every row name', () => {
    const lines = LINES.filter((line) => line.required !== null && !line.administrator && !endsShared(line.path));
    assert.equal(
      lines.filter(({ own }) => own === null).map(({ path }) => path),
      [],
    );
  });
  for (const line of LINES.filter(({ own }) => own !== null))
    check(`${line.method} ${line.path}: what somebody else has`, async () => {
      const { owner, other, ids } = things;
      const send = (who: Person, last: string | null) =>
        people.temp.call(line.method, addressOf(line.path, ids, last), { token: who.token, body: {} });
      const answer = await send(other, null);
      assert.is(answer.status, line.own, answer.json?.message);
      const unknown = await send(other, randomUUID());
      if (line.own === 404) assert.equal(unknown.json, answer.json, 'as if there were none');
      // It is still there, for its owner.
      const { json: sessions } = await people.ask(owner.token, 'GET', '/user/sessions');
      const { json: keys } = await people.ask(owner.token, 'GET', '/api-keys');
      const { json: history } = await people.ask(owner.token, 'GET', `/books/${ids.books}/read-history`);
      const left = [...sessions, ...keys, ...history.entries].map(({ id }: { id: string }) => id);
      for (const part of ['sessions', 'api-keys', 'read-history']) assert.ok(left.includes(ids[part] ?? ''), part);
    });
  for (const line of LINES.filter(({ method, required }) => method === 'GET' && required !== null))
    check(`${line.method} ${line.path}: tells nobody what somebody else has`, async () => {
      const { other, ids, secrets } = things;
      const path = addressOf(line.path, { ...ids, users: other.id }, null);
      const answer = await people.temp.call('GET', path, { token: other.token });
      const said = `${answer.bytes.toString()} ${answer.header('etag')} ${answer.header('set-cookie')}`;
      assert.equal(
        secrets.filter((secret) => said.includes(secret)),
        [],
      );
    });
};

block(
  'every row',
  (check) => {
    owned(check);
    everybody(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
      askers = await everyAsker(people);
    },
    after: () => people.temp.close(),
  },
);
