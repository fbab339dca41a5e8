// A shelf of four series whose tags, grants and groups are changed over the API, and people to whom they apply.
import { join } from 'node:path';
import type { Role } from '../../core/model/permissions.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert } from '../kit.js';

export const TITLES = ['Ants', 'Bees', 'Cats', 'Dogs'] as const;
export type Title = (typeof TITLES)[number];

export const NOBODY = '01890000-0000-7000-8000-000000000000';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

export interface SharedShelf {
  readonly temp: TempApp;
  readonly libraryId: string;
  readonly series: Readonly<Record<Title, string>>;
  /** An administrator whom nobody restricts. */
  readonly root: Person;
  ask(token: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** The answer to `root`, which must have this status. */
  done(status: number, method: string, path: string, body?: unknown): Promise<Answer>;
  join(role?: Role): Promise<Person>;
  /** The id of a new tag, on these series. */
  tag(name: string, ...on: readonly Title[]): Promise<string>;
  /** The id of a new group with these members. */
  group(name: string, ...members: readonly Person[]): Promise<string>;
  /** The titles that a person sees in a list. */
  seen(by: Person): Promise<readonly string[]>;
}

const stock = async (temp: TempApp, ask: SharedShelf['ask'], token: string) => {
  for (const title of TITLES) writeBook(join(temp.shelf, title, `${title} 1.cbz`), 1, title);
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  const libraryId: string = (await ask(token, 'POST', '/libraries', body)).json.id;
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  const { data } = (await ask(token, 'GET', '/series')).json;
  const found = data.map(({ title, id }: { title: string; id: string }) => [title, id]);
  return { libraryId, series: Object.fromEntries(found) as Record<Title, string> };
};

export const sharedShelf = async (): Promise<SharedShelf> => {
  const temp = await tempApp();
  const ask: SharedShelf['ask'] = (token, method, path, body) =>
    temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
  const join: SharedShelf['join'] = async (role = 'reader') => {
    const token = await temp.tokenOf(role);
    const { user } = await temp.app.callers.byToken(token);
    return { id: user.id, name: user.username, token };
  };
  const root = await join('admin');
  const done: SharedShelf['done'] = async (status, method, path, body) => {
    const answer = await ask(root.token, method, path, body);
    assert.is(answer.status, status, `${method} ${path}: ${answer.bytes.toString().slice(0, 300)}`);
    return answer;
  };
  const { libraryId, series } = await stock(temp, ask, root.token);
  return {
    temp,
    libraryId,
    series,
    root,
    ask,
    done,
    join,
    tag: async (name, ...on) => {
      const { id } = (await done(201, 'POST', '/admin/sharing-tags', { name })).json;
      for (const title of on) await done(200, 'POST', `/series/${series[title]}/sharing-tags`, { sharingTagId: id });
      return id;
    },
    group: async (name, ...members) => {
      const { id } = (await done(201, 'POST', '/access-groups', { name })).json;
      if (members.length > 0)
        await done(200, 'POST', `/access-groups/${id}/members`, { userIds: members.map((one) => one.id) });
      return id;
    },
    seen: async ({ token }) =>
      (await ask(token, 'GET', '/series?sort=name')).json.data.map(({ title }: { title: string }) => title),
  };
};
