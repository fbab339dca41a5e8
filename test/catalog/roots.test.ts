// Folders that cannot become a library: not those the server writes to, nor those of the kernel. Real paths are compared, so no link leads
// there.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const withApp = async (use: (temp: TempApp, token: string) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    await use(temp, await temp.tokenOf('admin'));
  } finally {
    await temp.close();
  }
};

/** Each path, and a pattern for its refusal. */
const refused = ({ folder }: TempApp): readonly (readonly [string, RegExp])[] => {
  mkdirSync(join(folder, 'data', 'books'), { recursive: true });
  mkdirSync(join(folder, 'links'));
  symlinkSync(join(folder, 'data', 'books'), join(folder, 'links', 'inside'));
  symlinkSync('/proc', join(folder, 'links', 'proc'));
  return [
    [join(folder, 'data'), /inside the data folder/],
    [join(folder, 'data', 'books'), /inside the data folder/],
    [join(folder, 'data', 'cache'), /inside the data folder/],
    [folder, /contains the data folder/],
    [join(folder, 'links', 'inside'), /inside the data folder/],
    ...(process.platform === 'linux'
      ? ([
          ['/', /contains the data folder/],
          ['/proc', /\/proc/],
          ['/proc/self', /\/proc/],
          ['/sys', /\/sys/],
          ['/dev', /\/dev/],
          [join(folder, 'links', 'proc'), /\/proc/],
        ] as const)
      : []),
  ];
};

block('folders that cannot be a library', (check) => {
  check('are refused at creation with a message, also through a link', () =>
    withApp(async (temp, token) => {
      for (const [path, words] of refused(temp)) {
        const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Wrong', path } });
        assert.is(made.status, 400, path);
        assert.match(made.json.message, words);
      }
    }),
  );
  check('a folder that is missing, or none, is named by the code of the system', () =>
    withApp(async (temp, token) => {
      writeBook(join(temp.folder, 'book.cbz'), 1, 'x');
      for (const [name, code] of [
        ['missing', 'ENOENT'],
        ['book.cbz', 'ENOTDIR'],
      ] as const) {
        const path = join(temp.folder, name);
        const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Wrong', path } });
        const preview = await temp.call('POST', '/api/v1/libraries/preview-scan', { token, body: { path } });
        for (const { status, json } of [made, preview])
          assert.equal([status, json.details[0].path, json.details[0].code], [400, 'path', code]);
      }
    }),
  );
  check('are refused when a library is moved there', () =>
    withApp(async (temp, token) => {
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Right', path: temp.shelf } });
      for (const [path, words] of refused(temp)) {
        const moved = await temp.call('PATCH', `/api/v1/libraries/${made.json.id}`, { token, body: { path } });
        assert.is(moved.status, 400, path);
        assert.match(moved.json.message, words);
      }
      assert.is((await temp.call('GET', `/api/v1/libraries/${made.json.id}`, { token })).json.path, temp.shelf);
    }),
  );
  check('so are folders above another library', () =>
    withApp(async (temp, token) => {
      const inner = join(temp.shelf, 'inner');
      mkdirSync(inner);
      await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Inner', path: inner } });
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Outer', path: temp.shelf } });
      assert.is(made.status, 409);
      assert.match(made.json.message, /contains the library "Inner"/);
    }),
  );
  check(
    'a library that the user may not see is refused without its name and its path, one that they may see with both',
    () =>
      withApp(async (temp, token) => {
        const folders = ['hidden', 'hidden/inside', 'seen'].map((name) => join(temp.shelf, name));
        for (const folder of folders) mkdirSync(folder);
        const [hidden = '', inside = '', seen = ''] = folders;
        const call = async (method: string, path: string, body: object, more = {}) =>
          (await temp.call(method, `/api/v1${path}`, { token, body, ...more })).json;
        const add = (name: string, path: string, more = {}) => call('POST', '/libraries', { name, path }, more);
        await add('Secret', hidden);
        const { id } = await add('Comics', seen);
        const { user } = await temp.app.callers.byToken(token);
        const { key } = await call('POST', '/api-keys', { name: 'x', permissions: ['LibrariesWrite'] });
        await call('PATCH', `/users/${user.id}`, { libraryIds: [id] });
        const generic = 'Another library has this path, a part of it or a folder above it.';
        const move = (path: string) => call('PATCH', `/libraries/${id}`, { path });
        for (const told of [await add('x', hidden), await add('x', inside), await move(hidden), await move(inside)])
          assert.equal([told.error, told.message, told.details ?? null], ['Conflict', generic, null]);
        assert.is((await add('x', temp.shelf)).message, `The path contains the library "Comics" (${seen}).`);
        assert.is((await add('x', seen, { token: key })).message, generic, 'a key that may not read libraries');
        await call('PATCH', `/users/${user.id}`, { libraryIds: [] });
        assert.is((await move(temp.shelf)).message, generic);
      }),
  );
  check('an existing library there is not scanned, and loses nothing', () =>
    withApp(async (temp, token) => {
      writeBook(join(temp.shelf, 'Series', 'Book.cbz'), 1, 'one');
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Old', path: temp.shelf } });
      const scan = async () => {
        await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        return (await temp.call('GET', `/api/v1/libraries/${made.json.id}/scan-status`, { token })).json;
      };
      assert.is((await scan()).status, 'completed');
      await temp.app.db.write(SYSTEM, 'interactive', (tx) =>
        tx.run('UPDATE library SET root = ?', [join(temp.folder, 'data')]),
      );
      const { status, errors } = await scan();
      assert.is(status, 'failed');
      assert.match(errors.join(' '), /inside the data folder/);
      assert.is((await temp.call('GET', '/api/v1/books', { token })).json.total, 1);
    }),
  );
});
