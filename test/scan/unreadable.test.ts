// What cannot be read is not gone: the real program, running as a user other than root, over random trees whose modes, names and links
// change between scans, against a plain model. A book disappears only when its file is absent and every folder above it could be read.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBook } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';

const NOBODY = 65_534;
const SCANNER = fileURLToPath(new URL('../started/scan-as-nobody.js', import.meta.url));

/** Requests one scan at a time; the scanner answers with the paths of the live books. */
interface Scanner {
  scan(mode: 'normal' | 'deep'): Promise<{ readonly books: readonly string[]; readonly warnings: readonly string[] }>;
  stop(): Promise<void>;
}

const startScanner = (folder: string): Scanner => {
  const child = spawn(process.execPath, [SCANNER, folder], {
    uid: NOBODY,
    gid: NOBODY,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    scan: (mode) =>
      new Promise((resolve, reject) => {
        child.once('message', (found) => resolve(found as never));
        ended.then(() => reject(new Error('the scanner ended')));
        child.send(mode);
      }),
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};

/** Deterministic, so that a failure can be repeated. */
const randomOf = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Paths with names that are valid UTF-8. */
const pathsBelow = (root: string, inner = ''): string[] =>
  readdirSync(join(root, inner), { withFileTypes: true })
    .filter(({ name }) => !name.includes('\ufffd'))
    .flatMap((entry) => {
      const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
      return entry.isDirectory() ? [path, ...pathsBelow(root, path)] : [path];
    });

/** A name that is not valid UTF-8 may be any name beyond ASCII in another character set. */
const mayBeForeign = (folder: string, name: string): boolean =>
  /[^\0-\x7f]/.test(name) && readdirSync(folder).some((other) => other.includes('\ufffd'));

const mayList = (mode: number): boolean => (mode & 0o004) !== 0;
const mayEnter = (mode: number): boolean => (mode & 0o001) !== 0;

/** The model, from the modes as root sees them. True when a user who may not read everything can know that nothing exists at the path. */
const isKnownAbsent = (root: string, path: string): boolean => {
  const parts = path.split('/');
  let folder = root;
  for (const [at, part] of parts.entries()) {
    const mode = lstatSync(folder).mode;
    if (!mayList(mode)) return false;
    const stat = lstatSync(join(folder, part), { throwIfNoEntry: false });
    if (stat === undefined) return !mayBeForeign(folder, part);
    if (stat.isSymbolicLink()) return false;
    const isLast = at === parts.length - 1;
    if (isLast) return stat.isDirectory();
    if (!stat.isDirectory()) return true;
    // A folder without execute permission shows its names, but nothing about them.
    if (!mayEnter(mode)) return false;
    folder = join(folder, part);
  }
  return false;
};

const isSeen = (root: string, path: string): boolean => {
  let folder = root;
  for (const part of path.split('/')) {
    const mode = lstatSync(folder).mode;
    if (!mayList(mode) || !mayEnter(mode)) return false;
    folder = join(folder, part);
  }
  return lstatSync(folder, { throwIfNoEntry: false })?.isFile() === true;
};

const FOLDERS = ['A', 'B', 'B/Inner', 'B/Inner/Deep', 'C', 'C/é', 'D'];

class Tree {
  readonly #root: string;
  readonly #outside: string;
  readonly #random: (below: number) => number;
  #made = 0;

  constructor(root: string, outside: string, seed: number) {
    this.#root = root;
    this.#outside = outside;
    this.#random = randomOf(seed);
  }

  build(): void {
    for (const folder of FOLDERS)
      for (let n = 0; n < 3; n += 1) writeBook(join(this.#root, folder, `Book ${n}.cbz`), 1, `${folder} ${n}`);
    chmodSync(this.#root, 0o755);
  }

  /** Modes are restored first, so that changes of one round do not block the next. */
  open(): void {
    for (const path of pathsBelow(this.#root)) {
      const stat = lstatSync(join(this.#root, path), { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) chmodSync(join(this.#root, path), 0o755);
      else if (stat?.isFile() === true) chmodSync(join(this.#root, path), 0o644);
    }
  }

  change(): void {
    for (let n = 0; n < 6; n += 1) this.#one();
    const closed = pathsBelow(this.#root).filter((path) => lstatSync(join(this.#root, path)).isDirectory());
    for (const path of closed.reverse()) {
      const mode = [0o755, 0o755, 0o000, 0o744, 0o711][this.#random(5)] ?? 0o755;
      chmodSync(join(this.#root, path), mode);
    }
  }

  #one(): void {
    const all = pathsBelow(this.#root);
    const path = all[this.#random(all.length)];
    if (path === undefined) return;
    const full = join(this.#root, path);
    const stat = lstatSync(full, { throwIfNoEntry: false });
    if (stat === undefined) return;
    this.#made += 1;
    switch (this.#random(6)) {
      case 0:
        if (!stat.isDirectory()) rmSync(full);
        break;
      case 1: {
        if (stat.isSymbolicLink()) break;
        const kept = join(this.#outside, String(this.#made));
        renameSync(full, kept);
        symlinkSync(kept, full);
        break;
      }
      case 2:
        if (stat.isDirectory()) writeBook(join(full, `New ${this.#made}.cbz`), 1, `new ${this.#made}`);
        break;
      case 3:
        if (stat.isFile()) chmodSync(full, 0o000);
        break;
      case 4:
        if (stat.isDirectory())
          writeFileSync(
            Buffer.concat([Buffer.from(`${full}/stray `), Buffer.from([0xff]), Buffer.from(`${this.#made}.cbz`)]),
            'x',
          );
        break;
      default:
        if (stat.isSymbolicLink()) rmSync(full);
    }
  }
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** A data folder and a library for a user other than root. */
const withFolders = async (use: (shelf: string, scanner: Scanner) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-nobody-'));
  const shelf = join(folder, 'shelf');
  chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  mkdirSync(shelf);
  const scanner = startScanner(folder);
  try {
    await use(shelf, scanner);
  } finally {
    await scanner.stop();
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, { recursive: true, force: true });
  }
};

const sorted = (paths: Iterable<string>): string[] => [...paths].sort();

block(
  'a scan under another user: what cannot be read is not gone',
  (check) => {
    // Fails rather than skips: root can read everything, so the test needs another user.
    check('can run as another user', () => assert.ok(isRoot, 'run this test as root on Linux (in a container, say)'));
    if (!isRoot) return;
    for (let seed = 1; seed <= (IS_FULL ? 4 : 1); seed += 1)
      check(`a random tree keeps the books that the model keeps (${seed})`, () =>
        withFolders(async (shelf, scanner) => {
          const outside = mkdtempSync(join(tmpdir(), 'longbox-outside-'));
          const tree = new Tree(shelf, outside, seed * 7919);
          tree.build();
          let live = new Set((await scanner.scan('normal')).books);
          assert.is(live.size, FOLDERS.length * 3);
          for (let round = 0; round < (IS_FULL ? 10 : 5); round += 1) {
            tree.open();
            tree.change();
            const found = new Set((await scanner.scan(round % 4 === 3 ? 'deep' : 'normal')).books);
            const where = `seed ${seed}, round ${round}`;
            const lost = [...live].filter((path) => !found.has(path));
            assert.equal(
              lost.filter((path) => !isKnownAbsent(shelf, path)),
              [],
              `${where}: lost without a reason`,
            );
            const expected = new Set([...live].filter((path) => !isKnownAbsent(shelf, path)));
            for (const path of pathsBelow(shelf)) if (path.endsWith('.cbz') && isSeen(shelf, path)) expected.add(path);
            assert.equal(sorted(found), sorted(expected), where);
            live = found;
          }
          rmSync(outside, { recursive: true, force: true });
        }),
      );
    const [folders, unreadable] = IS_FULL ? [400, 150] : [130, 110];
    check(`${unreadable} unreadable folders of ${folders} keep their books, and the message says how many`, () =>
      withFolders(async (shelf, scanner) => {
        for (let n = 0; n < folders; n += 1) writeBook(join(shelf, `Folder ${n}`, 'Book.cbz'), 1, `book ${n}`);
        assert.is((await scanner.scan('normal')).books.length, folders);
        for (let n = 0; n < unreadable; n += 1) chmodSync(join(shelf, `Folder ${n}`), 0o000);
        for (const mode of ['normal', 'deep'] as const) {
          const { books, warnings } = await scanner.scan(mode);
          assert.is(books.length, folders, mode);
          assert.ok(warnings.length <= 101 && warnings.length >= 100, String(warnings.length));
        }
      }),
    );
    check('120 names that are not UTF-8 and 100 unreadable folders keep every book', () =>
      withFolders(async (shelf, scanner) => {
        for (let n = 0; n < 100; n += 1) writeBook(join(shelf, `Folder ${n}`, 'Book.cbz'), 1, `book ${n}`);
        assert.is((await scanner.scan('normal')).books.length, 100);
        for (let n = 0; n < 120; n += 1)
          writeFileSync(Buffer.concat([Buffer.from(`${shelf}/\xff\xfe`, 'latin1'), Buffer.from(`${n}.cbz`)]), 'x');
        for (let n = 0; n < 45; n += 1) chmodSync(join(shelf, `Folder ${n}`), 0o000);
        assert.is((await scanner.scan('normal')).books.length, 100);
      }),
    );
    check('a disk mounted with another character set loses no book', () =>
      withFolders(async (shelf, scanner) => {
        for (let n = 0; n < 5; n += 1) writeBook(join(shelf, 'Plain', `Book ${n}.cbz`), 1, `plain ${n}`);
        writeBook(join(shelf, 'Été', 'Livre.cbz'), 1, 'folder');
        writeBook(join(shelf, 'Plain', 'Été.cbz'), 1, 'file');
        assert.is((await scanner.scan('normal')).books.length, 7);
        renameSync(join(shelf, 'Plain', 'Été.cbz'), Buffer.from(join(shelf, 'Plain', '\xc9t\xe9.cbz'), 'latin1'));
        renameSync(join(shelf, 'Été'), Buffer.from(join(shelf, '\xc9t\xe9'), 'latin1'));
        assert.is((await scanner.scan('normal')).books.length, 7);
      }),
    );
    const [large, other] = IS_FULL ? [1100, 200] : [200, 40];
    check(`a folder that can be listed but not entered keeps its ${large} books`, () =>
      withFolders(async (shelf, scanner) => {
        for (let n = 0; n < large; n += 1) writeBook(join(shelf, 'Large', `Book ${n}.cbz`), 1, `book ${n}`);
        for (let n = 0; n < other; n += 1) writeBook(join(shelf, 'Other', `Book ${n}.cbz`), 1, `other ${n}`);
        assert.is((await scanner.scan('normal')).books.length, large + other);
        chmodSync(join(shelf, 'Large'), 0o744);
        assert.is((await scanner.scan('normal')).books.length, large + other);
        assert.is((await scanner.scan('deep')).books.length, large + other);
        chmodSync(join(shelf, 'Large'), 0o755);
        rmSync(join(shelf, 'Large', 'Book 7.cbz'));
        assert.is((await scanner.scan('normal')).books.length, large + other - 1);
      }),
    );
  },
  { deadlineS: 300 },
);
