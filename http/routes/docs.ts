// The API description as a page and as JSON, if the configuration enables it.

import { json } from '../reply.js';
import { type Route, route } from '../route.js';
import { pathOf } from '../router.js';
import { none } from '../schemas.js';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const STYLE =
  'body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}code{font-size:.95em}td{padding:.2rem .8rem .2rem 0;vertical-align:top}';

const page = (routes: readonly Route[], specification: string): string => {
  const rows = routes.map(
    (row) =>
      `<tr><td><code>${row.method}</code><td><code>${escaped(pathOf(row))}</code><td>${escaped(row.about)}<td>${escaped(typeof row.access === 'string' ? row.access : row.access.join(' and '))}`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Longbox API</title><style>${STYLE}</style>
<h1>Longbox API</h1><p>For programs: <a href="${escaped(specification)}">openapi.json</a>. Log in with <code>POST /api/v1/auth/login</code> and send the token as <code>Authorization: Bearer …</code>.</p>
<table><tr><th>Method<th>Path<th>What it does<th>Who may${rows.join('\n')}</table></html>`;
};

/** Rows for `{path}` and `{path}/openapi.json`; `description` is the finished document. */
export const docsRoutes = (path: string, routes: readonly Route[], description: unknown): readonly Route[] => {
  const specification = `${path}/openapi.json`;
  const html = page(routes, specification);
  const shared = { method: 'GET', access: 'public', cookie: false, params: none, query: none, body: null } as const;
  return [
    route({
      ...shared,
      id: 'docs.page',
      path: `/${path}`,
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
      ...shared,
      id: 'docs.openapi',
      path: `/${specification}`,
      about: 'This description for programs (OpenAPI).',
      run: () => json(200, description),
    }),
  ];
};
