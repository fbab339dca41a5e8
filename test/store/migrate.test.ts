// Steps of the schema: statements, and batches that go on where they were interrupted.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Statements, withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import type { BatchStep, Step } from '../../core/store/schema-step.js';
import { assert, block, thrownBy } from '../kit.js';

interface Place {
  readonly path: string;
  readonly backups: string;
}

const inFolder = async (body: (place: Place) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-migrate-'));
  try {
    await body({ path: join(folder, 'longbox.db'), backups: join(folder, 'backups') });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const all = <T>({ path }: Place, sql: string): Promise<T[]> =>
  withConnection(path, (connection) => connection.all<T>(sql));

const schemaOf = async (place: Place): Promise<number> =>
  (await all<{ user_version: number }>(place, 'PRAGMA user_version'))[0]?.user_version ?? 0;

const ROWS = 100;
const SIZE = 10;
const FILLED = `CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${ROWS}) INSERT INTO t (id, v) SELECT n, 0 FROM c;`;
const ADDED = 'ALTER TABLE t ADD COLUMN w INTEGER';

/** Rows that were done twice would have a 2. `onBatch` runs after the rows of a batch are written. */
const counting = (onBatch: (done: number) => void): BatchStep => ({
  name: 'counting',
  batch: async (statements: Statements, done: number) => {
    const changed = await statements.run('UPDATE t SET w = coalesce(w, 0) + 1 WHERE id > ? AND id <= ?', [
      done,
      done + SIZE,
    ]);
    onBatch(done);
    return changed === 0 ? null : { key: done + SIZE, lastKey: ROWS };
  },
});

const BEFORE: readonly Step[] = [FILLED];

block('migrations', (check) => {
  check('a new database gets the newest schema without a copy, and a newer one is refused', () =>
    inFolder(async (place) => {
      const { path, backups } = place;
      const notes: string[] = [];
      const onNote = (note: string): void => void notes.push(note);
      assert.equal(
        await migrate(path, backups, { onNote }),
        MIGRATIONS.map((_, index) => index + 1),
      );
      assert.equal(await migrate(path, backups, { onNote }), []);
      assert.not.ok(existsSync(backups));
      assert.equal(notes, []);
      await withConnection(path, (connection) => connection.exec('PRAGMA user_version = 99'));
      assert.match(String(await thrownBy(() => migrate(path, backups))), /schema 99/);
    }),
  );
  check('batches that fail go on after the last that is stored, with one copy, and the schema moves at their end', () =>
    inFolder(async (place) => {
      const { path, backups } = place;
      await migrate(path, backups, { steps: BEFORE });
      for (const failsAt of [0, 30, 30, 80]) {
        const step = counting((done) => {
          if (done === failsAt) throw new Error('interrupted');
        });
        assert.match(
          String(await thrownBy(() => migrate(path, backups, { steps: [FILLED, ADDED, step] }))),
          /interrupted/,
        );
        assert.is(await schemaOf(place), 2);
        assert.equal(await all(place, 'SELECT count(*) AS n FROM t WHERE w = 1'), [{ n: failsAt }]);
      }
      const notes: string[] = [];
      const steps = [FILLED, ADDED, counting(() => undefined), 'CREATE TABLE u (id INTEGER PRIMARY KEY)'];
      assert.equal(await migrate(path, backups, { steps, onNote: (note) => void notes.push(note) }), [3, 4]);
      assert.equal(await all(place, 'SELECT w, count(*) AS n FROM t GROUP BY w'), [{ w: 1, n: ROWS }]);
      // How far the batches are is noted at most once a second, so the last may be missing.
      const told = notes.filter((note) => !note.includes(`${ROWS} of ${ROWS}`));
      assert.equal(told, [
        'upgrading the database to schema 3 of 4',
        `upgrading the database, counting: 90 of ${ROWS}`,
        'upgrading the database to schema 4 of 4',
      ]);
      assert.equal(readdirSync(backups), ['longbox-schema-1.db']);
      assert.is(statSync(join(backups, 'longbox-schema-1.db')).mode & 0o777, 0o600);
      assert.equal(await all(place, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"), [
        { name: 't' },
        { name: 'u' },
      ]);
    }),
  );
  check('the first statements of a step of batches run once, with its first batch', () =>
    inFolder(async (place) => {
      const { path, backups } = place;
      await migrate(path, backups, { steps: BEFORE });
      for (const failsAt of [0, 30]) {
        const step = counting((done) => {
          if (done === failsAt) throw new Error('interrupted');
        });
        assert.match(
          String(await thrownBy(() => migrate(path, backups, { steps: [FILLED, { ...step, first: ADDED }] }))),
          /interrupted/,
        );
        const [added] = await all<{ n: number }>(
          place,
          "SELECT count(*) AS n FROM pragma_table_info('t') WHERE name = 'w'",
        );
        assert.is(added?.n, failsAt === 0 ? 0 : 1);
      }
      await migrate(path, backups, { steps: [FILLED, { ...counting(() => undefined), first: ADDED }] });
      assert.equal(await all(place, 'SELECT w, count(*) AS n FROM t GROUP BY w'), [{ w: 1, n: ROWS }]);
      await migrate(path, backups, {
        steps: [FILLED, ADDED, { name: 'nothing', first: 'CREATE TABLE u (id INTEGER)', batch: async () => null }],
      });
      assert.equal(await all(place, 'SELECT * FROM u'), []);
    }),
  );
  check('a second step of batches begins at its own beginning', () =>
    inFolder(async (place) => {
      const begun: number[] = [];
      const twice = counting((done) => void begun.push(done));
      await migrate(place.path, place.backups, { steps: BEFORE });
      await migrate(place.path, place.backups, { steps: [FILLED, ADDED, twice, twice] });
      assert.equal(await all(place, 'SELECT w, count(*) AS n FROM t GROUP BY w'), [{ w: 2, n: ROWS }]);
      assert.is(begun.filter((done) => done === 0).length, 2);
    }),
  );
  check('a step of batches that comes no further fails instead of running for ever', () =>
    inFolder(async ({ path, backups }) => {
      const step: BatchStep = { name: 'standing still', batch: async () => ({ key: 0, lastKey: ROWS }) };
      await migrate(path, backups, { steps: BEFORE });
      assert.match(String(await thrownBy(() => migrate(path, backups, { steps: [FILLED, step] }))), /standing still/);
    }),
  );
  check(
    'a step of statements that fails changes nothing; what was written after it is in the copy of the next try',
    () =>
      inFolder(async (place) => {
        const { path, backups } = place;
        await migrate(path, backups, { steps: BEFORE });
        const steps = [FILLED, `${ADDED}; UPDATE t SET w = 5; SELECT no_such_function();`];
        assert.match(String(await thrownBy(() => migrate(path, backups, { steps }))), /no_such_function/);
        assert.is(await schemaOf(place), 1);
        assert.equal(await all(place, "SELECT count(*) AS n FROM pragma_table_info('t')"), [{ n: 2 }]);
        await withConnection(path, (connection) => connection.exec('UPDATE t SET v = 7'));
        await migrate(path, backups, { steps: [FILLED, ADDED] });
        const copy = { path: join(backups, 'longbox-schema-1.db'), backups };
        assert.equal(await all(copy, 'SELECT v, count(*) AS n FROM t GROUP BY v'), [{ v: 7, n: ROWS }]);
      }),
  );
});
