// Tasks as clients ask for them: what is refused, what is hidden, and what people do to tasks that wait, run and have ended.
import { join } from 'node:path';
import { tellsOfNew } from '../../core/scan/visible-tasks.js';
import { SYSTEM } from '../../core/store/feed.js';
import { until, writeBook } from '../app.js';
import { held } from '../held-pool.js';
import { assert, block } from '../kit.js';
import { UNKNOWN_ID } from './row-bodies.js';
import { ended, type TaskShelf, withTaskShelf } from './task-shelf.js';

const HOUR_MS = 3_600_000;

const enqueue = async ({ ask }: TaskShelf, taskType: object, more: object = {}): Promise<string> => {
  const { status, json } = await ask('POST', '/tasks', { taskType, ...more });
  assert.is(status, 200, JSON.stringify(json));
  return json.taskId;
};

const fail = ({ temp }: TaskShelf, id: string): Promise<void> =>
  temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
    await tx.run(
      "UPDATE task SET state = 'failed', error = 'It did.', starts = 3, completed_at = ? WHERE lower(hex(uuid)) = ?",
      [temp.app.clock.now(), id.replaceAll('-', '')],
    );
    tx.report({ kind: 'task', change: 'updated', keys: 'all', aspects: 64 });
  });

block('rows of tasks', (check) => {
  check('what is no task is refused', () =>
    withTaskShelf(async ({ ask, bookId }) => {
      for (const taskType of [
        { type: 'make_coffee' },
        { type: 'poll_release_source' },
        { type: 'constructor' },
        { type: 'analyze_book' },
        { type: 'analyze_book', bookId: 'no id' },
        { type: 'scan_library', libraryId: null },
        'analyze_book',
      ])
        assert.is((await ask('POST', '/tasks', { taskType })).status, 400, JSON.stringify(taskType));
      for (const more of [{ priority: 'high' }, { priority: 1001 }, { scheduledFor: 'soon' }]) {
        const body = { taskType: { type: 'analyze_book', bookId }, ...more };
        assert.is((await ask('POST', '/tasks', body)).status, 400, JSON.stringify(more));
      }
      const unknown = { taskType: { type: 'analyze_series', seriesId: UNKNOWN_ID } };
      assert.is((await ask('POST', '/tasks', unknown)).status, 404);
      assert.is((await ask('GET', '/tasks?status=stuck')).status, 400);
      assert.is((await ask('DELETE', '/tasks/purge?days=-1')).status, 400);
      for (const verb of ['cancel', 'retry', 'unlock'])
        assert.is((await ask('POST', `/tasks/${UNKNOWN_ID}/${verb}`)).status, 404);
    }),
  );

  check('a task that has ended is neither cancelled nor retried, and stays as it is', () =>
    withTaskShelf(async (shelf) => {
      const { ask, bookId } = shelf;
      const id = await enqueue(shelf, { type: 'analyze_book', bookId });
      await ended(shelf, id, 'completed');
      const before = (await ask('GET', `/tasks/${id}`)).json;
      for (const verb of ['cancel', 'retry'])
        assert.is((await ask('POST', `/tasks/${id}/${verb}`)).json.message, `Cannot ${verb} a task that is completed.`);
      assert.equal((await ask('GET', `/tasks/${id}`)).json, before);
      assert.equal([before.bookId, before.bookTitle, before.libraryId], [bookId, 'Ants 1', null]);
      assert.equal(before.progress, { current: 1, total: 1 });
      assert.equal([before.attempts, before.maxAttempts], [1, 3]);
    }),
  );

  check('lists: the newest first, by state and type, as an array or by pages; statistics in words of their own', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, seriesId, bookId } = shelf;
      const letGo = held(temp);
      const running = await enqueue(shelf, { type: 'analyze_series', seriesId });
      await ended(shelf, running, 'running');
      const waiting = await enqueue(shelf, { type: 'analyze_book', bookId }, { priority: 7 });
      assert.is(await enqueue(shelf, { type: 'analyze_book', bookId }), waiting);
      const listed = async (query: string): Promise<string[]> =>
        (await ask('GET', `/tasks${query}`)).json.map((one: { id: string }) => one.id);
      assert.equal((await listed('')).slice(0, 2), [waiting, running]);
      assert.equal(await listed('?limit=1'), [waiting]);
      assert.equal(await listed('?status=processing'), [running]);
      assert.equal(await listed('?status=running&taskType=analyze_book'), []);
      const page = (await ask('GET', '/tasks?page=1&pageSize=1&status=pending')).json;
      assert.equal([page.total, page.data[0].id, page.data[0].priority], [1, waiting, 7]);
      temp.advance(HOUR_MS); // past every lease
      const stats = (await ask('GET', '/tasks/stats')).json;
      assert.equal([stats.processing, stats.stale, stats.pending], [1, 1, 1]);
      assert.is(stats.byType.analyze_series.processing, 1);
      assert.is(stats.byType.scan_library.completed, 1);
      letGo();
      await ended(shelf, waiting, 'completed');
    }),
  );

  check('a running task is cancelled when nothing of it runs any more', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId } = shelf;
      const letGo = held(temp);
      const id = await enqueue(shelf, { type: 'scan_library', libraryId, mode: 'deep' });
      await ended(shelf, id, 'running');
      const cancelling = ask('POST', `/tasks/${id}/cancel`);
      letGo();
      assert.is((await cancelling).status, 200);
      assert.is((await ask('GET', `/tasks/${id}`)).json.status, 'cancelled');
      assert.is((await ask('GET', `/libraries/${libraryId}/scan-status`)).json.status, 'cancelled');
      assert.is(temp.app.scans.active().length, 0);
    }),
  );

  check('a task that completes while it is being cancelled is not said to be cancelled', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      const cancelled = (signal: AbortSignal): Promise<void> =>
        new Promise((done) => signal.addEventListener('abort', () => done()));
      temp.app.tasks.register('heedless', { lane: 'scan', run: ({ signal }) => cancelled(signal) });
      const id = await temp.app.tasks.enqueue('heedless', null);
      await ended(shelf, id, 'running');
      const { status, json } = await ask('POST', `/tasks/${id}/cancel`);
      assert.equal([status, json.message], [400, 'Cannot cancel a task that is completed.']);
      assert.is((await ask('GET', `/tasks/${id}`)).json.status, 'completed');
    }),
  );

  check('a purge of everything does not mind a task that another purge deletes first', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      const { tasks } = temp.app;
      const ends: Record<string, () => void> = {};
      let isCancelled = false;
      for (const lane of ['scan', 'removal'])
        tasks.register(lane, {
          lane,
          run: ({ signal }) => {
            signal.addEventListener('abort', () => {
              isCancelled = true;
            });
            return new Promise<void>((done) => {
              ends[lane] = done;
            });
          },
        });
      const [first, second] = [await tasks.enqueue('scan', null), await tasks.enqueue('removal', null)];
      for (const id of [first, second]) await ended(shelf, id, 'running');
      const nuking = ask('DELETE', '/tasks/nuke');
      await until('the first is being cancelled', () => isCancelled);
      ends.removal?.();
      await ended(shelf, second, 'completed');
      await ask('DELETE', '/tasks/purge?days=0');
      ends.scan?.();
      assert.is((await nuking).status, 200);
      assert.equal((await ask('GET', '/tasks')).json, []);
    }),
  );

  check('a failed task runs again when it is retried, with its starts forgotten, and not beside an equal one', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId, bookId } = shelf;
      const id = await enqueue(shelf, { type: 'analyze_book', bookId });
      await ended(shelf, id, 'completed');
      await fail(shelf, id);
      const letGo = held(temp);
      const equal = await enqueue(shelf, { type: 'analyze_book', bookId });
      assert.is((await ask('POST', `/tasks/${id}/retry`)).status, 400);
      letGo();
      await ended(shelf, equal, 'completed');
      assert.is((await ask('POST', `/tasks/${id}/retry`)).status, 200);
      await ended(shelf, id, 'completed');
      assert.equal((await ask('GET', `/tasks/${id}`)).json.lastError, null);
      const scan = await enqueue(shelf, { type: 'scan_library', libraryId });
      await ended(shelf, scan, 'completed');
      await fail(shelf, scan);
      writeBook(join(temp.shelf, 'Bees', 'Bees 1.cbz'), 1, 'b');
      assert.is((await ask('POST', `/tasks/${scan}/retry`)).status, 200);
      await ended(shelf, scan, 'completed');
      assert.is((await ask('GET', `/libraries/${libraryId}/scan-status`)).json.filesTotal, 3);
    }),
  );

  check('an unlocked task waits again: one that runs is interrupted, one that has ended runs once more', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, seriesId, libraryId } = shelf;
      const letGo = held(temp);
      const id = await enqueue(shelf, { type: 'analyze_series', seriesId });
      await ended(shelf, id, 'running');
      const unlocking = ask('POST', `/tasks/${id}/unlock`);
      letGo();
      assert.is((await unlocking).status, 200);
      await ended(shelf, id, 'completed');
      const scan = (await ask('GET', '/tasks?taskType=scan_library')).json[0].id;
      writeBook(join(temp.shelf, 'Bees', 'Bees 1.cbz'), 1, 'b');
      assert.is((await ask('POST', `/tasks/${scan}/unlock`)).status, 200);
      await ended(shelf, scan, 'completed');
      assert.is((await ask('GET', `/libraries/${libraryId}/scan-status`)).json.filesTotal, 3);
    }),
  );

  check('a task waits for its time, and an equal one that is wanted now brings it forward', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, bookId, seriesId } = shelf;
      const later = new Date(temp.app.clock.now() + HOUR_MS).toISOString();
      const id = await enqueue(shelf, { type: 'analyze_book', bookId }, { scheduledFor: later });
      const other = await enqueue(shelf, { type: 'analyze_series', seriesId }, { scheduledFor: later });
      const now = await enqueue(shelf, { type: 'generate_thumbnails', bookId });
      await ended(shelf, now, 'completed');
      const { status, scheduledFor } = (await ask('GET', `/tasks/${id}`)).json;
      assert.equal([status, scheduledFor], ['pending', later]);
      assert.is(await enqueue(shelf, { type: 'analyze_book', bookId }), id);
      await ended(shelf, id, 'completed');
      temp.advance(HOUR_MS);
      temp.app.tasks.wake();
      await ended(shelf, other, 'completed');
    }),
  );

  check(
    'a purge deletes what ended long enough ago; a purge of everything is for administrators, and cancels first',
    () =>
      withTaskShelf(async (shelf) => {
        const { ask, temp, seriesId, bookId } = shelf;
        const maintainer = await temp.tokenOf('maintainer');
        assert.is((await ask('DELETE', '/tasks/nuke', undefined, maintainer)).status, 403);
        assert.is((await ask('DELETE', '/tasks/purge', undefined, maintainer)).json.deleted, 0);
        const count = (await ask('GET', '/tasks')).json.length;
        assert.is((await ask('DELETE', '/tasks/purge?days=0', undefined, maintainer)).json.deleted, count);
        const letGo = held(temp);
        const running = await enqueue(shelf, { type: 'analyze_series', seriesId });
        await ended(shelf, running, 'running');
        await enqueue(shelf, { type: 'analyze_book', bookId });
        assert.is((await ask('DELETE', '/tasks/purge?days=0')).json.deleted, 0);
        const nuking = ask('DELETE', '/tasks/nuke');
        letGo();
        assert.is((await nuking).json.deleted, 2);
        assert.equal((await ask('GET', '/tasks')).json, []);
        assert.is(temp.app.tasks.isBusy, false);
      }),
  );

  check('a task about something hidden does not exist, and a library partly hidden is not counted', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, seriesId, libraryId } = shelf;
      const hidden = await enqueue(shelf, { type: 'analyze_series', seriesId });
      await ended(shelf, hidden, 'completed');
      const token = await temp.tokenOf('admin');
      const me = (await ask('GET', '/auth/me', undefined, token)).json.id;
      const limited = await ask('PATCH', `/users/${me}`, { ageLimit: { max: 6 } });
      assert.is(limited.status, 200);
      const seen = (await ask('GET', '/tasks', undefined, token)).json;
      assert.equal(
        seen.filter((one: { seriesId: string }) => one.seriesId === seriesId),
        [],
      );
      const scan = seen.find((one: { taskType: string }) => one.taskType === 'scan_library');
      assert.equal([scan.libraryId, scan.result, scan.progress], [libraryId, null, null]);
      await fail(shelf, scan.id);
      assert.is((await ask('GET', `/tasks/${scan.id}`)).json.lastError, 'It did.');
      assert.is((await ask('GET', `/tasks/${scan.id}`, undefined, token)).json.lastError, 'The task failed.');
      assert.is((await ask('GET', '/tasks/stats', undefined, token)).json.byType.analyze_series, undefined);
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/cancel'],
        ['POST', '/retry'],
        ['POST', '/unlock'],
      ] as const)
        assert.is((await ask(method, `/tasks/${hidden}${path}`, undefined, token)).status, 404);
      await ask('DELETE', '/tasks/purge?days=0', undefined, token);
      const left: readonly { readonly id: string; readonly taskType: string }[] = (await ask('GET', '/tasks')).json;
      assert.equal(
        // Those that follow a scan would tell of what it found.
        left.filter(({ taskType }) => !tellsOfNew(taskType)).map(({ id }) => id),
        [hidden],
      );
    }),
  );

  check('a backup is cancelled, and its record deleted, by administrators alone', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      const token = await temp.tokenOf('maintainer');
      const scheduledFor = new Date(temp.app.clock.now() + HOUR_MS).toISOString();
      const id = await enqueue(shelf, { type: 'backup' }, { scheduledFor });
      assert.is((await ask('POST', `/tasks/${id}/cancel`, undefined, token)).status, 403);
      assert.is((await ask('POST', `/tasks/${id}/cancel`)).status, 200);
      assert.is((await ask('DELETE', '/tasks/purge?days=0', undefined, token)).status, 200);
      await ended(shelf, id, 'cancelled');
      assert.is((await ask('DELETE', '/tasks/purge?days=0')).status, 200);
      assert.is((await ask('GET', `/tasks/${id}`)).status, 404);
    }),
  );
});
