// The API description as a page and as JSON: a surface of its own, served if the configuration enables it.
import { envelope } from '../surface/errors.js';
import { media, ok } from '../surface/replies.js';
import { json } from '../surface/reply.js';
import { route } from '../surface/route.js';
import { pathOf, type Surface } from '../surface/surface.js';
import { anyObject } from '../surface/wire.js';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const STYLE =
  'body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}code{font-size:.95em}td{padding:.2rem .8rem .2rem 0;vertical-align:top}';

const page = (described: readonly Surface[], specification: string): string => {
  const rows = described.flatMap((surface) =>
    surface.rows.map(
      (row) =>
        `<tr><td><code>${row.method}</code><td><code>${escaped(pathOf(surface, row))}</code><td>${escaped(row.about)}<td>${escaped(typeof row.access === 'string' ? row.access : row.access.join(' and '))}`,
    ),
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Longbox API</title><style>${STYLE}</style>
<h1>Longbox API</h1><p>For programs: <a href="${escaped(specification)}">openapi.json</a>. Log in with <code>POST /api/v1/auth/login</code> and send the token as <code>Authorization: Bearer …</code>.</p>
<table><tr><th>Method<th>Path<th>What it does<th>Who may${rows.join('\n')}</table></html>`;
};

/** At `path` the page, below it the finished document as openapi.json. */
export const docsSurface = (path: string, described: readonly Surface[], description: unknown): Surface => {
  const prefix = path.replace(/\/+$/, '');
  const html = page(described, `${prefix}/openapi.json`);
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
        run: () => ({
          status: 200,
          headers: [
            ['Content-Type', 'text/html; charset=utf-8'],
            ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"],
          ],
          body: { kind: 'bytes', bytes: html },
        }),
      }),
      route({
        id: 'docs.openapi',
        method: 'GET',
        path: '/openapi.json',
        access: 'public',
        reply: ok(anyObject()),
        about: 'This description for programs (OpenAPI).',
        run: () => json(200, description),
      }),
    ],
  };
};
