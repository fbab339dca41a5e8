// A server with single sign-on beside a real provider, and a browser that goes from one to the other.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Answer, type TempApp, tempApp } from '../app.js';
import type { ProviderSettings } from './provider-process.js';

/** Below a path, as behind a proxy. */
export const BASE = 'https://comics.example/books';
export const CLIENT = { id: 'longbox', secret: 'gulls over the pier and rain on the harbour' };
export const APP = 'example.reader:/signed-in?from=longbox';

export type Override = { readonly key: string; readonly text: string };
export type Claims = Readonly<Record<string, unknown>>;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** What the provider signs with. */
export const KEY = { private: rsa.privateKey, public: rsa.publicKey, kid: 'of-the-provider' };
const JWKS = { keys: [{ ...rsa.privateKey.export({ format: 'jwk' }), kid: KEY.kid, use: 'sig', alg: 'RS256' }] };

export interface RealProvider {
  readonly issuer: string;
  setPeople(people: Readonly<Record<string, Claims>>): Promise<void>;
  /** Signs in there as somebody, in a browser of its own; '' declines. Returns where the browser is sent back to. */
  visit(address: string, person: string): Promise<string>;
  stop(): Promise<void>;
}

const started = async (settings: ProviderSettings): Promise<{ child: ChildProcess; port: number }> => {
  const file = fileURLToPath(new URL('provider-process.js', import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await Promise.race([
    once(child.stdout ?? child, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the provider ended with ${code}`))),
  ]);
  return { child, port: Number(String(line)) };
};

const HOPS_MAX = 20;

const visit = async (address: string, person: string): Promise<string> => {
  const cookies = new Map<string, string>();
  let at = new URL(address);
  for (let hop = 0; hop < HOPS_MAX; hop += 1) {
    if (at.pathname.startsWith('/interaction/')) at.searchParams.set('as', person);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} at ${at}: ${await response.text()}`);
    at = new URL(location, at);
    if (at.protocol !== 'http:') return at.href;
  }
  throw new Error('the provider leads in circles');
};

export const realProvider = async (name = 'home'): Promise<RealProvider> => {
  const { child, port } = await started({
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    redirectUris: [BASE, 'https://comics.example'].map((base) => `${base}/api/v1/auth/oidc/${name}/callback`),
    jwks: JWKS,
  });
  const issuer = `http://127.0.0.1:${port}`;
  return {
    issuer,
    visit,
    setPeople: async (people) => {
      await fetch(`${issuer}/people`, { method: 'PUT', body: JSON.stringify(people) });
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
};

export const settingsFor = (issuer: string, more: readonly Override[] = []): readonly Override[] => [
  { key: 'application.base_url', text: BASE },
  { key: 'auth.oidc.enabled', text: 'true' },
  { key: 'auth.oidc.allowed_redirect_uris', text: JSON.stringify([APP]) },
  { key: 'auth.oidc.providers.home.display_name', text: 'Home login' },
  { key: 'auth.oidc.providers.home.issuer_url', text: issuer },
  { key: 'auth.oidc.providers.home.client_id', text: CLIENT.id },
  { key: 'auth.oidc.providers.home.client_secret', text: CLIENT.secret },
  { key: 'auth.oidc.providers.home.scopes', text: 'profile,email,groups' },
  { key: 'auth.oidc.providers.home.role_mapping.maintainer', text: 'keepers' },
  { key: 'auth.oidc.providers.home.role_mapping.admin', text: 'owners' },
  { key: 'auth.oidc.providers.home.role_mapping.reader', text: 'guests' },
  ...more,
];

export interface Begun {
  readonly address: string;
  /** The cookie, as a browser sends it back. */
  readonly cookie: string;
}

export interface House {
  readonly temp: TempApp;
  readonly admin: string;
  /** Without a login, from an address of its own. */
  ask(method: string, path: string, body?: unknown, cookie?: string): Promise<Answer>;
  done(status: number, method: string, path: string, body?: unknown): Promise<Answer>;
  begin(body?: object): Promise<Begun>;
  /** Where the provider sent the browser: below the base. */
  comeBack(address: string, cookie: string): Promise<Answer>;
  close(): Promise<void>;
}

export const cookieOf = (answer: Answer, name: string): string =>
  new RegExp(`^${name}=([^;]*)`, 'm').exec(answer.header('set-cookie') ?? '')?.[1] ?? '';

export const openHouse = async (issuer: string, more: readonly Override[] = []): Promise<House> => {
  const temp = await tempApp({ overrides: settingsFor(issuer, more) });
  const admin = await temp.tokenOf('admin');
  let asked = 0;
  const ask: House['ask'] = (method, path, body, cookie = '') => {
    asked += 1;
    const address = `10.7.${asked >> 8}.${asked & 255}`;
    return temp.call(method, `/api/v1${path}`, { body, address, headers: cookie === '' ? {} : { cookie } });
  };
  return {
    temp,
    admin,
    ask,
    done: async (status, method, path, body) => {
      const answer = await temp.call(method, `/api/v1${path}`, { token: admin, body });
      if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes}`);
      return answer;
    },
    begin: async (body = {}) => {
      const answer = await ask('POST', '/auth/oidc/home/login', body);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes}`);
      return {
        address: answer.json.redirectUrl,
        cookie: /^sign_on_[\w-]{8}=[^;]+/m.exec(answer.header('set-cookie') ?? '')?.[0] ?? '',
      };
    },
    comeBack: (address, cookie) => ask('GET', address.replace(`${BASE}/api/v1`, ''), undefined, cookie),
    close: () => temp.close(),
  };
};

/** The whole way of a browser. */
export const signIn = async (house: House, provider: RealProvider, person: string): Promise<Answer> => {
  const { address, cookie } = await house.begin();
  return house.comeBack(await provider.visit(address, person), cookie);
};

/** Whose browser it is now. */
export const meOf = async (house: House, answer: Answer) => {
  const token = cookieOf(answer, 'auth_token');
  const me = await house.temp.call('GET', '/api/v1/auth/me', { headers: { cookie: `auth_token=${token}` } });
  return me.json;
};

export const VERIFIER = 'the tide comes in twice a day and goes out twice';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
