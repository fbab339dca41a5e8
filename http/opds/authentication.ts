// How to sign in to a catalogue: the authentication document (Authentication for OPDS 1.0) and how its surfaces refuse.
import type { Reply } from '../server/adapter.js';
import { basic, bearer, keyHeader } from '../surface/credentials.js';
import { envelope } from '../surface/errors.js';
import { media } from '../surface/replies.js';
import { type Route, route } from '../surface/route.js';
import type { RefusedAt, Surface } from '../surface/surface.js';
import { AUTHENTICATION, REL } from './media-types.js';
import { placeOf } from './place.js';

const NAME = 'Longbox';

const documentText = (address: string): string =>
  JSON.stringify({
    id: address,
    title: NAME,
    description: 'Sign in with your user name and password, or with the user name api and an API key as the password.',
    authentication: [
      { type: 'http://opds-spec.org/auth/basic', labels: { login: 'User name', password: 'Password or API key' } },
    ],
  });

const TYPE = `${AUTHENTICATION};charset=utf-8`;

const link = (address: string): readonly [string, string] => [
  'Link',
  `<${address}>; rel="${REL.authentication}"; type="${AUTHENTICATION}"`,
];

/** How a surface with this prefix signs in and refuses. */
export const signingIn = (prefix: string): Pick<Surface, 'credentials' | 'errorView'> => {
  const addressOf = ({ base }: Pick<RefusedAt, 'base'>): string => `${base()}${prefix}/auth`;
  return {
    credentials: {
      ways: [bearer, basic, keyHeader],
      challenge: `Basic realm="${NAME}", charset="UTF-8"`,
      onUnauthorized: (at) => [link(addressOf(at))],
    },
    errorView: (refusal, at) =>
      refusal.status === 401 ? { type: TYPE, text: documentText(addressOf(at)) } : envelope(refusal, at),
  };
};

/** Open to everyone: clients fetch it before they can sign in. */
export const authenticationRow = (name: string): Route =>
  route({
    id: `${name}.auth`,
    method: 'GET',
    path: '/auth',
    access: 'public',
    reply: { 200: media(AUTHENTICATION) },
    about: 'How to sign in.',
    run: (ctx): Reply => ({
      status: 200,
      headers: [
        ['Content-Type', TYPE],
        ['Cache-Control', 'no-cache'],
      ],
      body: { kind: 'bytes', bytes: documentText(`${placeOf(ctx).root}/auth`) },
    }),
  });
