// Commands that print something and end, and the message on an unsupported Node version.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixture } from '../../fixtures/index.js';
import { writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const LAUNCHER = fileURLToPath(new URL('../../http/longbox.cjs', import.meta.url));

let folder = '';

const run = (args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
};

const underNode = (version: string) =>
  run([
    '-e',
    `Object.defineProperty(process.versions, 'node', { value: '${version}' }); process.argv.push('--version'); require(${JSON.stringify(LAUNCHER)});`,
  ]);

block(
  'small commands',
  (check) => {
    check('openapi with - prints the document and writes no file', () => {
      for (const args of [
        ['openapi', '--output=-'],
        ['openapi', '-o', '-'],
      ]) {
        const { status, stdout, stderr } = run([LAUNCHER, ...args]);
        assert.is(status, 0, stderr);
        assert.match((JSON.parse(stdout) as { openapi: string }).openapi, /^3\./);
      }
      assert.not.ok(existsSync(join(folder, '-')));
    });
    check('scan counts pages of comics, not positions in reflowable text', () => {
      const { status, stdout, stderr } = run([LAUNCHER, 'scan', join(folder, 'shelf'), '--json']);
      assert.is(status, 0, stderr);
      const { books, pages, unreadableCount } = JSON.parse(stdout) as Record<string, number>;
      assert.equal([books, pages, unreadableCount], [2, 4, 0]); // the text has one picture as a page
    });
    for (const version of ['18.20.8', '20.18.3', '21.7.3', '22.11.0'])
      check(`Node ${version} names the required version`, () => {
        const { status, stdout, stderr } = underNode(version);
        assert.equal([status, stdout], [1, '']);
        assert.match(stderr, new RegExp(`^Longbox needs Node 20\\.19 or newer, .*; this is Node ${version}\\.`));
      });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-commands-'));
      writeBook(join(folder, 'shelf', 'three.cbz'), 3, 'three');
      copyFileSync(fixture('books/childrens-literature.epub'), join(folder, 'shelf', 'text.epub'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
    deadlineS: 120,
  },
);
