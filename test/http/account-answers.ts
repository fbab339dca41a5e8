// Requests to every route of accounts, sign-in and API keys, for the test that holds answers against what clients expect.
import type { Answer } from '../app.js';
import { assert } from '../kit.js';
import { faultsOf } from './answer-shapes.js';

type Ask = (row: string, params: readonly string[], body?: unknown, query?: string) => Promise<Answer>;

const USER = { username: 'ann', email: 'ann@example.org', password: 'A-long-passw0rd!' };

interface Means {
  /** Whoever asks from now on has this token. */
  become(token: string): void;
  /** What the last mail says. */
  mailedToken(): Promise<string | undefined>;
}

const askKeys = async (ask: Ask): Promise<void> => {
  const { id } = (await ask('POST /api-keys', [], { name: 'k', permissions: ['libraries-read', 'books-read'] })).json;
  await ask('GET /api-keys', []);
  await ask('GET /api-keys/{}', [id]);
  await ask('PATCH /api-keys/{}', [id], { name: 'k2' });
};

const askUsers = async (ask: Ask): Promise<void> => {
  const { id } = (await ask('POST /users', [], { ...USER, username: 'cid', email: 'cid@example.org' })).json;
  await ask('GET /users', []);
  await ask('GET /users', [], undefined, '?role=reader&page=1&pageSize=10');
  await ask('GET /users/{}', [id]);
  await ask('PATCH /users/{}', [id], { role: 'maintainer', permissions: ['SystemHealth'] });
  await ask('DELETE /users/{}', [id]);
  await ask('GET /user', []);
};

export const askAccounts = async (ask: Ask, { become, mailedToken }: Means): Promise<void> => {
  await ask('GET /setup/status', []);
  await ask('POST /setup/initialize', [], USER);
  const { json } = await ask('POST /auth/login', [], { username: USER.username, password: USER.password });
  become(json.access_token);
  await ask('GET /auth/me', []);
  await ask('GET /auth/oidc/providers', []);
  become((await ask('POST /auth/refresh', [], { refreshToken: json.refreshToken })).json.accessToken);
  await askKeys(ask);
  const bea = { username: 'bea', email: 'bea@example.org', password: USER.password };
  await ask('POST /auth/register', [], bea);
  await ask('POST /auth/resend-verification', [], { email: bea.email });
  await ask('POST /auth/verify-email', [], { token: await mailedToken() });
  await askUsers(ask);
  await ask('GET //health', []);
};

/** One page of keys, where one is asked for, and then none of them. */
export const askKeysByPage = async (ask: Ask, page: Answer): Promise<void> => {
  assert.equal(faultsOf('PaginatedResponse_ApiKeyDto', page.json), []);
  await ask('DELETE /api-keys/{}', [page.json.data[0].id]);
};
