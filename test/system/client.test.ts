// A client generated from the description: it compiles, refuses what is not described, and reads a book over the real socket.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { fetch } from '../described.js';
import { assert, block } from '../kit.js';
import { kill, type Program, startProgram } from './program.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GENERATOR = join(ROOT, 'node_modules/oazapfts/dist/cli.js');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Below the packages, so that the client finds its own. */
let folder = '';
let data = '';
/** The compiler's, about both programs. */
let complaints: readonly string[] = [];

const run = promisify(execFile);

/** What fixtures/client/read.ts takes and answers. */
interface Account {
  readonly username: string;
  readonly password: string;
}

type ReadAll = (address: string, account: Account) => Promise<unknown>;

/** The compiler's complaints; none when it is content. */
const compile = async (files: readonly string[]): Promise<readonly string[]> => {
  const options = [
    '--ignoreConfig',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
  ];
  const args = [
    COMPILER,
    ...options,
    '--types',
    'node',
    '--outDir',
    join(folder, 'out'),
    ...files.map((file) => join(folder, file)),
  ];
  const printed = await run(process.execPath, args, { cwd: folder }).catch((thrown: { stdout: string }) => thrown);
  return printed.stdout.split('\n').filter((line) => line.includes('error TS'));
};

const withBook = async (run: (program: Program, account: Account) => Promise<void>): Promise<void> => {
  const comics = join(data, 'comics', 'Alpha');
  mkdirSync(comics, { recursive: true });
  cpSync(fixture('books/one-page.cbz'), join(comics, 'one-page.cbz'));
  cpSync(fixture('books/six-pages-rar4.cbr'), join(comics, 'six-pages.cbr'));
  const program = await startProgram([join(data, 'comics'), '--data', join(data, 'data')]);
  const account = { username: 'ann', password: 'A-long-passw0rd!' };
  try {
    const body = JSON.stringify({ ...account, email: 'ann@example.org' });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${program.address}/api/v1/setup/initialize`, { method: 'POST', headers, body });
    await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
    await run(program, account);
  } finally {
    await kill(program);
  }
};

block(
  'a client generated from the description',
  (check) => {
    check('what no answer has, no body takes, or no status is, does not compile', async () => {
      assert.ok(
        complaints.every((line) => line.includes('wrong.ts')),
        complaints.join('\n'),
      );
      assert.equal(
        complaints.map((line) => /error (TS\d+)/.exec(line)?.[1]),
        ['TS2339', 'TS2322', 'TS2367'],
        complaints.join('\n'),
      );
    });
    check('a program against it compiles, logs in, lists, turns pages and keeps its place', async () => {
      assert.not.ok(complaints.some((line) => line.includes('read.ts')));
      const { readAll } = (await import(pathToFileURL(join(folder, 'out', 'read.js')).href)) as { readAll: ReadAll };
      await withBook(async ({ address }, account) => {
        assert.equal(await readAll(address, account), {
          me: 'ann',
          libraries: ['comics'],
          series: ['Alpha'],
          books: ['one-page', 'six-pages'],
          found: ['six-pages'],
          pages: Array.from({ length: 6 }, () => 'image/png'),
          progress: [null, '6, finished'],
          refused: 'Unauthorized',
        });
      });
    });
  },
  {
    before: async () => {
      folder = mkdtempSync(join(ROOT, 'dist', 'client-'));
      data = mkdtempSync(join(tmpdir(), 'longbox-client-'));
      for (const file of ['read.ts', 'wrong.ts']) cpSync(fixture(`client/${file}`), join(folder, file));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      await run(process.execPath, [GENERATOR, fixture('openapi.json'), join(folder, 'api.ts')]);
      complaints = await compile(['read.ts', 'wrong.ts']);
    },
    after: () => {
      for (const made of [folder, data]) rmSync(made, { recursive: true, force: true });
    },
    deadlineS: 120,
  },
);
