// The upgrade of a database of an earlier schema, killed before, in and after its copy and each of its steps: the next start finishes it, and
// leaves exactly what one leaves that nothing disturbed.
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { until } from '../app.js';
import { type Earlier, unpackEarlier } from '../earlier.js';
import { addRows, contentOf } from '../earlier-rows.js';
import { assert, block, IS_FULL } from '../kit.js';
import { COPY, killedAt, SCHEMA, scriptFor, spawnScript } from './killed-upgrade.js';
import { kill, spawnProgram, startProgram } from './program.js';

const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };
const NEWEST = MIGRATIONS.length;

interface Point {
  readonly name: string;
  readonly setUp: string;
}

const plain = (options: string): string => `await migrate(path, backups, ${options});`;
const atNote = (words: string): string =>
  plain(`{ onNote: (note) => note.includes(${JSON.stringify(words)}) && die() }`);

/** The statements of the step are done, and not committed. */
const inStep = (version: number): string =>
  `const steps = MIGRATIONS.map((step, index) => index !== ${version - 1} ? step : typeof step === 'string'
     ? { name: '', batch: async (connection) => { await connection.exec(step); die(); } }
     : { ...step, batch: async (...args) => { await step.batch(...args); die(); } });
   ${plain('{ steps }')}`;

const POINTS: readonly Point[] = [
  { name: 'before the copy', setUp: atNote('copying') },
  {
    name: 'in the copy',
    setUp: `dieWhen(() => existsSync(copy + '.partial') && statSync(copy + '.partial').size > 0); ${plain('{}')}`,
  },
  { name: 'after the copy', setUp: `dieWhen(() => existsSync(copy)); ${plain('{}')}` },
  ...MIGRATIONS.slice(SCHEMA).flatMap((_, index): readonly Point[] => {
    const version = SCHEMA + index + 1;
    return [
      { name: `before schema ${version}`, setUp: atNote(`schema ${version} of`) },
      { name: `in schema ${version}`, setUp: inStep(version) },
    ];
  }),
];

/** Outside a full run: those of the copy, and some within the steps. */
const isTried = (_: Point, index: number): boolean => IS_FULL || index < 3 || index % 16 === 0;

/** A step that counts how often each book was done, in batches. */
const BATCHES = `[...MIGRATIONS, 'ALTER TABLE book ADD COLUMN done INTEGER NOT NULL DEFAULT 0', {
  name: 'counting',
  batch: async (statements, done) => {
    const [row] = await statements.all('SELECT max(id) AS last FROM book');
    if (done >= row.last) return null;
    await statements.run('UPDATE book SET done = done + 1 WHERE id > ? AND id <= ?', [done, done + 7000]);
    if (done === fatal) die();
    return { key: done + 7000, lastKey: row.last };
  },
}]`;

let earlier: Earlier;
let root = '';
let before: ReadonlyMap<string, string>;
let undisturbed: ReadonlyMap<string, string>;

const contentAt = (path: string): Promise<ReadonlyMap<string, string>> => withConnection(path, contentOf);

/** A copy of the database of the earlier version, in a folder of its own. */
const inFolder = async (body: (path: string, backups: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(root, 'one-'));
  const path = join(folder, 'longbox.db');
  copyFileSync(earlier.database, path);
  await body(path, join(folder, 'backups'));
  rmSync(folder, { recursive: true });
};

const isWhole = async (path: string, backups: string): Promise<void> => {
  assert.equal(await checkDatabase(path, false), { schema: NEWEST, faults: [] });
  const found = await contentAt(path);
  assert.equal([...found.keys()], [...undisturbed.keys()]);
  for (const [table, rows] of undisturbed) assert.ok(found.get(table) === rows, `table "${table}" differs`);
  assert.equal(readdirSync(backups), [COPY]);
};

block(
  'an upgrade that is killed',
  (check) => {
    check('leaves the rows of before in the copy, and keeps them in the tables', async () => {
      await inFolder(async (path, backups) => {
        assert.is((await migrate(path, backups)).length, NEWEST - SCHEMA);
        await isWhole(path, backups);
        assert.is(statSync(join(backups, COPY)).mode & 0o077, 0, 'nobody else reads the copy');
        const copy = await contentAt(join(backups, COPY));
        for (const [table, rows] of before) assert.ok(copy.get(table) === rows, `table "${table}" of the copy differs`);
      });
    });
    for (const { name, setUp } of POINTS.filter(isTried))
      check(`${name}: the next start finishes it`, () =>
        inFolder(async (path, backups) => {
          await killedAt(scriptFor(path, backups, setUp));
          await migrate(path, backups);
          await isWhole(path, backups);
          assert.is((await checkDatabase(join(backups, COPY), true)).schema, SCHEMA);
        }),
      );
    check('in a batch, before it is stored: no row is left out or done twice', () =>
      inFolder(async (path, backups) => {
        const place = (): Promise<unknown> =>
          withConnection(path, (connection) => connection.all('SELECT reached FROM schema_upgrade'));
        for (const done of [0, 7000, 21_000, 35_000]) {
          await killedAt(scriptFor(path, backups, `const fatal = ${done}; ${plain(`{ steps: ${BATCHES} }`)}`));
          assert.equal(await place(), [{ reached: done }]);
          assert.is((await checkDatabase(path, true)).schema, NEWEST + 1);
        }
        const left = spawnScript(scriptFor(path, backups, `const fatal = -1; ${plain(`{ steps: ${BATCHES} }`)}`));
        assert.equal(await once(left, 'exit'), [0, null]);
        assert.equal(await checkDatabase(path, false), { schema: NEWEST + 2, faults: [] });
        const counted = await withConnection(path, (connection) => connection.all('SELECT DISTINCT done FROM book'));
        assert.equal(counted, [{ done: 1 }]);
        assert.equal(readdirSync(backups), [COPY]);
      }),
    );
    check('the program itself serves the folder at its next start', async () => {
      const own = await unpackEarlier();
      try {
        await addRows(own);
        const first = spawnProgram(['serve', '--data', own.data, '--port', '0'], CHEAP);
        await until('the copy begins', () => first.printed().includes('copying the database'));
        first.child.kill('SIGKILL');
        await first.ended;
        const program = await startProgram(['--data', own.data], CHEAP);
        assert.match(program.printed(), new RegExp(`database migrated to schema ${NEWEST}`));
        await kill(program);
        assert.equal(await checkDatabase(own.database, false), { schema: NEWEST, faults: [] });
        assert.equal(readdirSync(join(own.data, 'backups')), [COPY]);
      } finally {
        rmSync(own.folder, { recursive: true, force: true });
      }
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-upgrade-'));
      earlier = await unpackEarlier();
      await addRows(earlier);
      before = await contentAt(earlier.database);
      await inFolder(async (path, backups) => {
        await migrate(path, backups);
        undisturbed = await contentAt(path);
      });
    },
    after: () => {
      for (const folder of [root, earlier.folder]) rmSync(folder, { recursive: true, force: true });
    },
  },
);
