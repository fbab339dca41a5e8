// Requested analyses: each is a task with its own id, and repeating a request gives the same task.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary } from '../../core/catalog/libraries.js';
import { type Batch, SYSTEM } from '../../core/store/feed.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { insertMany } from './many-books.js';

const BOOKS = 5;
const MANY = 1200;

const within = async (
  use: (temp: TempApp, ask: (path: string) => Promise<Answer>) => Promise<void>,
  folder?: string,
): Promise<void> => {
  const temp = await tempApp(folder === undefined ? {} : { folder });
  try {
    for (let n = 0; n < BOOKS; n += 1) writeBook(join(temp.shelf, 'A', `Book ${n}.cbz`), 2, `book ${n}`);
    const { app } = temp;
    const library = await createLibrary(app.db, app.clock, SYSTEM, { name: 'S', path: temp.shelf }, app.ownFolders);
    await app.scans.start(library, { mode: 'normal' });
    await until('the scan ends', () => app.scans.active().length === 0);
    const token = await temp.tokenOf('admin');
    await use(temp, (path) => temp.call('POST', `/api/v1${path}`, { token }));
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

const idOf = async ({ app }: TempApp, table: 'book' | 'series'): Promise<string> =>
  (await app.db.all<{ id: string }>(`SELECT lower(hex(uuid)) AS id FROM ${table} LIMIT 1`))[0]?.id.replace(
    /^(.{8})(.{4})(.{4})(.{4})/,
    '$1-$2-$3-$4-',
  ) ?? '';

block('requested analyses', (check) => {
  check('the answer names a task, which ends when the books are read', () =>
    within(async (temp, ask) => {
      for (const [kind, table, count] of [
        ['books', 'book', 1],
        ['series', 'series', BOOKS],
      ] as const) {
        const { json } = await ask(`/${kind}/${await idOf(temp, table)}/analyze`);
        assert.is(json.count, count);
        const { db } = temp.app;
        await until('it is done', async () => (await taskById(db, json.taskId)).state === 'completed');
        const { type, current, total } = await taskById(db, json.taskId);
        assert.equal({ type, current, total }, { type: `analyze_${table}`, current: count, total: count });
        assert.equal(await db.all('SELECT id FROM book WHERE due = 1 OR analyzed = 0'), []);
      }
    }),
  );
  check('a repeated request is the same task while it waits or runs, and the books are read again', () =>
    within(async (temp, ask) => {
      const path = `/series/${await idOf(temp, 'series')}/analyze`;
      const answers = await Promise.all([ask(path), ask(path), ask(path)]);
      const ids = new Set(answers.map(({ json }) => json.taskId));
      assert.is(ids.size, 1);
      const { db } = temp.app;
      for (const id of ids) await until('it is done', async () => (await taskById(db, id)).state === 'completed');
      assert.equal(await db.all('SELECT id FROM book WHERE due = 1'), []);
    }),
  );
  check('tasks are created in the name of whoever wants them', () =>
    within(async (temp, ask) => {
      const { db, scans } = temp.app;
      const told: Batch[] = [];
      db.feed.listen({ onBatch: (batch) => told.push(batch), forget: () => undefined });
      const [library] = await db.all<{ id: string }>('SELECT lower(hex(uuid)) AS id FROM library');
      const id = library?.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      for (const path of [
        `/books/${await idOf(temp, 'book')}/analyze`,
        `/series/${await idOf(temp, 'series')}/analyze`,
        `/libraries/${id}/scan`,
      ])
        assert.is((await ask(path)).status, 200, path);
      await until('the scan ends', () => scans.active().length === 0);
      const admin = await db.all<{ id: number }>("SELECT id FROM user WHERE role = 'admin'");
      const created = told.filter(({ reports }) =>
        reports.some(({ kind, change }) => kind === 'task' && change === 'created'),
      );
      // The server may have created others, such as one that settles series.
      const wanted = created.flatMap(({ by }) => (by === SYSTEM ? [] : [by]));
      assert.equal(wanted, [admin[0]?.id, admin[0]?.id, admin[0]?.id]);
    }),
  );
  check('many books are marked in batches, and all of them before the task', async () => {
    const temp = await tempApp();
    try {
      const { db } = temp.app;
      await db.write(SYSTEM, 'background', async (tx) => {
        await insertMany(tx, { library: 1, root: temp.shelf, sizes: [MANY] });
        await tx.run("INSERT INTO book_error SELECT id, 'parser', 'broken', 'CorruptArchive', 0 FROM book");
      });
      const heard: Batch[] = [];
      db.feed.listen({ onBatch: (batch) => heard.push(batch), forget: () => undefined });
      const token = await temp.tokenOf('admin');
      const { json } = await temp.call('POST', '/api/v1/books/retry-all-errors', { token });
      assert.equal(json.tasksEnqueued, MANY);
      const task = heard.findIndex(({ reports }) => reports.some(({ kind }) => kind === 'task'));
      const books = heard
        .slice(0, task + 1)
        .map(({ reports }) => reports.flatMap(({ kind, keys }) => (kind === 'book' ? [...keys] : [])));
      assert.ok(books.every((keys) => keys.length <= 500));
      assert.is(new Set(books.flat()).size, MANY);
    } finally {
      await temp.close();
    }
  });
  check('a restart resumes a request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-requests-'));
    try {
      let taskId = '';
      await within(async (temp, ask) => {
        const { json } = await ask(`/series/${await idOf(temp, 'series')}/analyze`);
        taskId = json.taskId;
      }, folder);
      const again = await tempApp({ folder });
      const { db } = again.app;
      try {
        await until('it is done', async () => (await taskById(db, taskId)).state === 'completed');
        assert.equal(await db.all('SELECT id FROM book WHERE due = 1'), []);
      } finally {
        await again.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
