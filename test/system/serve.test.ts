// The program as its owner meets it: starting, asking, stopping, and what it says when it cannot.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { fetch } from '../described.js';
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, NO_UWS } from './back-end.js';
import { type Program, spawnProgram, startProgram } from './program.js';

let folder = '';

const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };

const post = (program: Program, path: string, body: unknown, token = ''): Promise<Response> =>
  fetch(`${program.address}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

const stop = async (program: Program): Promise<number | null> => {
  program.child.kill('SIGTERM');
  return program.ended;
};

/** What happens to the cache between two starts, and what the program prints at the second one. */
interface Mishap {
  readonly happen: (cache: string) => void;
  readonly words: RegExp;
}

const DAMAGED: Mishap = {
  happen: (cache) => writeFileSync(join(cache, 'data.mdb'), 'garbage'),
  words: /cache was damaged/,
};
const REMOVED: Mishap = { happen: (cache) => rmSync(cache, { recursive: true }), words: /longbox listening/ };

/** Any backend, named in the environment. */
const readsPages = async (backend: string, { happen, words }: Mishap): Promise<void> => {
  const data = join(folder, `data-${backend}`);
  const program = await startProgram([join(folder, 'comics'), '--data', data], { SVC_HTTP__BACKEND: backend });
  assert.is((await fetch(`${program.address}/health`)).status, 200);
  const { access_token: token } = (await (await post(program, '/setup/initialize', ADMIN)).json()) as {
    access_token: string;
  };
  await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
  const get = (path: string): Promise<Response> =>
    fetch(`${program.address}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const list = await get('/books');
  assert.equal([list.headers.get('vary'), list.headers.get('content-encoding')], ['Accept-Encoding', 'gzip']);
  const { data: books } = (await list.json()) as {
    data: { id: string; pageCount: number; title: string; path: string }[];
  };
  assert.equal(
    books.map(({ title, pageCount }) => [title, pageCount]),
    [
      ['six-pages', 6],
      ['webtoon-strip', 3],
    ],
  );
  for (const book of books) {
    for (let page = 1; page <= book.pageCount; page += 1)
      assert.is((await get(`/books/${book.id}/pages/${page}`)).status, 200);
    const file = Buffer.from(await (await get(`/books/${book.id}/file`)).arrayBuffer());
    assert.ok(file.equals(readFileSync(book.path)), 'the file arrives byte for byte');
    const thumbnail = await get(`/books/${book.id}/thumbnail`);
    assert.equal([thumbnail.status, thumbnail.headers.get('content-type')], [200, 'image/jpeg']);
  }
  assert.is(await stop(program), 0, program.printed());
  assert.match(program.printed(), /SIGTERM: stopping\n(?:covers of .*\n)?.*stopped\n$/);
  assert.is(statSync(join(data, 'longbox.db')).mode & 0o777, 0o600);
  for (const name of readdirSync(join(data, 'secrets')))
    assert.is(statSync(join(data, 'secrets', name)).mode & 0o777, 0o600, 'secrets are readable only by their owner');
  happen(join(data, 'cache'));
  const again = await startProgram([join(folder, 'comics'), '--data', data], { SVC_HTTP__BACKEND: backend });
  assert.is(
    (await fetch(`${again.address}/api/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status,
    200,
    'a login survives a restart',
  );
  assert.match(again.printed(), words);
  // A signal that arrives twice, as when npm passes it on.
  again.child.kill('SIGINT');
  assert.is(await stop(again), 0, again.printed());
  assert.match(again.printed(), /stopped\n$/);
};

/** A name that clears the screen, sets the window title and adds a line of its own. */
const STEERING = '\u001b[2J\u001b]0;OWNED\u0007x\nscan of comics completed: all fine.cbz';

const printsNames = async (): Promise<void> => {
  const odd = join(folder, 'odd');
  mkdirSync(odd, { recursive: true });
  writeFileSync(join(odd, STEERING), 'no archive');
  const isSafe = (text: string): void => {
    assert.not.ok(text.includes('\u001b') || text.includes('\u0007'));
    assert.not.match(text, /^scan of comics/m);
    assert.match(text, /OWNED\?x\?scan of comics/);
  };
  for (const [args, code] of [
    [[], 0],
    [['--strict'], 1],
  ] as const) {
    const survey = spawnProgram(['scan', odd, ...args], {});
    assert.is(await survey.ended, code);
    isSafe(survey.printed());
  }
  const program = await startProgram([odd, '--data', join(folder, 'data-odd')], {});
  await until('the scan completes', () => /scan of odd completed/.test(program.printed()));
  assert.is(await stop(program), 0);
  isSafe(program.printed());
};

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** As npm does it: the script in a shell, which alone gets the signal. */
const stopsUnderShell = async (): Promise<void> => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const command = `${scripts.start} serve --port 0 --host 127.0.0.1 --data "$0"`;
  const child = spawn('sh', ['-c', command, join(folder, 'scripted')], { cwd: ROOT, detached: true });
  const ended = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  try {
    await until('it listens', () => text.includes('longbox listening'));
    child.kill('SIGTERM');
    assert.equal(await ended, [0, null], text);
    await until('its last line arrives', () => text.includes('stopped'));
  } finally {
    killGroup(child.pid);
  }
};

/** Whatever the shell left behind. */
const killGroup = (id: number | undefined): void => {
  try {
    if (id !== undefined) process.kill(-id, 'SIGKILL');
  } catch {
    // nothing is left
  }
};

const sentences = (check: Check): void => {
  const cases: readonly (readonly [
    fact: string,
    args: readonly string[],
    environment: Record<string, string>,
    code: number,
    words: RegExp,
  ])[] = [
    ['a folder that is missing', ['/nowhere/at/all'], {}, 1, /^longbox: There is no folder "\/nowhere\/at\/all"\.$/m],
    ['a word for nothing', ['comicz-nowhere'], {}, 2, /"comicz-nowhere" is neither a command nor a folder\.$/m],
    ['a folder of the system', ['/proc'], {}, 1, /^longbox: Cannot serve "\/proc": A library cannot be in \/proc/m],
    ['an unknown option', ['--prot', '80'], {}, 2, /--port/],
    ['a port that is no number', ['--port', 'abc'], {}, 2, /port/],
    ['an unknown variable', [], { SVC_APPLICATION__PROT: '80' }, 1, /SVC_APPLICATION__PORT/],
    ['a single underscore', [], { SVC_DATA_DIRR: 'x' }, 1, /SVC_DATA_DIR/],
  ];
  for (const [fact, args, environment, code, words] of cases) {
    check(`${fact} ends the start with a message`, async () => {
      const program = spawnProgram([...args, '--data', join(folder, 'never')], environment);
      assert.is(await program.ended, code, program.printed());
      assert.match(program.printed(), words);
      assert.not.ok(/\n {4}at /.test(program.printed()), 'no stack');
    });
  }
  check('folders that contain each other are refused before the server listens', async () => {
    const comics = join(folder, 'comics');
    const program = spawnProgram([comics, join(comics, 'Corpus'), '--data', join(folder, 'nested'), '--port', '0']);
    assert.is(await program.ended, 1, program.printed());
    assert.match(program.printed(), /lies inside/);
    assert.not.match(program.printed(), /listening/);
  });
  check('a port in use is reported', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await until('it listens', () => taken.listening);
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    for (const { name: backend } of BACK_ENDS) {
      const program = spawnProgram(
        ['serve', '--data', join(folder, 'port'), '--port', String(port), '--host', '127.0.0.1'],
        { SVC_HTTP__BACKEND: backend },
      );
      assert.is(await program.ended, 1, program.printed());
      assert.match(program.printed(), /in use/);
    }
    taken.close();
  });
  for (const { name } of BACK_ENDS)
    check(`two servers never share a port or a data folder (${name})`, async () => {
      const environment = { SVC_HTTP__BACKEND: name };
      const first = await startProgram(['--data', join(folder, `first-${name}`)], environment);
      const { port } = new URL(first.address);
      for (const [data, portArg, words] of [
        [`second-${name}`, port, /in use/],
        [`first-${name}`, '0', new RegExp(String(first.child.pid))],
      ] as const) {
        const place = ['--data', join(folder, data), '--host', '127.0.0.1', '--port', portArg];
        const second = spawnProgram(['serve', ...place], environment);
        assert.is(await second.ended, 1, second.printed());
        assert.match(second.printed(), words);
      }
      assert.is(await stop(first), 0);
    });
};

block(
  'the program',
  (check) => {
    for (const [index, { name }] of BACK_ENDS.entries()) {
      const mishap = index === 0 ? DAMAGED : REMOVED;
      check(`serves a folder over ${name} from start to stop, and again after losing its cache`, () =>
        readsPages(name, mishap),
      );
    }
    if (NO_UWS !== null) check.skip('serves a folder over uws from start to stop', NO_UWS);
    check('SIGTERM to the shell of the start script stops the server', stopsUnderShell);
    check('a file name cannot send escape sequences or fake a line of output', printsNames);
    sentences(check);
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-serve-'));
      const comics = join(folder, 'comics', 'Corpus');
      mkdirSync(comics, { recursive: true });
      for (const name of ['six-pages.cbz', 'webtoon-strip.cbz'])
        writeFileSync(join(comics, name), readFileSync(fixture(`books/${name}`)));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
    deadlineS: 60,
  },
);
