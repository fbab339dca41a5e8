// Which build of uWebSockets.js is loaded: the owner's, ours, or none, and what is said then.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, block } from '../kit.js';
import { NO_UWS } from './back-end.js';

const BINARY = new URL('../../http/server/uws-binary.js', import.meta.url).href;
let folder = '';

/** What a process prints about the library, with an official package that reads so, on a machine of that kind. */
const loaded = (official: string | null, arch: string = process.arch): string => {
  const packages = mkdtempSync(join(folder, 'modules-'));
  if (official !== null) {
    mkdirSync(join(packages, 'uWebSockets.js'));
    writeFileSync(join(packages, 'uWebSockets.js', 'index.js'), official);
  }
  const script = `Object.defineProperty(process, 'arch', { value: '${arch}' });
    const found = (await import('${BINARY}')).loadUwsBinary();
    console.log(typeof found === 'string' ? found : found.origin ?? 'ours');`;
  const env = { ...process.env, NODE_PATH: packages };
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' }).trim();
};

const BROKEN = 'throw new Error("supports only Node 99\\n\\nCannot find ./uws_linux.node")';
const EMPTY = 'module.exports = {}';
const SOUND =
  'module.exports = { origin: "the owner\'s", App() {}, us_listen_socket_close() {}, us_socket_local_port() {} }';

block(
  'the build of uWebSockets.js',
  (check) => {
    check('on a machine for which there is none, that is said', () =>
      assert.is(loaded(null, 'mips'), `Longbox has no build of uWebSockets.js for ${process.platform} mips`),
    );
    check('an official package that does not load is named, with its reason in one line', () => {
      const message = loaded(BROKEN, 'mips');
      assert.match(
        message,
        /^the installed uWebSockets\.js does not load: supports only Node 99 Cannot find \.\/uws_linux/,
      );
      assert.match(message, /; Longbox has no build of uWebSockets\.js for \S+ mips$/);
    });
    check('an official package without the functions that are needed is named', () =>
      assert.match(loaded(EMPTY, 'mips'), /^the installed uWebSockets\.js does not provide the functions/),
    );
    check('an official package that loads comes first', () => assert.is(loaded(SOUND), "the owner's"));
    if (NO_UWS === null)
      check('without it, or where it does not load, ours is taken', () => {
        assert.is(loaded(null), 'ours');
        assert.is(loaded(BROKEN), 'ours');
      });
    else
      check('for another Node, the one that has a build is named', () =>
        assert.match(
          loaded(null),
          /has a build of uWebSockets\.js for Node 20, not for Node \d+\.\d+\.\d+; the README/,
        ),
      );
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-uws-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
