// The folders of the machine, as administrators see them over the API.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mounts } from '../../core/engine/mounts.js';
import { faultOf } from '../../core/upkeep/browse.js';
import { openPeople, type People } from '../access/people.js';
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
const root = realpathSync(mkdtempSync(join(tmpdir(), 'longbox-browse-')));
chmodSync(root, 0o755);

const browse = (path: string): Promise<Answer> =>
  people.ask(people.admin.token, 'GET', `/filesystem/browse?path=${encodeURIComponent(path)}`);

const make = (...parts: string[]): string => {
  const path = join(root, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
};

const BROWSE = new URL('../../core/upkeep/browse.js', import.meta.url).href;
const NOBODY = 65_534;

/** What a user who is not root is told: root may read everything. */
// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
const asNobody = (path: string): any => {
  const code = `const { browse } = await import(${JSON.stringify(BROWSE)});
    const told = await browse(${JSON.stringify(path)}).catch(({ kind, message }) => ({ kind, message }));
    console.log(JSON.stringify(told));`;
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], user).toString());
};

const refused = (check: Check): void => {
  check('what is no folder, or no absolute path, is 400 and says why', async () => {
    const file = join(make('refused'), 'secret.txt');
    writeFileSync(file, 'what nobody may read here');
    for (const [path, why, code] of [
      ['/nonexistent', 'Path does not exist: /nonexistent', 'ENOENT'],
      [join(file, 'x'), `Path is not a directory: ${join(file, 'x')}`, 'ENOTDIR'],
      [file, `Path is not a directory: ${file}`, 'ENOTDIR'],
      ['relative', 'The path must be absolute: relative'],
      ['../..', 'The path must be absolute: ../..'],
      ['/a\0b', 'The path contains a NUL character.'],
      [`/${'x'.repeat(5000)}`, 'The path has more than 4096 characters.'],
    ] as const) {
      const { status, json, bytes } = await browse(path);
      assert.equal([status, json.message, json.details?.[0].code], [400, why, code]);
      assert.not.match(bytes.toString(), /what nobody may read/);
    }
  });
  check('what the system refuses is told apart: links in a circle, long names, and a disk that fails', async () => {
    const folder = make('circle');
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const)
      symlinkSync(join(folder, to), join(folder, from));
    for (const [path, why] of [
      [join(folder, 'a'), /^Path goes through too many links: /],
      [join(folder, 'x'.repeat(300)), /^Path has a name that is too long: /],
    ] as const) {
      const { status, json } = await browse(path);
      assert.is(status, 400);
      assert.match(json.message, why);
    }
    const { kind, message } = faultOf(folder, Object.assign(new Error(), { code: 'EIO' }));
    assert.equal([kind, message], ['FileUnreadable', `Path cannot be read (EIO): ${folder}`]);
  });
  check('a link, and a folder behind one, are 400: no link is followed', async () => {
    const folder = make('linked', 'real', 'inner');
    symlinkSync(join(root, 'linked', 'real'), join(root, 'linked', 'link'));
    for (const path of [join(root, 'linked', 'link'), join(root, 'linked', 'link', 'inner')]) {
      const { status, json } = await browse(path);
      assert.is(status, 400);
      assert.match(json.message, /^Path is a link or goes through one: /);
    }
    assert.is((await browse(`${folder}/../inner//`)).json.currentPath, folder);
  });
  check('a folder that the server may not read is refused, and shown as such in the one above', () => {
    const locked = make('locked', 'closed');
    writeFileSync(join(root, 'locked', 'closed.txt'), '');
    for (const name of ['closed', 'closed.txt']) chmodSync(join(root, 'locked', name), 0);
    assert.equal(asNobody(locked), {
      kind: 'BadRequest',
      message: `Path is not readable by the server: ${locked}`,
    });
    const found = asNobody(join(root, 'locked')).entries;
    assert.equal(
      found.map(({ name, isDirectory, isReadable }: Record<string, unknown>) => [name, isDirectory, isReadable]),
      [
        ['closed', true, false],
        ['closed.txt', false, false],
      ],
    );
    chmodSync(locked, 0o700);
  });
};

const shown = (check: Check): void => {
  check(
    'folders first, then by name without regard to case; hidden entries are left out, links say where they lead',
    async () => {
      const folder = make('shown');
      for (const name of ['b', 'A', 'c', '.hidden']) mkdirSync(join(folder, name));
      for (const name of ['B.cbz', 'a.cbz', '.secret']) writeFileSync(join(folder, name), '');
      symlinkSync('/etc/passwd', join(folder, 'link'));
      symlinkSync('nowhere', join(folder, 'lost'));
      const { status, json } = await browse(folder);
      const { entries, ...rest } = json;
      assert.equal([status, rest], [200, { currentPath: folder, parentPath: root, isTruncated: false }]);
      const at = (name: string, isDirectory: boolean, isReadable: boolean, linkTarget: string | null = null) => ({
        name,
        path: join(folder, name),
        isDirectory,
        isReadable,
        linkTarget,
      });
      assert.equal(entries, [
        at('A', true, true),
        at('b', true, true),
        at('c', true, true),
        at('a.cbz', false, true),
        at('B.cbz', false, true),
        at('link', false, false, '/etc/passwd'),
        at('lost', false, false, join(folder, 'nowhere')),
      ]);
    },
  );
  check('of many entries the first two thousand are listed, and it is said that there are more', async () => {
    const folder = make('many');
    for (let n = 0; n < 2050; n += 1) writeFileSync(join(folder, `${String(n).padStart(4, '0')}.cbz`), '');
    mkdirSync(join(folder, 'z'));
    const { json } = await browse(folder);
    assert.equal([json.entries.length, json.isTruncated], [2000, true]);
    assert.equal([json.entries[0].name, json.entries.at(-1).name], ['z', '1998.cbz']);
  });
  check('without a path it is the home of whoever runs the server; the root has no parent', async () => {
    const { json } = await people.ask(people.admin.token, 'GET', '/filesystem/browse');
    assert.ok([realpathSync(homedir()), '/'].includes(json.currentPath), json.currentPath);
    assert.is((await browse('/')).json.parentPath, null);
  });
  check('places to begin at are those that exist', async () => {
    const { json } = await people.ask(people.admin.token, 'GET', '/filesystem/drives');
    assert.equal([json[0].name, json[0].path, json[0].isDirectory, json[0].isReadable], ['Root', '/', true, true]);
    assert.ok(json.every((one: { isDirectory: boolean; linkTarget: unknown }) => one.isDirectory || one.linkTarget));
    assert.not.ok(json.some(({ path }: { path: string }) => path === '/Volumes'));
    // The kind of a place does not depend on its name: the home of a user may be called root.
    const kinds = new Map(json.map(({ path, place }: { path: string; place: string }) => [path, place]));
    assert.is(kinds.get('/'), 'root');
    if (!['/', '/home', '/mnt', '/media'].includes(homedir())) {
      assert.is(kinds.get(homedir()), 'own');
      const names = json.filter(({ path }: { path: string }) => path === homedir());
      assert.equal(
        names.map(({ name }: { name: string }) => name),
        ['Home Directory'],
      );
    }
    assert.is(new Set(kinds.values()).size, kinds.size);
  });
  check('a mount is known by its place, also with a blank in its name', () => {
    const mounts = new Mounts(
      ['22 1 8:1 / / rw - ext4 /dev/a rw', '30 22 0:40 / /mnt/my\\040nas rw - nfs4 nas:/ rw', ''].join('\n'),
    );
    assert.equal(
      ['/', '/mnt', '/mnt/my nas', '/mnt/my nas/a', '/mnt/my nasty'].map((path) => mounts.of(path)),
      ['/', '/', '/mnt/my nas', '/mnt/my nas', '/'],
    );
  });
};

block(
  'browsing folders',
  (check) => {
    refused(check);
    shown(check);
    check('nothing was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: async () => {
      await people.temp.close();
      rmSync(root, { recursive: true, force: true });
    },
  },
);
