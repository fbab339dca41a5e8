// A server on a folder of its own that is written to, restarted and restored at random, by several users; every answer is compared with
// one made at that moment.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../../bench/corpus.js';
import { userById } from '../../core/access/users.js';
import { newId } from '../../core/model/ids.js';
import { databasePath } from '../../core/start.js';
import { SYSTEM } from '../../core/store/feed.js';
import { copyDatabase } from '../../core/upkeep/backup.js';
import { restoreDatabase } from '../../core/upkeep/restore.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert } from '../kit.js';

const SERIES = ['Alpha', 'Beta', 'Gamma'];
const USERS = ['admin', 'reader', 'reader'] as const;

/** A server on a folder of its own that can be stopped and started again, with the same users. */
export class House {
  readonly folder = mkdtempSync(join(tmpdir(), 'longbox-kept-'));
  temp!: TempApp;
  tokens: string[] = [];
  users: { id: string; key: number }[] = [];
  library = '';

  async open(): Promise<void> {
    this.temp = await tempApp({ folder: this.folder });
    const { app } = this.temp;
    if (this.users.length === 0) {
      for (const role of USERS) {
        const caller = await app.callers.byToken(await this.temp.tokenOf(role));
        this.users.push({ id: caller.user.id, key: caller.user.key });
      }
    }
    this.tokens = [];
    for (const { id } of this.users) {
      const user = await userById(app.db, id);
      if (user === undefined) throw new Error('a user is gone');
      this.tokens.push((await app.sessions.open(user)).text);
    }
  }

  call(user: number, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return this.temp.call(method, `/api/v1${path}`, { token: this.tokens[user], ...options });
  }

  remake(user: number, path: string): Promise<Answer> {
    return this.temp.remake('GET', `/api/v1${path}`, { token: this.tokens[user] });
  }

  async scan(): Promise<void> {
    await this.call(0, 'POST', `/libraries/${this.library}/scan?mode=normal`);
    await this.quiet();
  }

  async quiet(): Promise<void> {
    await until('nothing runs', async () => {
      const idle = (await this.call(0, 'GET', '/scans/active')).json.length === 0;
      return idle && !this.temp.app.tasks.isBusy;
    });
  }

  async stock(): Promise<void> {
    await this.open();
    for (const series of SERIES)
      for (let n = 1; n <= 2; n += 1)
        writeBook(join(this.temp.shelf, series, `${series} ${n}.cbz`), 3, `${series} ${n}`);
    this.library = (
      await this.call(0, 'POST', '/libraries', { body: { name: 'Shelf', path: this.temp.shelf } })
    ).json.id;
    await this.scan();
  }

  ids(user: number, path: string): Promise<string[]> {
    return this.remake(user, path).then(({ json }) =>
      (json.data ?? json.items ?? json).map(({ id }: { id: string }) => id),
    );
  }

  async close(): Promise<void> {
    await this.temp.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const header = (tag: string): CallOptions => ({ headers: { 'if-none-match': tag } });

export const LISTS = [
  '/books',
  '/series?pageSize=5',
  '/books/on-deck',
  '/libraries',
  '/collections',
  '/genres',
  '/books/recently-read',
];

const STEPS = 260;
const ADDRESSES = [
  ...LISTS,
  '/books?sort=title,desc&pageSize=3',
  '/series/full',
  '/readlists',
  '/want-to-read',
  '/tags',
  '/series/in-progress',
  '/progress',
  '/books/errors',
  '/people',
  '/publishers?search=a',
  '/search?q=a',
];

/** Writes of all kinds; each may be refused, which is fine. */
const writes = async (at: House, dice: () => number): Promise<void> => {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(dice() * list.length)];
  const user = Math.floor(dice() * USERS.length);
  const book = pick(await at.ids(0, '/books')) ?? '';
  const series = pick(await at.ids(0, '/series')) ?? '';
  const name = `n${Math.floor(dice() * 1e6)}`;
  const write = (method: string, path: string, body?: unknown): Promise<Answer> =>
    at.call(user, method, path, body === undefined ? {} : { body });
  const run = (sql: string): Promise<unknown> => at.temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));
  const own = at.users[2]?.key;
  const all: readonly (() => Promise<unknown>)[] = [
    () => write('PUT', `/books/${book}/progress`, { current_page: 1 + Math.floor(dice() * 3) }),
    () => write('POST', `/books/${book}/read`),
    () => write('POST', `/series/${series}/unread`),
    () => write('PATCH', `/books/${book}`, { title: name }),
    () => write('PATCH', `/series/${series}/metadata`, { title: name, summary: name }),
    () => write('POST', `/series/${series}/genres`, { genre: name }),
    () => write('POST', `/books/${book}/tags`, { tag: name }),
    () => write('POST', '/collections', { name }),
    async () =>
      write('POST', `/collections/${pick(await at.ids(0, '/collections')) ?? ''}/series`, { seriesIds: [series] }),
    async () => write('DELETE', `/collections/${pick(await at.ids(0, '/collections')) ?? ''}`),
    async () => write('POST', '/readlists', { name, bookIds: [book] }),
    () => write('POST', '/want-to-read', { seriesIds: [series] }),
    () => write('PATCH', `/libraries/${at.library}`, { description: name }),
    () =>
      run(
        `INSERT INTO user_restriction (user_id, age_limit, updated_at) VALUES (${own}, 12, 0) ON CONFLICT DO UPDATE SET age_limit = 18 - age_limit`,
      ),
    () => run(`DELETE FROM user_restriction WHERE user_id = ${own}`),
    async () => {
      writeBook(join(at.temp.shelf, name, `${name} 1.cbz`), 2, name);
      await at.scan();
    },
    async () => {
      rmSync(join(at.temp.shelf, pick(SERIES) ?? ''), { recursive: true, force: true });
      await at.scan();
    },
  ];
  await pick(all)?.();
};

const restart = async (at: House, copy: string | null): Promise<void> => {
  await at.temp.close();
  const path = databasePath(join(at.folder, 'data'));
  if (copy !== null)
    await restoreDatabase({ path, source: copy, keptFolder: join(at.folder, 'data', 'backups'), nowMs: Date.now() });
  await at.open();
  await at.quiet();
};

export const model = async (at: House): Promise<void> => {
  const dice = seeded(Number(process.env.LONGBOX_TEST_SEED ?? 20261123));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T;
  const copy = join(at.folder, `model-${newId(1).slice(0, 8)}.db`);
  await copyDatabase(databasePath(join(at.folder, 'data')), copy);
  /** What was sent under each tag, by address: of every user, and of before restarts and restores. */
  const sent = new Map<string, Map<string, string>>();
  let unchanged = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const throwOf = dice();
    if (throwOf < 0.01) await restart(at, null);
    else if (throwOf < 0.02) await restart(at, copy);
    else if (throwOf < 0.12) await writes(at, dice);
    const [user, path] = [Math.floor(dice() * USERS.length), pick(ADDRESSES)];
    const tags = sent.get(path) ?? new Map<string, string>();
    sent.set(path, tags);
    const shown = dice() < 0.7 ? [...tags.keys()].slice(-4).join(', ') : '';
    const answer = await at.call(user, 'GET', path, shown === '' ? {} : header(shown));
    const now = (await at.remake(user, path)).bytes.toString();
    const tag = answer.header('etag') ?? '';
    if (answer.status === 304) unchanged += 1;
    const has = answer.status === 304 ? tags.get(tag) : answer.bytes.toString();
    assert.is(has, now, `step ${step}: user ${user}, ${path}, ${answer.status}`);
    if (answer.status === 200 && tag !== '') tags.set(tag, now);
  }
  assert.ok(unchanged > STEPS / 20, `${unchanged} of ${STEPS} were unchanged`);
};
