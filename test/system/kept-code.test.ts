// Bytecode that the build keeps beside the program: a start uses it, but never for another text.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, block } from '../kit.js';

const KEPT_CODE = fileURLToPath(new URL('../../http/kept-code.cjs', import.meta.url));
const { keep } = createRequire(import.meta.url)(KEPT_CODE) as { keep(file: string): void };

let folder = '';
const file = (): string => join(folder, 'main.cjs');
const code = (): string => `${file()}.code`;

/** What the file prints in a process of its own, with the bytecode or without. */
const said = (...options: readonly string[]): string => {
  const script = `console.log(require(${JSON.stringify(KEPT_CODE)}).run(${JSON.stringify(file())}).word)`;
  const { stdout, stderr } = spawnSync(process.execPath, [...options, '-e', script], { encoding: 'utf8' });
  return stdout.trim() || stderr;
};

const write = (word: string): void =>
  writeFileSync(file(), `exports.word = ${JSON.stringify(word)} + require('node:path').sep + __filename.length;`);

block(
  'bytecode of the program',
  (check) => {
    check('a file runs the same with its bytecode', () => {
      write('one');
      const plain = said();
      assert.match(plain, /^one\/\d+$/);
      keep(file());
      assert.is(said(), plain);
    });
    check('it is used: bytecode of another text, under the hash of this one, answers as that one', () => {
      const hash = readFileSync(code()).subarray(0, 32);
      write('two');
      keep(file());
      const made = readFileSync(code());
      write('one');
      writeFileSync(code(), Buffer.concat([hash, made.subarray(32)]));
      assert.match(said(), /^two/);
      assert.match(said('--enable-source-maps'), /^one/);
    });
    check('bytecode of another text of the same length is not used', () => {
      keep(file());
      write('six');
      assert.match(said(), /^six/);
    });
    check('nor is damaged bytecode, or that of another version of Node', () => {
      keep(file());
      const whole = readFileSync(code());
      writeFileSync(code(), whole.subarray(0, 20));
      assert.match(said(), /^six/);
      writeFileSync(code(), whole.subarray(0, whole.length - 100));
      assert.match(said(), /^six/);
      copyFileSync(file(), code());
      assert.match(said(), /^six/);
      const foreign = Buffer.from(whole);
      foreign.fill(7, 32, 48);
      writeFileSync(code(), foreign);
      assert.match(said(), /^six/);
    });
    check('nor is bytecode by a Node of another version, even if V8 would take it', () => {
      write('two');
      const script = `Object.defineProperty(process, 'version', { value: 'v20.0.0' }); require(${JSON.stringify(KEPT_CODE)}).keep(${JSON.stringify(file())})`;
      assert.is(spawnSync(process.execPath, ['-e', script]).status, 0);
      const other = readFileSync(code());
      keep(file());
      const own = readFileSync(code());
      assert.not.ok(own.subarray(0, 32).equals(other.subarray(0, 32)));
      write('one');
      keep(file());
      const hashOfOne = readFileSync(code()).subarray(0, 32);
      writeFileSync(code(), Buffer.concat([hashOfOne, other.subarray(32)]));
      assert.match(said(), /^two/, 'V8 takes it under a hash of this version');
      write('two');
      writeFileSync(code(), other);
      write('six');
      assert.match(said(), /^six/);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-kept-code-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
