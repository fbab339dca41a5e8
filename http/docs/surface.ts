// The API description as an interactive page and as JSON: a surface of its own, served if the configuration enables it. Everything the page
// needs comes from here, and it may ask nobody else.
import { basename } from 'node:path';
import Type from 'typebox';
import { AppError } from '../../core/model/errors.js';
import type { Reply, Request } from '../server/adapter.js';
import { securityHeaders } from '../server/security-headers.js';
import { envelope } from '../surface/errors.js';
import { hasTag } from '../surface/preconditions.js';
import { media, ok } from '../surface/replies.js';
import { json } from '../surface/reply.js';
import { type Route, route } from '../surface/route.js';
import { pathOf, type Surface } from '../surface/surface.js';
import { anyObject } from '../surface/wire.js';
import { type UiFile, uiFiles } from './ui-files.js';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** For readers whose browser runs no scripts. */
const plainRows = (described: readonly Surface[]): string =>
  described
    .flatMap((surface) =>
      surface.rows.map(
        (row) =>
          `<tr><td><code>${row.method}</code><td><code>${escaped(pathOf(surface, row))}</code><td>${escaped(row.about)}<td>${escaped(typeof row.access === 'string' ? row.access : row.access.join(' and '))}`,
      ),
    )
    .join('\n');

/** Addresses are relative, as a proxy may serve this under a path of its own: `at` leads from the page to what it loads. */
const page = (described: readonly Surface[], at: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Longbox API</title>
<link rel="icon" href="${at}ui/favicon-32x32.png"><link rel="stylesheet" href="${at}ui/swagger-ui.css">
<div id="page"></div><script src="${at}ui/swagger-ui-bundle.js"></script><script src="${at}start.js"></script>
<noscript><h1>Longbox API</h1><p>For programs: <a href="${at}openapi.json">openapi.json</a>. Log in with <code>POST /api/v1/auth/login</code> and send the token as <code>Authorization: Bearer …</code>.</p>
<table><tr><th>Method<th>Path<th>What it does<th>Who may${plainRows(described)}</table></noscript></html>`;

/** Without a validator, which would be a request to somebody else; a token is forgotten with the page. */
const OPTIONS = {
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
};

const START = `SwaggerUIBundle({
  url: new URL('openapi.json', document.currentScript.src).href,
  ...${JSON.stringify(OPTIONS)}
});
`;

/** From the document to the root of this server. */
const rootFrom = (prefix: string): string => '../'.repeat(prefix.split('/').length - 1);

/** The page sets styles on its elements and draws its icons from data addresses; nothing is evaluated, and nothing leaves this server. */
const SECURITY = securityHeaders(
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
);

const textReply = (mediaType: string, bytes: string): Reply => ({
  status: 200,
  headers: [['Content-Type', mediaType]],
  body: { kind: 'bytes', bytes },
});

const fileReply = async ({ mediaType, tag, body }: UiFile, request: Request): Promise<Reply> => {
  const caching: Reply['headers'] = [
    ['ETag', `"${tag}"`],
    ['Cache-Control', 'no-cache'],
  ];
  if (hasTag(request.header('if-none-match'), tag)) return { status: 304, headers: caching, body: { kind: 'none' } };
  return { status: 200, headers: [['Content-Type', mediaType], ...caching], body: await body() };
};

const fileRow = (files: ReadonlyMap<string, UiFile>): Route =>
  route({
    id: 'docs.file',
    method: 'GET',
    path: '/ui/{name*}',
    access: 'public',
    params: Type.Object({ name: Type.String() }),
    reply: { 200: media('text/javascript', 'text/css', 'image/png'), 304: null },
    about: 'The files that the page loads.',
    run: ({ request }, { params }) => {
      const file = files.get(params.name);
      if (file === undefined) throw new AppError('NotFound');
      return fileReply(file, request);
    },
  });

/** At `path` the page, below it the finished document as openapi.json. */
export const docsSurface = (path: string, described: readonly Surface[], description: object): Surface => {
  const prefix = path.replace(/\/+$/, '');
  const [fromBelow, fromBeside] = [page(described, ''), page(described, `./${escaped(basename(prefix))}/`)];
  const servers = [{ url: rootFrom(prefix), description: 'The server that serves this description.' }];
  const specification = json(200, { ...description, servers });
  return {
    name: 'description',
    prefix,
    credentials: { ways: [], challenge: null },
    errorView: envelope,
    headers: [],
    cors: true,
    rows: [
      route({
        id: 'docs.page',
        method: 'GET',
        path: '',
        access: 'public',
        reply: { 200: media('text/html') },
        about: 'This description as a web page.',
        run: ({ request }) => {
          const html = request.path.endsWith('/') ? fromBelow : fromBeside;
          return { ...textReply('text/html; charset=utf-8', html), security: SECURITY };
        },
      }),
      route({
        id: 'docs.start',
        method: 'GET',
        path: '/start.js',
        access: 'public',
        reply: { 200: media('text/javascript') },
        about: 'The script that starts the page.',
        run: () => textReply('text/javascript; charset=utf-8', START),
      }),
      fileRow(uiFiles()),
      route({
        id: 'docs.openapi',
        method: 'GET',
        path: '/openapi.json',
        access: 'public',
        reply: ok(anyObject()),
        about: 'This description for programs (OpenAPI).',
        run: () => specification,
      }),
    ],
  };
};
