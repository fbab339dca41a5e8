// The web client as a surface: one page at each of its addresses, and the files that the page loads. Everything it needs comes from this
// server, and it may ask nobody else. What is at no address of the client is refused as at the root of the server.
import { createHash } from 'node:crypto';
import Type from 'typebox';
import { AppError } from '../../core/model/errors.js';
import type { Body, Reply } from '../server/adapter.js';
import { securityHeaders } from '../server/security-headers.js';
import { COOKIE, cookieIn } from '../surface/cookies.js';
import { envelope } from '../surface/errors.js';
import { hasTag } from '../surface/preconditions.js';
import { media } from '../surface/replies.js';
import { type Route, route } from '../surface/route.js';
import type { ErrorView, Surface } from '../surface/surface.js';
import { ADDRESSES, type ScreenName } from './addresses.js';
import { type Built, builtClient, type ClientFile } from './client-files.js';
import { firstRequests } from './first-requests.js';

/** Nothing inline, nothing from other origins, no framing, and no text that becomes markup. */
const SECURITY = securityHeaders(
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
);

/** 'none': at an address of no screen. */
type PageName = ScreenName | 'none';

/** Addresses are relative, as a proxy may serve this under a path of its own: `at` leads from the page to the root of this server. */
const page = ({ script, needed, screens, style, icon }: Built, at: string, name: PageName): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Longbox</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark light">
<link rel="icon" type="image/svg+xml" href="${at}web/${icon}">
<link rel="stylesheet" href="${at}web/${style}">
<link rel="preload" as="fetch" crossorigin href="${at}api/v1/auth/session">
${[...needed, ...(screens[name] ?? [])].map((one) => `<link rel="modulepreload" href="${at}web/${one}">\n`).join('')}<script type="module" src="${at}web/${script}"></script>
</head><body><noscript><p>The web client of this server needs JavaScript.</p></noscript></body></html>
`;

interface Page {
  readonly tag: string;
  readonly text: string;
  readonly body: Body;
}

/** By screen, and by how many segments the address of the page has beyond its first. */
type Pages = (name: PageName, depth: number) => Page;

const rootFrom = (depth: number): string => (depth === 0 ? './' : '../'.repeat(depth));

const pagesOf = (built: Built): Pages => {
  const made = new Map<string, Page>();
  return (name, depth) => {
    const known = made.get(`${name} ${depth}`);
    if (known !== undefined) return known;
    const bytes = page(built, rootFrom(depth), name);
    const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const one: Page = { tag, text: bytes, body: { kind: 'bytes', bytes, encoded: new Map() } };
    made.set(`${name} ${depth}`, one);
    return one;
  };
};

/** The client says by itself that there is nothing at an address, to whoever opens it in a browser. */
const errorViewOf =
  (pageAt: Pages): ErrorView =>
  (refusal, at) => {
    if (refusal.status !== 404 || !at.isOpened()) return envelope(refusal, at);
    const { text } = pageAt('none', at.path.split('/').length - 2);
    return { type: 'text/html; charset=utf-8', text, security: SECURITY };
  };

/** Where mails and sign-ons lead. Rows below it with the prefix '' would be rows of signing in, which links on other sites may not open. */
const LINKED = '/auth';

const isLinked = (name: ScreenName): boolean => ADDRESSES[name].startsWith(`${LINKED}/`);

const pageRow = (name: ScreenName, pageAt: Pages): Route =>
  route({
    id: `web.${name}`,
    method: 'GET',
    path: isLinked(name) ? ADDRESSES[name].slice(LINKED.length) : ADDRESSES[name],
    access: 'public',
    params: Type.Object({ id: Type.Optional(Type.String()) }),
    reply: { 200: media('text/html'), 304: null },
    about: 'The page of the web client.',
    run: ({ request }, { params: { id = '' } }) => {
      const depth = request.path.split('/').length - 2;
      const { tag, body } = pageAt(name, depth);
      // To those who are not signed in, they would all be refused.
      const isSignedIn = cookieIn(request, COOKIE) !== '';
      const first = isSignedIn ? firstRequests(name, rootFrom(depth), id, request.query) : null;
      const caching: Reply['headers'] = [
        ['ETag', `"${tag}"`],
        ['Cache-Control', 'no-cache'],
        ['Cross-Origin-Opener-Policy', 'same-origin'],
        ...(first === null ? [] : [['Link', first] as const]),
      ];
      if (hasTag(request.header('if-none-match'), tag))
        return { status: 304, headers: caching, security: SECURITY, body: { kind: 'none' } };
      const headers: Reply['headers'] = [['Content-Type', 'text/html; charset=utf-8'], ...caching];
      return { status: 200, headers, security: SECURITY, body };
    },
  });

const fileRow = (files: ReadonlyMap<string, ClientFile>): Route =>
  route({
    id: 'web.file',
    method: 'GET',
    path: '/web/{name}',
    access: 'public',
    params: Type.Object({ name: Type.String() }),
    reply: { 200: media('text/javascript', 'text/css', 'image/svg+xml') },
    about: 'The files that the page loads.',
    run: async (_, { params }) => {
      const file = files.get(params.name);
      if (file === undefined) throw new AppError('NotFound', 'There is nothing at this address.');
      return {
        status: 200,
        headers: [
          ['Content-Type', file.mediaType],
          ['Cache-Control', 'public, max-age=31536000, immutable'],
        ],
        body: await file.body(),
      };
    },
  });

/**
 * They have the prefix of the root and of what links lead to: `client` has to be listed after the root, and in place of other pages of
 * links. Addresses that nothing claims belong to the root; `root` is as it refuses next to the client.
 */
export const webSurfaces = (root: Surface): { readonly root: Surface; readonly client: readonly Surface[] } => {
  const { built, files } = builtClient();
  const pageAt = pagesOf(built);
  const names = Object.keys(ADDRESSES) as ScreenName[];
  const surfaceOf = (name: string, prefix: string, rows: readonly Route[]): Surface => ({
    name,
    prefix,
    credentials: { ways: [], challenge: null },
    errorView: errorViewOf(pageAt),
    headers: [],
    cors: false,
    rows,
  });
  const pagesWhere = (isMeant: (name: ScreenName) => boolean): readonly Route[] =>
    names.filter(isMeant).map((name) => pageRow(name, pageAt));
  return {
    root: { ...root, errorView: errorViewOf(pageAt) },
    client: [
      surfaceOf('web client', '', [...pagesWhere((name) => !isLinked(name)), fileRow(files)]),
      surfaceOf('web client, from links', LINKED, pagesWhere(isLinked)),
    ],
  };
};
