// The pages that links in mails lead to where the web client is switched off: verify an address, set a new password. Opening one does nothing; its
// button posts what follows the `#`, which browsers never send by themselves. Also the page on which single sign-on ends.

import type { Reply } from '../server/adapter.js';
import { securityHeaders } from '../server/security-headers.js';
import { envelope } from '../surface/errors.js';
import { media } from '../surface/replies.js';
import { type Route, route } from '../surface/route.js';
import type { Surface } from '../surface/surface.js';
import { SCRIPT, STYLE } from './script.js';
import { signOnPage } from './sign-on.js';

/** Nothing from other origins, nothing inline, no framing. */
const SECURITY = securityHeaders(
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
);

const HEADERS: Reply['headers'] = [
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cache-Control', 'no-cache'],
];

interface Page {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly fields: string;
}

const PASSWORD =
  '<label>New password <input name="newPassword" type="password" minlength="8" maxlength="1024" autocomplete="new-password" required></label>';

/** URLs are relative: a proxy may serve this under a subpath. */
const html = (action: string, { title, text, button, fields }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Longbox</title>
<link rel="stylesheet" href="links.css"><script src="links.js" defer></script></head>
<body><main><h1>${title}</h1><p>${text}</p>
<form data-action="../api/v1/auth/${action}">${fields}<button disabled>${button}</button></form>
<p role="status"></p><noscript><p>This page needs JavaScript.</p></noscript></main></body></html>
`;

const VERIFY: Page = {
  title: 'Verify your e-mail address',
  text: 'This activates the account named in the mail and signs you in.',
  button: 'Verify',
  fields: '',
};

const RESET: Page = {
  title: 'Set a new password',
  text: 'This signs you out on all devices. Afterwards, sign in with the new password.',
  button: 'Set the password',
  fields: PASSWORD,
};

interface File {
  readonly id: string;
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly about: string;
}

const fileRow = ({ id, path, type, text, about }: File): Route =>
  route({
    id,
    method: 'GET',
    path,
    access: 'public',
    reply: { 200: media(type) },
    about,
    run: () => ({
      status: 200,
      headers: [['Content-Type', `${type}; charset=utf-8`], ...HEADERS],
      security: SECURITY,
      body: { kind: 'bytes', bytes: text },
    }),
  });

const page = (action: string, content: Page): Route =>
  fileRow({
    id: `pages.${action}`,
    path: `/${action}`,
    type: 'text/html',
    text: html(action, content),
    about: content.title,
  });

export const PAGES: Surface = {
  name: 'pages',
  prefix: '/auth',
  credentials: { ways: [], challenge: null },
  errorView: envelope,
  headers: [],
  cors: false,
  rows: [
    page('verify-email', VERIFY),
    page('reset-password', RESET),
    signOnPage({ headers: HEADERS, security: SECURITY }),
    fileRow({
      id: 'pages.script',
      path: '/links.js',
      type: 'text/javascript',
      text: SCRIPT,
      about: 'The script of these pages.',
    }),
    fileRow({
      id: 'pages.style',
      path: '/links.css',
      type: 'text/css',
      text: STYLE,
      about: 'The style sheet of these pages.',
    }),
  ],
};
