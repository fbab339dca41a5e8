// Random steps of what a user may see, made over the API.
import { uuidOfHex } from '../../core/model/ids.js';
import type { Db } from '../../core/store/db.js';
import type { TempApp } from '../app.js';
import { assert } from '../kit.js';
import { type Rows, type Step, storeStep } from './random-grants.js';

const idOf = async (db: Db, table: string, key: number): Promise<string> => {
  const [row] = await db.all<{ hex: string }>(`SELECT hex(uuid) AS hex FROM ${table} WHERE id = ?`, [key]);
  return uuidOfHex(row?.hex ?? '');
};

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const grantOf = async (db: Db, holder: string, method: string, tag: number, to: string | null): Promise<Asked> => {
  const sharingTagId = await idOf(db, 'sharing_tag', tag);
  const grants = method === 'PUT' ? 'sharing-tags' : 'grants';
  return to === null
    ? { method: 'DELETE', path: `${holder}/${grants}/${sharingTagId}?force=true` }
    : { method, path: `${holder}/${grants}?force=true`, body: { sharingTagId, accessMode: to } };
};

/** The request for a step; undefined where there is none. */
const requestOf = async (db: Db, rows: Rows, step: Step): Promise<Asked | undefined> => {
  const user = await idOf(db, 'user', rows.userKey);
  const series = (n: number): Promise<string> => idOf(db, 'series', rows.series[n % rows.series.length] ?? 0);
  const group = (key: number): Promise<string> => idOf(db, 'access_group', key);
  switch (step.kind) {
    case 'sweep':
      return undefined;
    case 'rate':
      return {
        method: 'PATCH',
        path: `/series/${await series(step.series)}/metadata`,
        body: { ageRating: step.rating },
      };
    case 'tag': {
      const [path, tag] = [
        `/series/${await series(step.series)}/sharing-tags`,
        await idOf(db, 'sharing_tag', step.tag),
      ];
      return step.isOn
        ? { method: 'POST', path, body: { sharingTagId: tag } }
        : { method: 'DELETE', path: `${path}/${tag}` };
    }
    case 'own':
      return grantOf(db, `/users/${user}`, 'PUT', step.tag, step.access);
    case 'grant':
      return grantOf(db, `/access-groups/${await group(step.group)}`, 'POST', step.tag, step.access);
    case 'member': {
      const path = `/access-groups/${await group(step.group)}/members`;
      return step.isOn
        ? { method: 'POST', path, body: { userIds: [user] } }
        : { method: 'DELETE', path: `${path}/${user}?force=true` };
    }
    case 'limit': {
      const { libraries, ageLimit: max, showUnrated } = step;
      const keys = libraries?.map((n) => rows.libraries[n] ?? 0) ?? null;
      const libraryIds = keys === null ? null : await Promise.all(keys.map((key) => idOf(db, 'library', key)));
      const ageLimit = max === null ? null : { max, unrated: showUnrated ? 'allow' : 'hide' };
      return { method: 'PATCH', path: `/users/${user}`, body: { libraryIds, ageLimit } };
    }
  }
};

/** Makes a step by a request of `token`, or as a row where nobody can ask for it. What is not there cannot be removed. */
export const tellStep = async ({ app, call }: TempApp, token: string, rows: Rows, step: Step): Promise<void> => {
  const asked = await requestOf(app.db, rows, step);
  if (asked === undefined) return storeStep(app.db, rows, step);
  const { method, path, body } = asked;
  const answer = await call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
  const expected = method === 'DELETE' ? [204, 404] : [200];
  assert.ok(expected.includes(answer.status), `${method} ${path}: ${answer.bytes.toString().slice(0, 300)}`);
};
