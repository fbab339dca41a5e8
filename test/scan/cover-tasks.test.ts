// Covers made by a task, through the engine: which books it takes, what it leaves alone, and how it resumes after a stop.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidOfBytes } from '../../core/model/ids.js';
import { coverKey, versionOf } from '../../core/pages/version.js';
import type { Task } from '../../core/tasks/task.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

/** The first engine makes covers of this size; tasks make the other size. */
const SIZES = { before: '32', after: '16' } as const;
const BOOKS = { One: 3, Two: 2 } as const;

const withEngine = async <T>(folder: string, size: string, use: (temp: TempApp) => Promise<T>): Promise<T> => {
  const temp = await tempApp({ folder, overrides: [{ key: 'thumbnail.max_dimension', text: size }] });
  try {
    const value = await use(temp);
    assert.equal(temp.faults, []);
    return value;
  } finally {
    await temp.close();
  }
};

interface Library {
  readonly id: string;
  readonly token: string;
}

/** Two scanned libraries; the first has an additional unreadable book and a deleted one. */
const stocked = (folder: string): Promise<Record<keyof typeof BOOKS, Library>> =>
  withEngine(folder, SIZES.before, async (temp) => {
    const token = await temp.tokenOf('admin');
    const gone = join(temp.shelf, 'One', 'A', 'Gone.cbz');
    writeBook(gone, 1, 'gone');
    writeFileSync(join(temp.shelf, 'One', 'A', 'Broken.cbz'), 'no archive');
    const libraries: [string, Library][] = [];
    for (const [name, count] of Object.entries(BOOKS)) {
      const path = join(temp.shelf, name);
      for (let n = 1; n <= count; n += 1) writeBook(join(path, 'A', `${name} ${n}.cbz`), 1, `${name} ${n}`);
      const body = { name, path, scanImmediately: true };
      const { id } = (await temp.call('POST', '/api/v1/libraries', { token, body })).json;
      libraries.push([name, { id, token }]);
    }
    await until('the scans end', () => temp.app.scans.active().length === 0);
    rmSync(gone);
    const [, { id }] = libraries[0] ?? ['', { id: '' }];
    await temp.call('POST', `/api/v1/libraries/${id}/scan?acceptMissing=true`, { token });
    await until('the scan ends', () => temp.app.scans.active().length === 0);
    await coversMade(temp);
    return Object.fromEntries(libraries) as Record<keyof typeof BOOKS, Library>;
  });

const root = mkdtempSync(join(tmpdir(), 'longbox-covers-'));
/** The libraries know their books by the first path, so every test finds the folder there. */
const [used, kept] = [join(root, 'used'), join(root, 'kept')];
let libraries: Record<keyof typeof BOOKS, Library>;

/** Scanned once. */
const stock = async (): Promise<void> => {
  libraries = await stocked(used);
  cpSync(used, kept, { recursive: true, preserveTimestamps: true });
};

/** Restores the libraries as they were after that scan. */
const withLibraries = (
  use: (folder: string, libraries: Record<keyof typeof BOOKS, Library>) => Promise<void>,
): Promise<void> => {
  rmSync(used, { recursive: true });
  cpSync(kept, used, { recursive: true, preserveTimestamps: true });
  return use(used, libraries);
};

/** Keys of the covers of live books, for this engine's settings. */
const keysOf = async ({ app }: TempApp, library: string): Promise<string[]> => {
  const rows = await app.db.all<{ uuid: Uint8Array; revision: number; size: number; mtime: number }>(
    `SELECT b.uuid, b.revision, b.file_size AS size, b.file_mtime AS mtime FROM book b JOIN library l ON l.id = b.library_id
     WHERE l.name = ? AND b.deleted = 0 AND b.analyzed = 1 ORDER BY b.id`,
    [library],
  );
  const thumbnail = { side: Number(SIZES.after), quality: 85 };
  return rows.map(({ uuid, revision, size, mtime }) =>
    coverKey(uuidOfBytes(uuid), versionOf(revision, size, mtime), thumbnail),
  );
};

const there = async (temp: TempApp, library: string): Promise<number> =>
  (await keysOf(temp, library)).filter((key) => temp.app.blobs.has(key)).length;

const ended = async ({ app }: TempApp, id: string): Promise<Task> => {
  await until('the task ends', async () => !['pending', 'running'].includes((await taskById(app.db, id)).state));
  return taskById(app.db, id);
};

/** Counts cover jobs from now on; each waits while the gate is closed. */
const watched = ({ app: { pool } }: TempApp, isOpen: (job: number) => boolean = () => true): { jobs: number } => {
  const seen = { jobs: 0 };
  const { run } = pool;
  pool.run = async (name, input, options) => {
    if (name === 'cover') {
      seen.jobs += 1;
      const job = seen.jobs;
      await until('the gate opens', () => isOpen(job) || options.signal?.aborted === true);
    }
    return run.call(pool, name, input, options) as never;
  };
  return seen;
};

const facts = (check: Check): void => {
  check('missing covers of a library are made, and viewing them makes none', () =>
    withLibraries((folder, { One }) =>
      withEngine(folder, SIZES.after, async (temp) => {
        const seen = watched(temp);
        assert.is(await there(temp, 'One'), 0);
        const task = await ended(temp, await temp.app.covers.add({ kind: 'library', id: One.id }, false));
        assert.equal([task.state, task.error], ['completed', null]);
        assert.equal(task.result, { seen: BOOKS.One, made: BOOKS.One, failed: 0 });
        assert.equal([task.current, task.total], [BOOKS.One, BOOKS.One]);
        assert.equal([await there(temp, 'One'), await there(temp, 'Two')], [BOOKS.One, 0]);
        const { data } = (await temp.call('GET', `/api/v1/libraries/${One.id}/books`, { token: One.token })).json;
        const readable = data.filter(({ analyzed }: { analyzed: boolean }) => analyzed);
        assert.is(readable.length, BOOKS.One);
        for (const { id } of readable) {
          const { status, header } = await temp.call('GET', `/api/v1/books/${id}/thumbnail`, { token: One.token });
          assert.equal([status, header('content-type')], [200, 'image/jpeg']);
        }
        assert.is(seen.jobs, BOOKS.One);
      }),
    ),
  );
  check('a second run makes nothing unless forced; then a damaged one is repaired', () =>
    withLibraries((folder, { One }) =>
      withEngine(folder, SIZES.after, async (temp) => {
        const { covers, blobs } = temp.app;
        const [key = ''] = await keysOf(temp, 'One');
        await blobs.put(key, Buffer.from('damaged'));
        const target = { kind: 'library', id: One.id } as const;
        for (const [force, made] of [
          [false, BOOKS.One - 1],
          [false, 0],
          [true, BOOKS.One],
        ] as const) {
          assert.is(Buffer.from(blobs.get(key) ?? []).toString(), 'damaged');
          const { result } = await ended(temp, await covers.add(target, force));
          assert.equal(result, { seen: BOOKS.One, made, failed: 0 });
        }
        assert.equal([...(blobs.get(key) ?? []).slice(0, 2)], [0xff, 0xd8]);
      }),
    ),
  );
  check('for one series, one book, or everything; none for a deleted target', () =>
    withLibraries((folder, { One, Two }) =>
      withEngine(folder, SIZES.after, async (temp) => {
        const { covers } = temp.app;
        const first = async (path: string): Promise<string> =>
          (await temp.call('GET', `/api/v1/libraries/${path}`, { token: One.token })).json.data.find(
            ({ analyzed }: { analyzed?: boolean }) => analyzed !== false,
          ).id;
        const book = await first(`${Two.id}/books`);
        const series = await first(`${Two.id}/series`);
        for (const [target, seen, made] of [
          [{ kind: 'book', id: book }, 1, 1],
          [{ kind: 'series', id: series }, BOOKS.Two, BOOKS.Two - 1],
          [{ kind: 'series', id: book }, 0, 0],
          [null, BOOKS.One + BOOKS.Two, BOOKS.One],
        ] as const)
          assert.equal((await ended(temp, await covers.add(target, false))).result, { seen, made, failed: 0 });
      }),
    ),
  );
  check('a file that has vanished is counted, and costs no other book its cover', () =>
    withLibraries((folder, { One }) =>
      withEngine(folder, SIZES.after, async (temp) => {
        rmSync(join(temp.shelf, 'One', 'A', 'One 2.cbz'));
        const task = await ended(temp, await temp.app.covers.add({ kind: 'library', id: One.id }, false));
        assert.equal([task.state, task.result], ['completed', { seen: 3, made: 2, failed: 1 }]);
      }),
    ),
  );
  check('an equal request is the same task; a cancelled one keeps what it made', () =>
    withLibraries((folder, { One }) =>
      withEngine(folder, SIZES.after, async (temp) => {
        const { covers, tasks } = temp.app;
        const seen = watched(temp, () => false);
        const target = { kind: 'library', id: One.id } as const;
        const id = await covers.add(target, false);
        await until('it runs', () => seen.jobs > 0);
        assert.is(await covers.add(target, false), id);
        assert.is.not(await covers.add(target, true), id);
        await tasks.cancel(id);
        assert.is((await taskById(temp.app.db, id)).state, 'cancelled');
      }),
    ),
  );
  check('a stop halfway parks the task, and the next start makes the rest', () =>
    withLibraries(async (folder, { One }) => {
      const id = await withEngine(folder, SIZES.after, async (temp) => {
        const seen = watched(temp, (job) => job === 1);
        const task = await temp.app.covers.add({ kind: 'library', id: One.id }, false);
        await until('the first is made', async () => seen.jobs > 1 && (await there(temp, 'One')) === 1);
        return task;
      });
      await withEngine(folder, SIZES.after, async (temp) => {
        const task = await ended(temp, id);
        assert.equal([task.state, task.result], ['completed', { seen: 3, made: 2, failed: 0 }]);
        assert.is(await there(temp, 'One'), BOOKS.One);
      });
    }),
  );
};

block('covers made by a task', facts, {
  before: stock,
  after: () => rmSync(root, { recursive: true, force: true }),
});
