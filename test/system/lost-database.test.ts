// A database that is lost is not one that never was: the program does not offer the set-up to whoever comes first.
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, block, IS_FULL } from '../kit.js';
import { kill, spawnProgram, startProgram } from './program.js';

const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };
const MARKER = 'longbox.set-up';

let root = '';
const at = (...parts: readonly string[]): string => join(root, ...parts);

const post = (address: string, path: string): Promise<Response> =>
  fetch(`${address}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', email: 'admin@example.com', password: 'Secret123!' }),
  });

const withoutDatabase = (folder: string): void => {
  for (const name of readdirSync(folder)) if (name.startsWith('longbox.db')) rmSync(join(folder, name));
};

const empty = (folder: string): void => {
  withoutDatabase(folder);
  writeFileSync(join(folder, 'longbox.db'), '');
};

const withoutMarker = (folder: string): void => rmSync(join(folder, MARKER));

/** What happened to a folder that was set up, and what the refusal says. */
const losses: readonly (readonly [fact: string, lose: (folder: string) => void, words: RegExp])[] = [
  ['a database that is empty', empty, /is empty, but this data folder was in use before/],
  ['a database that is gone', withoutDatabase, /is missing, but this data folder was in use before/],
  [
    'an empty database in a folder of an earlier version, which left a cache',
    (folder) => {
      empty(folder);
      withoutMarker(folder);
      rmSync(join(folder, 'backups'), { recursive: true });
    },
    /is empty, but .* \(cache, secrets\)/,
  ],
  [
    'an empty database in a folder of an earlier version, which left a copy',
    (folder) => {
      empty(folder);
      withoutMarker(folder);
      rmSync(join(folder, 'cache'), { recursive: true });
    },
    /is empty, but .* \(backups, secrets\)/,
  ],
  [
    'an empty database beside nothing but secrets',
    (folder) => {
      empty(folder);
      withoutMarker(folder);
      for (const name of ['cache', 'backups']) rmSync(join(folder, name), { recursive: true });
    },
    /is empty, but .* \(secrets\)/,
  ],
  [
    'a database without users in the place of one that had some',
    (folder) => {
      withoutDatabase(folder);
      cpSync(at('never', 'longbox.db'), join(folder, 'longbox.db'));
    },
    /has no users, but/,
  ],
];

const refusal = async (folder: string): Promise<string> => {
  const program = spawnProgram(['serve', '--data', folder, '--port', '0', '--host', '127.0.0.1']);
  assert.is(await program.ended, 1, program.printed());
  assert.not.match(program.printed(), /\n {4}at /, 'no stack');
  return program.printed();
};

block(
  'a lost database',
  (check) => {
    for (const [index, [fact, lose, words]] of losses.entries()) {
      const stops = `${fact} stops the start, and the message says what to do`;
      if (!IS_FULL && fact.includes('earlier version')) {
        check.skip(stops, 'only in a full run');
        continue;
      }
      check(stops, async () => {
        const folder = at(`lost-${index}`);
        cpSync(at('set-up'), folder, { recursive: true });
        lose(folder);
        const before = existsSync(join(folder, 'longbox.db')) ? statSync(join(folder, 'longbox.db')).size : -1;
        const text = await refusal(folder);
        assert.match(text, words);
        if (existsSync(join(folder, 'backups')))
          assert.match(text, new RegExp(`longbox restore ${join(folder, 'backups', 'mine.db')}`));
        else assert.match(text, /longbox restore FILE/);
        assert.match(text, /To start over on purpose/);
        const after = existsSync(join(folder, 'longbox.db')) ? statSync(join(folder, 'longbox.db')).size : -1;
        assert.is(after, before, 'nothing was made in its place');
      });
    }
    check('both ways named in the message work: restoring, and starting over', async () => {
      for (const way of ['restore', 'anew']) {
        const folder = at(`way-${way}`);
        cpSync(at('set-up'), folder, { recursive: true });
        empty(folder);
        const text = await refusal(folder);
        if (way === 'restore') {
          const copy = /longbox restore (\S+\.db)/.exec(text)?.[1] ?? '';
          assert.is(await spawnProgram(['restore', copy, '--data', folder]).ended, 0);
        } else {
          for (const path of (/move these away: (.+)\./.exec(text)?.[1] ?? '').split(', '))
            rmSync(path, { recursive: true, force: true });
        }
        const program = await startProgram(['--data', folder], CHEAP);
        assert.is((await post(program.address, way === 'restore' ? '/auth/login' : '/setup/initialize')).status, 200);
        await kill(program);
      }
    });
    check('an interrupted first start is not a loss, wherever it was interrupted', async () => {
      for (const [cut, prepare] of [
        ['secrets', () => undefined],
        ['tables', (folder: string) => cpSync(at('never', 'longbox.db'), join(folder, 'longbox.db'))],
      ] as const) {
        const folder = at(`cut-${cut}`);
        cpSync(at('set-up', 'secrets'), join(folder, 'secrets'), { recursive: true });
        prepare(folder);
        const program = await startProgram(['--data', folder], CHEAP);
        assert.is((await post(program.address, '/setup/initialize')).status, 200, cut);
        await kill(program);
        assert.ok(existsSync(join(folder, MARKER)));
      }
    });
    check('a folder of an earlier version with users is marked at its next start', async () => {
      const folder = at('earlier');
      cpSync(at('set-up'), folder, { recursive: true });
      withoutMarker(folder);
      await kill(await startProgram(['--data', folder], CHEAP));
      assert.ok(existsSync(join(folder, MARKER)));
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-lost-'));
      const never = await startProgram(['--data', at('never')], CHEAP);
      never.child.kill('SIGTERM');
      assert.is(await never.ended, 0);
      const program = await startProgram(['--data', at('set-up')], CHEAP);
      assert.is((await post(program.address, '/setup/initialize')).status, 200);
      const copy = spawnProgram(['backup', at('set-up', 'backups', 'mine.db'), '--data', at('set-up')]);
      assert.is(await copy.ended, 0, copy.printed());
      await kill(program);
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 60,
  },
);
