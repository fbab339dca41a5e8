// Times who a request is from, in this process and without a socket: warm, for each kind of credential; and the first use of an API key, with
// 10,000 users and 100,000 keys stored. `node dist/bench/identify.js`

import { hashOfSecret, newKeyText, writtenKey } from '../core/access/key-text.js';
import { bytesOfUuid, newId, uuidOfHex } from '../core/model/ids.js';
import { ALL_ASPECTS, SYSTEM, updated } from '../core/store/feed.js';
import { API } from '../http/api/surface.js';
import type { Request } from '../http/server/adapter.js';
import { identify, type Knock } from '../http/surface/credentials.js';
import { type TempApp, tempApp } from '../test/app.js';
import { crookedProvider, HEADER, jwt } from '../test/sign-on/crooked.js';
import { CLIENT, openHouse } from '../test/sign-on/house.js';

const USERS = 10_000;
const KEYS_PER_USER = 10;
const FIRST_USES = 5000;
const WARM_ROUNDS = 20;
const WARM_REQUESTS = 50_000;
const ADMIN = { username: 'Ann', email: 'ann@example.org', password: 'Fog over the harbour 7!' };

type Headers = Readonly<Record<string, string>>;

const knockOf = ({ app }: TempApp, headers: Headers): Knock => {
  const request: Request = {
    method: 'GET',
    path: '/api/v1/books',
    query: '',
    header: (name) => headers[name] ?? '',
    has: (name) => name in headers,
    remoteAddress: '192.0.2.7',
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
  };
  return { app, request, clientAddress: () => request.remoteAddress, surface: 'API', isForeign: () => false };
};

const { ways } = API.credentials;

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

/** The median and the worst round, in microseconds of processor time for a request: other programs count for nothing. */
const timeWarm = async (temp: TempApp, what: string, headers: Headers): Promise<void> => {
  const knock = knockOf(temp, headers);
  await identify(ways, knock);
  const rounds: number[] = [];
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let n = 0; n < WARM_REQUESTS; n += 1)
      if (identify(ways, knock) instanceof Promise) throw new Error(`${what}: nobody is known`);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / WARM_REQUESTS);
  }
  rounds.sort((a, b) => a - b);
  process.stdout.write(
    `${what.padEnd(24)} ${percentile(rounds, 0.5).toFixed(2)} µs, slowest round ${(rounds.at(-1) ?? 0).toFixed(2)}\n`,
  );
};

/** Users with keys; returns the texts of keys spread over all of them. */
const stock = async ({ app }: TempApp): Promise<readonly string[]> => {
  const texts: string[] = [];
  const every = (USERS * KEYS_PER_USER) / FIRST_USES;
  for (let from = 0; from < USERS; from += 100)
    await app.db.write(SYSTEM, 'background', async (tx) => {
      for (let user = from; user < from + 100; user += 1) {
        const [row] = await tx.all<{ id: number }>(
          `INSERT INTO user (uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at)
           VALUES (randomblob(16), ?1, ?1, ?1, ?1, '', 'reader', 0, 0) RETURNING id`,
          [`user-${user}`],
        );
        for (let n = 0; n < KEYS_PER_USER; n += 1) {
          const key = newKeyText();
          if ((user * KEYS_PER_USER + n) % every === 0) texts.push(writtenKey(key));
          await tx.run(
            `INSERT INTO api_key (uuid, user_id, name, prefix, secret_hash, permissions, created_at, updated_at)
             VALUES (?, ?, 'Tablet', ?, ?, '["BooksRead","PagesRead","SeriesRead"]', 0, 0)`,
            [bytesOfUuid(uuidOfHex(newId(0))), row?.id ?? 0, key.prefix, hashOfSecret(key.secret)],
          );
        }
      }
      tx.report(updated('api_key', 'all', ALL_ASPECTS));
      tx.report(updated('user', 'all', ALL_ASPECTS));
    });
  return texts;
};

const shown = (times: readonly number[]): string => {
  const sorted = [...times].sort((a, b) => a - b);
  return `median ${percentile(sorted, 0.5).toFixed(3)} ms, p99 ${percentile(sorted, 0.99).toFixed(3)} ms`;
};

/** Beside it an empty query, in turn: on a busy machine that takes long now and then as well. */
const timeFirst = async (temp: TempApp): Promise<void> => {
  const texts = await stock(temp);
  const times: number[] = [];
  const bare: number[] = [];
  for (const text of texts) {
    const started = performance.now();
    const { user } = await identify(ways, knockOf(temp, { 'x-api-key': text }));
    const found = performance.now();
    await temp.app.db.all('SELECT 1');
    times.push(found - started);
    bare.push(performance.now() - found);
    if (user.role !== 'reader') throw new Error('somebody else was found');
  }
  const stored = USERS * KEYS_PER_USER;
  process.stdout.write(`first use of a key, ${stored} stored: ${shown(times)}; an empty query: ${shown(bare)}\n`);
};

/** As large as one with many groups. */
const timeProvider = async (): Promise<void> => {
  const provider = await crookedProvider();
  const house = await openHouse(provider.issuer);
  try {
    const { address, cookie } = await house.begin();
    await house.comeBack(provider.back(address), cookie);
    const exp = Math.floor(house.temp.app.clock.now() / 1000) + 3600;
    const payload = { iss: provider.issuer, sub: 'ann', aud: CLIENT.id, exp, groups: 'x'.repeat(6000) };
    const token = jwt(HEADER, payload);
    const what = `Bearer, ${(token.length / 1000).toFixed(1)} kB`;
    await timeWarm(house.temp, what, { authorization: `Bearer ${token}` });
  } finally {
    await house.close();
    await provider.stop();
  }
};

const temp = await tempApp({ engine: { inspection: undefined } });
try {
  await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN });
  const token: string = (await temp.call('POST', '/api/v1/auth/login', { body: ADMIN })).json.access_token;
  const { key } = (await temp.call('POST', '/api/v1/api-keys', { token, body: { name: 'Tablet' } })).json;
  await timeWarm(temp, 'Bearer, token', { authorization: `Bearer ${token}` });
  await timeWarm(temp, 'Bearer, key', { authorization: `Bearer ${key}` });
  await timeWarm(temp, 'X-API-Key', { 'x-api-key': key });
  await timeWarm(temp, 'Basic, api and key', { authorization: basic(`api:${key}`) });
  await timeWarm(temp, 'Basic, name and password', { authorization: basic(`Ann:${ADMIN.password}`) });
  await timeWarm(temp, 'cookie', { cookie: `theme=dark; auth_token=${token}` });
  await timeFirst(temp);
} finally {
  await temp.close();
}
await timeProvider();
