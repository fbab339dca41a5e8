// Who may do what, against a table that was not made from the routes; and the pages of documentation, on and off.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS, type Role } from '../../core/model/permissions.js';
import { fixture } from '../../fixtures/index.js';
import { API, ROOT } from '../../http/api/surface.js';
import { needsOf, permit } from '../../http/surface/permit.js';
import type { Route } from '../../http/surface/route.js';
import { tempApp } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { startProgram } from '../system/program.js';

const shaped = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

const fullPath = (path: string): string => (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`);

interface Required {
  readonly required: string;
  readonly administrator: boolean;
}

/** `GET /books/{}` to the permissions it requires. */
const TABLE: ReadonlyMap<string, Required> = new Map(
  readFileSync(fixture('spec/permissions.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [method, path = '', required = '', ...words] = line.split(' ');
      return [`${method} ${shaped(path)}`, { required, administrator: words.includes('administrator') }] as const;
    }),
);

/** The table writes rows at the root of the server with two slashes. */
const ROWS = [...API.rows, ...ROOT.rows.map((row) => ({ ...row, path: `/${row.path}` }))];

const rowOf = ({ method, path }: Route): string => `${method} ${shaped(path)}`;

const requiredBy = ({ access }: Route): string => {
  if (access === 'public') return access;
  return access === 'user' ? 'any' : needsOf(access).join('+');
};

const table = (check: Check): void => {
  for (const route of ROWS)
    check(`${route.id}: what the table says`, () => {
      const { administrator } = route;
      assert.equal({ required: requiredBy(route), administrator }, TABLE.get(rowOf(route)));
    });
  check('every row of the table is a route', () => {
    const own = new Set(ROWS.map(rowOf));
    assert.equal(
      [...TABLE.keys()].filter((row) => !own.has(row)),
      [],
    );
  });
  check('the missing permission is named; all required ones are enough, and nothing else is', () => {
    for (const [row, { required }] of TABLE) {
      const needs = required === 'public' || required === 'any' ? [] : (required.split('+') as Permission[]);
      assert.ok(
        needs.every((need) => PERMISSIONS.includes(need)),
        row,
      );
      permit(needs, new Set(needs));
    }
  });
};

const ROLES: Readonly<Record<Role, string>> = {
  reader:
    'LibrariesRead SeriesRead BooksRead PagesRead ProgressRead ProgressWrite CollectionsRead ReadListsRead ApiKeysRead ApiKeysWrite ApiKeysDelete SystemHealth',
  maintainer:
    'LibrariesRead SeriesRead BooksRead PagesRead ProgressRead ProgressWrite CollectionsRead ReadListsRead ApiKeysRead ApiKeysWrite ApiKeysDelete SystemHealth LibrariesWrite SeriesWrite SeriesDelete BooksWrite BooksDelete CollectionsWrite CollectionsDelete ReadListsWrite ReadListsDelete TasksRead TasksWrite',
  admin:
    'LibrariesRead LibrariesWrite LibrariesDelete SeriesRead SeriesWrite SeriesDelete BooksRead BooksWrite BooksDelete PagesRead ProgressRead ProgressWrite UsersRead UsersWrite UsersDelete ApiKeysRead ApiKeysWrite ApiKeysDelete TasksRead TasksWrite CollectionsRead CollectionsWrite CollectionsDelete ReadListsRead ReadListsWrite ReadListsDelete PluginsManage SystemHealth SystemAdmin',
};

const roles = (check: Check): void => {
  check('each role holds what the supplement gives it', () => {
    for (const [role, words] of Object.entries(ROLES))
      assert.equal([...ROLE_PERMISSIONS[role as Role]].sort(), words.split(' ').sort(), role);
  });
  check('each role gets through exactly where the table allows it', async () => {
    const temp = await tempApp();
    try {
      for (const role of Object.keys(ROLES) as Role[]) {
        const token = await temp.tokenOf(role);
        const held = new Set(ROLES[role].split(' '));
        for (const [row, { required }] of TABLE) {
          if (row === 'POST /auth/logout') continue; // ends the session of the caller
          const [method = '', path = ''] = row.split(' ');
          const id = '01890000-0000-7000-8000-000000000000';
          const { status } = await temp.call(method, fullPath(path.replaceAll('{}', id)), { token, body: {} });
          const may =
            required === 'public' || required === 'any' || required.split('+').every((need) => held.has(need));
          assert.is(status === 403, !may, `${role} ${row} ${status}`);
        }
      }
      assert.equal(temp.faults, []);
    } finally {
      await temp.close();
    }
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
      const wanted = [...TABLE.keys()].map((row) => row.replace(/ (\/.*)$/, (_, path: string) => ` ${fullPath(path)}`));
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
