// The page that single sign-on ends on, where nothing else was asked for: in words of ours, chosen by one word in the address. Nothing else of the
// address, and nothing that a provider says, is shown.
import Type from 'typebox';
import type { Reason } from '../../core/sign-on/refusals.js';
import type { Reply } from '../server/adapter.js';
import { media } from '../surface/replies.js';
import { type Route, route } from '../surface/route.js';

export const SENTENCES: Readonly<Record<Reason, string>> = {
  expired:
    'This sign-in has expired, was used before, or did not begin in this browser. Begin again where you want to sign in.',
  declined: 'The sign-on provider did not let you in, or you cancelled.',
  failed:
    'The sign-on provider sent something that this server could not accept. Its owner finds the reason in the log.',
  unreachable: 'The sign-on provider cannot be reached at the moment. Try again in a while.',
  'no-account': 'You have no account on this server. Ask its owner for one.',
  'email-taken':
    'There is an account with your e-mail address already. Sign in with its password, or ask the owner of this server.',
  inactive: 'Your account on this server is closed. Ask its owner.',
  'not-set-up': 'This server has no administrator yet. Its owner has to create the first account with a password.',
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
  return html('Not signed in', isReason(word) ? SENTENCES[word] : 'Signing in did not work. Try again.');
};

export const signOnPage = ({ headers, security }: Required<Pick<Reply, 'headers' | 'security'>>): Route =>
  route({
    id: 'pages.sign-on',
    method: 'GET',
    path: '/sign-on',
    access: 'public',
    query: Type.Object({ refused: Type.Optional(Type.String({ maxLength: 50, expected: 'a word' })) }),
    reply: { 200: media('text/html') },
    about: 'How a sign-on ended.',
    run: (_ctx, { query }) => ({
      status: 200,
      headers: [['Content-Type', 'text/html; charset=utf-8'], ...headers],
      security,
      body: { kind: 'bytes', bytes: pageFor(query.refused) },
    }),
  });
