// A provider that does as a test says: its answers are written by hand, its tokens signed with whatever key.
import { constants, createHmac, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLIENT, type Claims, KEY } from './house.js';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT of these parts; `key` null leaves the signature empty, a text signs with HMAC. */
export const jwt = (header: Claims, payload: Claims, key: KeyObject | string | null = KEY.private): string => {
  const text = `${encoded(header)}.${encoded(payload)}`;
  if (key === null) return `${text}.`;
  if (typeof key === 'string') return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  const padding = header.alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {};
  const hash = header.alg === 'RS512' ? 'sha512' : 'sha256';
  const signature = sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363', ...padding });
  return `${text}.${signature.toString('base64url')}`;
};

export const HEADER = { alg: 'RS256', kid: KEY.kid };

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Crooked {
  readonly issuer: string;
  /** Paths that are answered otherwise than by the book. */
  readonly otherwise: Map<string, Answerer>;
  /** What the ID token says besides what it should say; undefined leaves a claim out. */
  claims: Readonly<Record<string, unknown>>;
  /** How the ID token of such claims is written. */
  written: (payload: Claims) => string;
  keys: readonly object[];
  /** Requests so far, by path. */
  readonly asked: string[];
  /** What a browser would bring back from an address of the flow. */
  back(address: string): string;
  stop(): Promise<void>;
}

export const answerJson =
  (value: unknown, status = 200): Answerer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };

const now = (): number => Math.floor(Date.now() / 1000);

export const PUBLIC_KEY = { ...KEY.public.export({ format: 'jwk' }), kid: KEY.kid, use: 'sig', alg: 'RS256' };

export const crookedProvider = async (): Promise<Crooked> => {
  const server = createServer();
  let nonce = '';
  const issued = (): Claims => ({
    iss: crooked.issuer,
    sub: 'ann',
    aud: CLIENT.id,
    iat: now(),
    exp: now() + 300,
    nonce,
    ...crooked.claims,
  });
  const byTheBook = (): Readonly<Record<string, Answerer>> => ({
    '/.well-known/openid-configuration': answerJson({
      issuer: crooked.issuer,
      authorization_endpoint: `${crooked.issuer}/authorize`,
      token_endpoint: `${crooked.issuer}/token`,
      jwks_uri: `${crooked.issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
    }),
    '/keys': answerJson({ keys: crooked.keys }),
    '/token': answerJson({ access_token: 'a', token_type: 'Bearer', id_token: crooked.written(issued()) }),
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    crooked.asked.push(path);
    const answer = crooked.otherwise.get(path) ?? byTheBook()[path] ?? answerJson({}, 404);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const crooked: Crooked = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    otherwise: new Map(),
    claims: {},
    written: (payload) => jwt(HEADER, payload),
    keys: [PUBLIC_KEY],
    asked: [],
    back: (address) => {
      const asked = new URL(address).searchParams;
      nonce = asked.get('nonce') ?? '';
      return `${asked.get('redirect_uri')}?${new URLSearchParams({ code: 'c', state: asked.get('state') ?? '' })}`;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return crooked;
};
