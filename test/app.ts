// The engine on a temporary folder, with real stores and real threads, asked through dispatch without a socket. The clock is turned by hand.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeZip } from '../bench/zip-writer.js';
import { userById } from '../core/access/users.js';
import { SetCache } from '../core/catalog/query/set-cache.js';
import { faultOf, KINDS } from '../core/model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../core/model/ids.js';
import type { Role } from '../core/model/permissions.js';
import { type App, type EngineOptions, startEngine } from '../core/start.js';
import { SYSTEM } from '../core/store/feed.js';
import { databasePath } from '../core/upkeep/places.js';
import { appAddressesOf, SERVED } from '../http/cli/surfaces.js';
import { loadConfig } from '../http/config/config.js';
import { engineOptionsOf } from '../http/config/engine-options.js';
import { Metrics } from '../http/metrics/metrics.js';
import type { Dispatch, Reply, Request } from '../http/server/adapter.js';
import { subPathOf } from '../http/surface/cookies.js';
import { createDispatch, type DispatchOptions } from '../http/surface/dispatch.js';
import { KeptAnswers } from '../http/surface/kept-answers.js';
import { trustedProxies } from '../http/surface/proxies.js';
import { RecentLog } from '../http/surface/recent-log.js';
import { buildRouter } from '../http/surface/router.js';
import { Traffic } from '../http/surface/traffic.js';
import { type Answer, answerOf } from './answer.js';
import { answerCheck } from './described.js';
import { feedCheck } from './feed-check.js';
import { isForm } from './form.js';
import { PATIENCE } from './kit.js';
import { putNewDatabase } from './new-database.js';
import { headerText, SecretWatch } from './secret-watch.js';
import { StaleAnswers } from './stale-answers.js';

export type { Answer };

export interface CallOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: string;
  readonly signal?: AbortSignal;
}

export interface TempApp {
  readonly app: App;
  readonly folder: string;
  /** A folder that can become a library. */
  readonly shelf: string;
  readonly faults: unknown[];
  readonly warnings: readonly string[];
  advance(ms: number): void;
  /** Sets the time of day, as a correction of the system's clock does: nothing has passed. */
  jump(ms: number): void;
  /** Also fails when a kept answer differs from one made now. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The same without that comparison. */
  kept(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** For a server over a socket. */
  readonly dispatch: Dispatch;
  /** The reply itself, for a test that reads its body bit by bit. */
  reply(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** The same without kept answers. */
  remake(method: string, path: string, options?: CallOptions): Promise<Answer>;
  tokenOf(role: Role): Promise<string>;
  close(): Promise<void>;
}

interface TempOptions {
  readonly overrides?: readonly { readonly key: string; readonly text: string }[];
  /** Where the data lies; a new folder unless told. It is kept on close then. */
  readonly folder?: string;
  /** What no configuration can say. */
  readonly engine?: Partial<EngineOptions>;
}

const requestOf = (
  method: string,
  address: string,
  { token, body: given, headers: others = {}, address: peer = '127.0.0.1', signal }: CallOptions,
): Request => {
  const { body, headers } = isForm(given)
    ? { ...given, headers: { ...others, ...given.headers } }
    : { body: given, headers: others };
  const [path = '/', query = ''] = address.split('?');
  const all: Record<string, string> = { ...headers };
  if (token !== undefined) all.authorization = `Bearer ${token}`;
  if (body !== undefined && all['content-type'] === undefined) all['content-type'] = 'application/json';
  return {
    method,
    path,
    query,
    header: (name) => all[name] ?? '',
    has: (name) => name in all,
    remoteAddress: peer,
    body:
      body === undefined
        ? Buffer.alloc(0)
        : Buffer.isBuffer(body)
          ? body
          : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    signal: signal ?? new AbortController().signal,
  };
};

/** A user of a role, put straight into the database, logged in. */
const openSession = async (app: App, role: Role): Promise<string> => {
  const id = uuidOfHex(newId(app.clock.now()));
  await app.db.write(SYSTEM, 'interactive', (tx) =>
    tx.run(
      `INSERT INTO user (uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at) VALUES (?1, ?2, ?2, ?3, ?3, '', ?4, 0, 0)`,
      [bytesOfUuid(id), `${role}-${id}`, `${id}@example.com`, role],
    ),
  );
  const user = await userById(app.db, id);
  if (user === undefined) throw new Error('the user was not stored');
  return (await app.sessions.open(user)).text;
};

const START_MS = Date.UTC(2026, 0, 1);

/** Rows have no state, and how they check what they are given is compiled once. */
const router = buildRouter(SERVED);

export const tempApp = async ({ overrides = [], folder, engine = {} }: TempOptions = {}): Promise<TempApp> => {
  const root = folder ?? mkdtempSync(join(tmpdir(), 'longbox-test-'));
  const shelf = join(root, 'shelf');
  mkdirSync(shelf, { recursive: true });
  const data = join(root, 'data');
  if (!existsSync(databasePath(data))) await putNewDatabase(data);
  let now = START_MS;
  let elapsed = 0;
  const faults: unknown[] = [];
  const warnings: string[] = [];
  const secrets = new SecretWatch();
  for (const { key, text } of overrides) secrets.addSetting(key, text);
  const cheap = [
    { key: 'auth.argon2_memory_cost', text: '1024', from: 'test' },
    { key: 'auth.argon2_time_cost', text: '1', from: 'test' },
    { key: 'data_dir', text: data, from: 'test' },
  ];
  const config = loadConfig({
    file: null,
    environment: {},
    overrides: [...cheap, ...overrides.map((one) => ({ ...one, from: 'test' }))] as never,
  });
  const app = await startEngine({
    ...engineOptionsOf(config),
    jwtSecret: Buffer.alloc(32, 7),
    clock: { now: () => now, elapsed: () => elapsed },
    inspection: feedCheck,
    ...engine,
    ...secrets.overheard({
      onFault: (thrown) => faults.push(thrown),
      onNote: () => undefined,
      onWarning: (sentence) => warnings.push(sentence),
      ...engine,
    }),
  });
  const checkAnswer = answerCheck(router);
  const traffic = new Traffic(router);
  const metrics = new Metrics({ app, traffic, version: 'test', network: () => null });
  const options: Omit<DispatchOptions, 'kept'> = {
    app,
    router,
    settings: {
      cookieSecure: false,
      subPath: subPathOf(config.application.baseUrl),
      version: 'test',
      appAddresses: appAddressesOf(config),
      host: '127.0.0.1',
      recentLog: new RecentLog(),
      scrape: metrics.scrape,
    },
    cors: { origins: config.api.corsOrigins },
    isTrustedProxy: trustedProxies(config.http.trustedProxies),
    onUntrustedProxy: () => undefined,
    baseUrl: config.application.baseUrl,
    traffic,
    onDone: null,
    // What may work in a moment (503) is an answer like others here.
    onFault: (thrown) => {
      secrets.logged(thrown);
      if (!KINDS[faultOf(thrown).kind].retry) faults.push(thrown);
    },
  };
  const kept = new KeptAnswers({ feed: app.db.feed, versions: app.versions, release: 'test' });
  const dispatch = createDispatch({ ...options, kept });
  // Neither answers nor rows.
  const remake = createDispatch({ ...options, app: { ...app, sets: new SetCache(app.db), rows: null }, kept: null });
  const stale = new StaleAnswers(app, router);
  const call: TempApp['call'] = async (method, path, given = {}) => {
    const request = requestOf(method, path, given);
    const reply = await stale.check(
      request,
      () => dispatch(request),
      () => remake(request),
    );
    const answer = await answerOf(reply);
    const { status, bytes } = answer;
    checkAnswer(method, request.path, { status, type: answer.header('content-type'), bytes });
    secrets.heard({ ...given, path });
    const text = answer.json === undefined ? '' : bytes.toString();
    const shown = { status, cookies: answer.header('set-cookie') ?? '', headers: headerText(reply.headers), text };
    secrets.said(shown, `${method} ${path}`);
    return answer;
  };
  return {
    app,
    folder: root,
    shelf,
    faults,
    warnings,
    advance: (ms) => {
      now += ms;
      elapsed += ms;
    },
    jump: (ms) => {
      now += ms;
    },
    call,
    kept: async (method, path, given = {}) => answerOf(await dispatch(requestOf(method, path, given))),
    dispatch,
    reply: async (method, path, given = {}) => dispatch(requestOf(method, path, given)),
    remake: async (method, path, given = {}) => answerOf(await remake(requestOf(method, path, given))),
    tokenOf: (role) => openSession(app, role),
    close: async () => {
      await app.stop();
      secrets.searchLog();
      if (folder === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
};

/** A sound 1x1 PNG; `grey` makes pages differ. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Writes a book of `pages` pages whose bytes depend on `seed`. */
/** Strategies of a library that goes by the names of files and their order alone, for tests of exactly that. */
export const BY_FILE_NAMES = { bookStrategy: 'filename', numberStrategy: 'file_order' } as const;

export const writeBook = (
  path: string,
  pages: number,
  seed: string,
  extra: readonly { readonly name: string; readonly bytes: Uint8Array }[] = [],
): void => {
  mkdirSync(dirname(path), { recursive: true });
  const items = Array.from({ length: pages }, (_, page) => ({ name: `${page + 1}.png`, bytes: PIXEL }));
  writeFileSync(path, writeZip([...items, ...extra, { name: 'seed.txt', bytes: Buffer.from(seed) }]));
};

/** Shares of a processor: looking must not take from the program what it needs to get there. */
const REST_PER_LOOK = 4;
const REST_MS = { min: 5, max: 200 };

/** Waits for something that has no event, looking often, with a deadline; after a look that took long it rests longer. */
export const until = async (
  what: string,
  isSo: () => boolean | Promise<boolean>,
  deadlineMs = 20_000,
): Promise<void> => {
  const end = Date.now() + deadlineMs * PATIENCE;
  for (;;) {
    const began = performance.now();
    if (await isSo()) return;
    if (Date.now() > end) throw new Error(`did not happen in time: ${what}`);
    const restMs = (performance.now() - began) * REST_PER_LOOK;
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(restMs, REST_MS.min), REST_MS.max)));
  }
};

/** Waits for the covers that follow a scan. */
export const coversMade = ({ app }: Pick<TempApp, 'app'>): Promise<void> =>
  until('the covers follow', async () => {
    const due = await app.db.all('SELECT 1 FROM book WHERE cover_due <> 0 AND deleted = 0');
    return due.length === 0;
  });
