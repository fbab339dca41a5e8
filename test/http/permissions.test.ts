// Who may do what, against a table that was not made from the routes; and the pages of documentation, on and off.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS } from '../../core/model/permissions.js';
import { DESCRIBED } from '../../http/cli/surfaces.js';
import { needsOf, permit } from '../../http/surface/permit.js';
import type { Route } from '../../http/surface/route.js';
import { pathOf } from '../../http/surface/surface.js';
import { HELD, LINES, ROLES, SERVED_ROWS, shaped, TABLE } from '../access/permission-table.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { startProgram } from '../system/program.js';

const requiredBy = ({ access }: Route): readonly string[] | null => (access === 'public' ? null : needsOf(access));

const table = (check: Check): void => {
  for (const { route, name } of SERVED_ROWS)
    check(`${route.id}: what the table says`, () => {
      const line = TABLE.get(name);
      const asked = { required: requiredBy(route), administrator: route.administrator };
      assert.equal(asked, { required: line?.required, administrator: line?.administrator });
    });
  check('every row of the table is a route, and there once', () => {
    const own = new Set(SERVED_ROWS.map(({ name }) => name));
    assert.equal(
      [...TABLE.keys()].filter((row) => !own.has(row)),
      [],
    );
    assert.is(TABLE.size, LINES.length);
  });
  check('the missing permission is named; all required ones are enough, and nothing else is', () => {
    for (const [row, { required }] of TABLE) {
      const needs = (required ?? []) as Permission[];
      assert.ok(
        needs.every((need) => PERMISSIONS.includes(need)),
        row,
      );
      permit(needs, new Set(needs));
    }
  });
};

const roles = (check: Check): void => {
  check('each role holds what the supplement gives it', () => {
    for (const role of ROLES) assert.equal([...ROLE_PERMISSIONS[role]].sort(), [...HELD[role]].sort(), role);
  });
  check('one permission less is 403 and named', async () => {
    const thrown = await thrownBy(() => permit(['BooksRead', 'ProgressRead'], new Set(['BooksRead'] as const)));
    assert.is((thrown as Error).message, 'Missing required permission: ProgressRead');
  });
};

const withProgram = async (
  environment: Readonly<Record<string, string>>,
  use: (get: (path: string, init?: RequestInit) => Promise<Response>) => Promise<void>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-docs-'));
  const program = await startProgram(['--data', join(folder, 'data')], environment);
  try {
    await use((path, init) => fetch(program.address + path, init));
  } finally {
    program.child.kill('SIGTERM');
    await program.ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

const docs = (check: Check): void => {
  check('documentation that is not enabled does not exist', () =>
    withProgram({}, async (get) => {
      for (const path of ['/docs', '/docs/openapi.json', '/api/v1/docs', '/api/v1/docs/openapi.json'])
        assert.is((await get(path)).status, 404, path);
    }),
  );
  check('enabled, it is public at its path: the page, and the description of every route', () =>
    withProgram({ SVC_API__ENABLE_API_DOCS: 'true' }, async (get) => {
      const page = await get('/docs');
      assert.equal([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(await page.text(), '/api/v1/books/{book_id}/pages/{page_number}');
      const description = await get('/docs/openapi.json');
      assert.is(description.headers.get('content-type'), 'application/json; charset=utf-8');
      const { openapi, paths } = (await description.json()) as { openapi: string; paths: Record<string, object> };
      const described = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${shaped(path)}`),
      );
      const wanted = DESCRIBED.flatMap((surface) =>
        surface.rows.map((row) => `${row.method} ${shaped(pathOf(surface, row))}`),
      );
      assert.equal([openapi, described.sort()], ['3.1.0', wanted.sort()]);
      assert.is((await get('/docs', { method: 'POST' })).status, 405);
      for (const path of ['/docs/other', '/docs/openapi.yaml']) assert.is((await get(path)).status, 404, path);
    }),
  );
  check('it moves with its setting', () =>
    withProgram({ SVC_API__ENABLE_API_DOCS: 'true', SVC_API__API_DOCS_PATH: '/about/api' }, async (get) => {
      const statuses = ['/about/api', '/about/api/openapi.json', '/docs'].map(async (path) => (await get(path)).status);
      assert.equal(await Promise.all(statuses), [200, 200, 404]);
    }),
  );
};

block('permissions', (check) => {
  for (const part of [table, roles]) part(check);
});
block(
  'documentation',
  (check) => {
    docs(check);
  },
  { deadlineS: 120 },
);
