// What `npm ci` needs: every native part comes as a binary inside its package, for each machine that is supported, from any registry.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { binaryFolders, HASHES } from '../http/server/uws-binary.js';
import { assert, block } from './kit.js';
import { missingPackage } from './stale-parts.js';

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T;

const { packages } = read<{ packages: Readonly<Record<string, Locked>> }>('package-lock.json');
const { allowScripts } = read<{ allowScripts: Readonly<Record<string, boolean>> }>('package.json');
const locked = Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** Both with glibc. The second field is the machine in the header of an ELF file. */
const MACHINES = [
  ['x64', 0x3e],
  ['arm64', 0xb7],
] as const;

/** Packages whose binaries are packages of their own, one for each platform. */
const PARTED = ['sharp', 'lmdb', '@node-rs/argon2', 'koffi', 'esbuild'];
/** Packages that hold the binaries themselves. */
const SQLITE = '@appthreat/sqlite3';

const isFor = (cpu: string, { os, cpu: cpus, libc }: Locked): boolean =>
  os?.includes('linux') === true && cpus?.includes(cpu) === true && (libc === undefined || libc.includes('glibc'));

const isOurs = (one: Locked): boolean =>
  (one.os === undefined && one.cpu === undefined) || MACHINES.some(([cpu]) => isFor(cpu, one));

/** The packages for one machine among those that a package names as optional. */
const partsFor = (path: string, cpu: string): readonly string[] =>
  Object.entries(packages[path]?.optionalDependencies ?? {})
    .filter(([name, version]) => {
      const part = packages[`node_modules/${name}`];
      return part !== undefined && part.version === version && part.integrity !== undefined && isFor(cpu, part);
    })
    .map(([name]) => name);

const machineOf = (file: string): number => readFileSync(file).readUInt16LE(18);

block('packages', (check) => {
  check(
    'the lock file names no place to fetch from: any registry will do, and a hash pins every package that Linux gets',
    () => {
      assert.equal(
        locked.filter(([, one]) => one.resolved !== undefined).map(([path]) => path),
        [],
      );
      assert.equal(
        locked.filter(([, one]) => isOurs(one) && !/^sha512-/.test(one.integrity ?? '')).map(([path]) => path),
        [],
      );
    },
  );
  for (const [cpu, machine] of MACHINES) {
    for (const name of PARTED)
      check(`${name} has its binary for Linux on ${cpu}`, () =>
        assert.ok(partsFor(`node_modules/${name}`, cpu).length > 0),
      );
    check(`every package with binaries for some platform has one for Linux on ${cpu}`, () => {
      const isParted = (path: string): boolean =>
        packages[path]?.os === undefined &&
        Object.keys(packages[path]?.optionalDependencies ?? {}).some((name) => packages[`node_modules/${name}`]?.os);
      const lacking = locked.map(([path]) => path).filter((path) => isParted(path) && partsFor(path, cpu).length === 0);
      assert.equal(lacking, []);
    });
    check(`${SQLITE} has its binary for Linux on ${cpu}`, () => {
      const folder = join(ROOT, 'node_modules', SQLITE, 'prebuilds', `linux-${cpu}`);
      const files = readdirSync(folder).filter((name) => name.endsWith('.glibc.node'));
      assert.equal(
        files.map((name) => machineOf(join(folder, name))),
        [machine],
      );
    });
    check(`the network engine has its binary for Linux on ${cpu}, with the pinned hash`, () => {
      const name = `uws_linux_${cpu}_115.node`;
      const file = binaryFolders()
        .map((folder) => join(folder, name))
        .find(existsSync);
      // `npm run prune` removes those of other platforms.
      if (file === undefined) return assert.is.not(cpu, process.arch);
      assert.is(machineOf(file), machine);
      assert.is(createHash('sha256').update(readFileSync(file)).digest('hex'), HASHES[name]);
    });
  }
  check('only packages that have their binaries run a script when they are installed', () => {
    const scripted = locked.filter(([, one]) => one.hasInstallScript === true).map(([path]) => nameOf(path));
    assert.equal(scripted.sort(), [SQLITE, 'esbuild', 'koffi', 'lmdb', 'msgpackr-extract']);
    assert.equal(Object.keys(allowScripts).sort(), scripted.sort());
  });
  check('a package that is missing, or there in another version, is named before tests run without it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-locks-'));
    const lockOf = (name: string, packages: object): URL => {
      writeFileSync(join(folder, name), JSON.stringify({ packages }));
      return pathToFileURL(join(folder, name));
    };
    const one = { version: '1.0.0' };
    const wanted = lockOf('wanted', { '': {}, 'node_modules/a': one, 'node_modules/b': { ...one, optional: true } });
    try {
      assert.is(missingPackage(wanted, lockOf('whole', { 'node_modules/a': one })), undefined);
      assert.is(missingPackage(wanted, lockOf('older', { 'node_modules/a': { version: '0.9.0' } })), 'node_modules/a');
      assert.is(missingPackage(wanted, pathToFileURL(join(folder, 'no-packages'))), 'node_modules/a');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
