// The page on which single sign-on ends unless the client asked for another one. One word in the URL selects one of our own texts;
// nothing else from the URL, and nothing that a provider says, is shown.
import Type from 'typebox';
import type { Reason } from '../../core/sign-on/refusals.js';
import type { Reply } from '../server/adapter.js';
import { media } from '../surface/replies.js';
import { type Route, route } from '../surface/route.js';

export const SENTENCES: Readonly<Record<Reason, string>> = {
  expired: 'This sign-in attempt has expired, was already used, or was started in another browser. Please start again.',
  declined: 'The sign-on provider denied access, or you cancelled.',
  failed:
    'This server could not accept the response of the sign-on provider. Its administrator can find the reason in the log.',
  unreachable: 'The sign-on provider cannot be reached at the moment. Try again later.',
  'no-account': 'You have no account on this server. Ask its administrator for one.',
  'email-taken':
    'There is already an account with your e-mail address. Sign in with its password, or ask the administrator.',
  inactive: 'Your account on this server is disabled. Ask its administrator.',
  'not-set-up':
    'This server has not been set up yet: its first account, with a password, has to be created before anyone can sign on.',
};

const html = (title: string, text: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Longbox</title>
<link rel="stylesheet" href="links.css"></head>
<body><main><h1>${title}</h1><p role="status">${text}</p></main></body></html>
`;

const DONE = html('Signed in', 'You are signed in. You can close this page.');

const isReason = (word: string): word is Reason => Object.hasOwn(SENTENCES, word);

const pageFor = (word: string | undefined): string => {
  if (word === undefined) return DONE;
  return html('Not signed in', isReason(word) ? SENTENCES[word] : 'Signing in failed. Try again.');
};

export const signOnPage = ({ headers, security }: Required<Pick<Reply, 'headers' | 'security'>>): Route =>
  route({
    id: 'pages.sign-on',
    method: 'GET',
    path: '/sign-on',
    access: 'public',
    query: Type.Object({ refused: Type.Optional(Type.String({ maxLength: 50, expected: 'a word' })) }),
    reply: { 200: media('text/html') },
    about: 'The result of a sign-on.',
    run: (_ctx, { query }) => ({
      status: 200,
      headers: [['Content-Type', 'text/html; charset=utf-8'], ...headers],
      security,
      body: { kind: 'bytes', bytes: pageFor(query.refused) },
    }),
  });
