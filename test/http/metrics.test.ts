// The measurements as clients ask for them: who gets which, what they count, and the text for Prometheus.
import { join } from 'node:path';
import { SYSTEM } from '../../core/store/feed.js';
import { openPeople } from '../access/people.js';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { ended, type TaskShelf, withTaskShelf } from './task-shelf.js';

const TEXT = { accept: 'text/plain' };

const textFor = ({ temp }: TaskShelf, token: string, accept = 'text/plain') =>
  temp.call('GET', '/api/v1/metrics', { token, headers: { accept } });

/** The value of a sample, by its name and labels as they are written. */
const valueIn = (text: string, sample: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
};

/** The token of a reader from whom a tag hides the only series. */
const readerOf = async ({ temp, ask, seriesId }: TaskShelf): Promise<string> => {
  const { token, id } = await (await openPeople(temp)).join('limited', 'reader');
  const { json: tag } = await ask('POST', '/admin/sharing-tags', { name: 'hidden' });
  await ask('PUT', `/series/${seriesId}/sharing-tags`, { sharingTagIds: [tag.id] });
  await ask('PUT', `/users/${id}/sharing-tags`, { sharingTagId: tag.id, accessMode: 'deny' });
  return token;
};

const failTask = async ({ ask, bookId, temp }: TaskShelf): Promise<void> => {
  await temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
    await tx.run(
      `INSERT INTO task_metric VALUES (NULL, 'analyze_book', ?1, ?1, 0, 1, 0, 5, 0, 5, 5, 0, 0, '{"9":1}', 'The file /secret/place is gone.', ?1)`,
      [temp.app.clock.now() - (temp.app.clock.now() % 3_600_000) - 3_600_000],
    );
    tx.report({ kind: 'server', change: 'updated', keys: [0], aspects: 64 });
  });
  assert.ok(bookId !== '' && ask !== undefined);
};

block('measurements', (check) => {
  check('the inventory counts what somebody sees; the server itself is for administrators', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId } = shelf;
      const all = (await ask('GET', '/metrics/inventory')).json;
      assert.equal([all.libraryCount, all.seriesCount, all.bookCount, all.pageCount], [1, 1, 2, 4]);
      assert.equal(all.libraries, [
        { id: libraryId, name: 'L', seriesCount: 1, bookCount: 2, totalSize: all.totalBookSize },
      ]);
      const books = (await ask('GET', '/books')).json.data;
      assert.is(
        all.totalBookSize,
        books.reduce((sum: number, { fileSize }: { fileSize: number }) => sum + fileSize, 0),
      );
      assert.is(all.userCount, 1);
      assert.ok(all.databaseSize > 100_000);
      assert.equal((await ask('GET', '/metrics')).json, all);
      const limited = await readerOf(shelf);
      const few = (await ask('GET', '/metrics/inventory', undefined, limited)).json;
      assert.equal([few.libraryCount, few.seriesCount, few.bookCount, few.pageCount], [1, 0, 0, 0]);
      assert.equal([few.totalBookSize, few.userCount, few.databaseSize, few.libraries[0].totalSize], [0, 0, 0, 0]);
      const reader = await temp.tokenOf('reader');
      const others = (await ask('GET', '/metrics/inventory', undefined, reader)).json;
      assert.equal([others.bookCount, others.userCount, others.databaseSize], [2, 0, 0]);
    }),
  );

  check('the sums come from an index, without a look at a series', () =>
    withTaskShelf(async ({ temp }) => {
      const plan = await temp.app.db.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT sum(book_count), sum(file_size), sum(page_count) FROM series c INDEXED BY series_sizes
         WHERE c.library_id = 1 AND c.book_count > 0`,
      );
      assert.match(plan.map(({ detail }) => detail).join('\n'), /USING COVERING INDEX series_sizes/);
    }),
  );

  check('tasks are summed by type, and the history by hour or day', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, bookId } = shelf;
      const { taskId } = (await ask('POST', '/tasks', { taskType: { type: 'analyze_book', bookId, force: true } }))
        .json;
      await ended(shelf, taskId, 'completed');
      await failTask(shelf);
      const { retention, summary, byType, queue } = (await ask('GET', '/metrics/tasks')).json;
      assert.is(retention, '30');
      const one = byType.find(({ taskType }: { taskType: string }) => taskType === 'analyze_book');
      assert.equal([one.executed, one.succeeded, one.failed, one.errorRatePct], [2, 1, 1, 50]);
      assert.is(one.lastError, 'The file /secret/place is gone.');
      const book = (await ask('GET', `/books/${bookId}`)).json;
      assert.is(one.bytesProcessed, book.fileSize);
      const scans = byType.find(({ taskType }: { taskType: string }) => taskType === 'scan_library');
      assert.equal([scans.executed, scans.itemsProcessed], [1, 2]);
      assert.ok(scans.bytesProcessed > 0);
      const sum = byType.reduce((all: number, { executed }: { executed: number }) => all + executed, 0);
      assert.equal([summary.totalExecuted, summary.totalFailed], [sum, 1]);
      assert.ok(summary.tasksPerMinute > 0);
      assert.equal(queue, { pendingCount: 0, processingCount: 0, staleCount: 0, oldestPendingAgeMs: null });

      const byHour = (await ask('GET', '/metrics/tasks/history?taskType=analyze_book')).json;
      assert.equal([byHour.granularity, byHour.points.length], ['hour', 2]);
      assert.equal(
        byHour.points.map(({ failed, taskType }: { failed: number; taskType: string }) => [failed, taskType]),
        [
          [1, 'analyze_book'],
          [0, 'analyze_book'],
        ],
      );
      const byDay = (await ask('GET', '/metrics/tasks/history?granularity=day')).json;
      const days = new Set(byDay.points.map(({ periodStart }: { periodStart: string }) => periodStart.slice(11)));
      assert.equal([...days], ['00:00:00.000Z']);
      assert.is(byDay.points[0].taskType, null);
      const counted = byDay.points.reduce((all: number, { count }: { count: number }) => all + count, 0);
      assert.is(counted, sum);
      assert.equal((await ask('GET', '/metrics/tasks/history?taskType=no_such_type')).json.points, []);

      const span = async (days: string): Promise<number> => {
        const { from, to } = (await ask('GET', `/metrics/tasks/history?days=${days}`)).json;
        return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
      };
      for (const [given, days] of [
        ['0', 1],
        ['-5', 1],
        ['3', 3],
        ['181', 180],
        ['999999999999999999999', 180],
      ] as const)
        assert.is(await span(given), days, given);
      assert.is((await ask('GET', '/metrics/tasks/history?days=many')).status, 400);
      assert.is((await ask('GET', '/metrics/tasks/history?granularity=minute')).status, 400);
      assert.equal(temp.faults, []);
    }),
  );

  check('somebody with restrictions sees no sums; who may not read tasks sees no error text', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      await failTask(shelf);
      const reader = await temp.tokenOf('reader');
      const { byType } = (await ask('GET', '/metrics/tasks', undefined, reader)).json;
      const { lastError } = byType.find(({ taskType }: { taskType: string }) => taskType === 'analyze_book');
      assert.is(lastError, 'The task failed.');
      const limited = await readerOf(shelf);
      const seen = (await ask('GET', '/metrics/tasks', undefined, limited)).json;
      assert.equal([seen.byType, seen.summary.totalExecuted, seen.summary.tasksPerMinute], [[], 0, 0]);
      assert.equal((await ask('GET', '/metrics/tasks/history', undefined, limited)).json.points, []);
    }),
  );

  check('metrics.task_retention_days: the clean-up keeps what it names; disabled measures nothing', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, bookId } = shelf;
      assert.is((await ask('PUT', '/admin/settings/metrics.task_retention_days', { value: '8' })).status, 400);
      assert.is((await ask('PUT', '/admin/settings/metrics.task_retention_days', { value: '7' })).status, 200);
      const before = (await ask('GET', '/metrics/tasks')).json.summary.totalExecuted;
      assert.ok(before > 0);
      const kept = (await ask('POST', '/metrics/tasks/cleanup')).json;
      assert.equal([kept.deletedCount, kept.retentionDays], [0, '7']);
      assert.ok(kept.oldestRemaining !== null);
      temp.advance(8 * 86_400_000);
      const admin = await temp.tokenOf('admin');
      const cleaned = (await ask('POST', '/metrics/tasks/cleanup', undefined, admin)).json;
      assert.ok(cleaned.deletedCount > 0);
      assert.is(cleaned.oldestRemaining, null);
      await ask('PUT', '/admin/settings/metrics.task_retention_days', { value: 'disabled' }, admin);
      const taskType = { type: 'analyze_book', bookId, force: true };
      const { taskId } = (await ask('POST', '/tasks', { taskType }, admin)).json;
      await until(
        'it has ended',
        async () => (await ask('GET', `/tasks/${taskId}`, undefined, admin)).json.status === 'completed',
      );
      const after = (await ask('GET', '/metrics/tasks', undefined, admin)).json;
      assert.equal([after.retention, after.byType], ['disabled', []]);
    }),
  );

  check('the clean-up that runs by itself does the same', () =>
    withTaskShelf(async ({ temp }) => {
      const rows = async (): Promise<number> => (await temp.app.db.all('SELECT 1 FROM task_metric')).length;
      await temp.app.tasks.prune();
      assert.ok((await rows()) > 0);
      temp.advance(31 * 86_400_000);
      await temp.app.tasks.prune();
      assert.is(await rows(), 0);
    }),
  );

  check('all of it can be deleted', () =>
    withTaskShelf(async ({ ask }) => {
      assert.ok((await ask('DELETE', '/metrics/tasks')).json.deletedCount > 0);
      assert.equal((await ask('GET', '/metrics/tasks')).json.byType, []);
      assert.is((await ask('DELETE', '/metrics/tasks')).json.deletedCount, 0);
      assert.ok((await ask('GET', '/tasks')).json.length > 0, 'the tasks stay');
    }),
  );

  check('there are no plugins, and the answer says so', () =>
    withTaskShelf(async ({ ask }) => {
      const { plugins, summary, updatedAt } = (await ask('GET', '/metrics/plugins')).json;
      assert.equal(plugins, []);
      assert.equal(
        Object.entries(summary).filter(([, value]) => value !== 0),
        [],
      );
      assert.ok(Date.parse(updatedAt) > 0);
    }),
  );

  check('the text is for administrators, and JSON for everybody else', () =>
    withTaskShelf(async (shelf) => {
      const { temp } = shelf;
      const reader = await temp.tokenOf('reader');
      assert.is((await temp.call('GET', '/api/v1/metrics', { headers: TEXT })).status, 401);
      const refused = await textFor(shelf, reader);
      assert.equal([refused.status, refused.json.message], [403, 'Missing required permission: SystemAdmin']);
      assert.is((await textFor(shelf, reader, '*/*')).json.bookCount, 2);
      const admin = await temp.tokenOf('admin');
      const plain = await textFor(shelf, admin);
      assert.is(plain.header('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
      assert.is(plain.header('vary'), 'Accept');
      const open = await textFor(shelf, admin, 'application/openmetrics-text');
      assert.match(open.header('content-type') ?? '', /^application\/openmetrics-text; version=1/);
      assert.match(open.bytes.toString(), /\n# EOF\n$/);
      assert.match(open.bytes.toString(), /\n# TYPE longbox_http_requests counter\nlongbox_http_requests_total\{/);
    }),
  );

  check('requests are counted by template, never by path', () =>
    withTaskShelf(async (shelf) => {
      const { temp, ask, bookId } = shelf;
      const admin = await temp.tokenOf('admin');
      const page = '{method="GET",route="/api/v1/books/{book_id}/pages/{page_number}"';
      const counts = async (): Promise<readonly (number | undefined)[]> => {
        const text = (await textFor(shelf, admin)).bytes.toString();
        return [
          valueIn(text, `longbox_http_requests_total${page},status="2xx"}`),
          valueIn(text, `longbox_http_requests_total${page},status="4xx"}`),
          valueIn(text, `longbox_http_request_duration_seconds_count${page}}`),
          valueIn(text, 'longbox_http_requests_total{method="*",route="unmatched",status="4xx"}'),
        ];
      };
      assert.equal(await counts(), [undefined, undefined, undefined, undefined]);
      for (const n of [1, 2, 1]) await ask('GET', `/books/${bookId}/pages/${n}`);
      await ask('GET', `/books/${bookId}/pages/99`);
      for (const path of ['/no/such', '/thing', '/secret-path-1']) await ask('GET', path);
      assert.equal(await counts(), [3, 1, 4, 3]);
      const text = (await textFor(shelf, admin)).bytes.toString();
      assert.not.match(text, /secret-path|pages\/99/);
      assert.ok(!text.includes(bookId));
    }),
  );

  check('the text tells of scans, jobs, tasks, the cache and files, and every sample has its help and type', () =>
    withTaskShelf(async (shelf) => {
      const { temp, ask, bookId } = shelf;
      const admin = await temp.tokenOf('admin');
      await ask('GET', `/books/${bookId}/pages/1?format=webp`); // not in the cache yet
      for (const _ of [1, 2]) await ask('GET', `/books/${bookId}/thumbnail`);
      writeBook(join(temp.shelf, 'Bees', 'Bees 1.cbz'), 1, 'bees');
      const text = (await textFor(shelf, admin)).bytes.toString();
      const value = (sample: string): number => valueIn(text, sample) ?? -1;
      assert.is(value('longbox_scan_files_seen_total'), 2);
      assert.is(value('longbox_books_analysed_total'), 2);
      assert.is(value('longbox_book_faults_total'), 0);
      assert.is(value('longbox_tasks{state="failed"}'), 0);
      assert.ok(value('longbox_tasks{state="completed"}') > 0);
      assert.ok(value('longbox_pool_jobs_total{job="analyze",result="done"}') >= 2);
      assert.ok(value('longbox_pool_queue_wait_seconds_count{lane="background"}') >= 2);
      assert.ok(value('longbox_cache_hits_total') > 0, 'the second time, the page is in the cache');
      assert.ok(value('longbox_cache_misses_total') > 0);
      assert.ok(value('longbox_file_bytes{file="database"}') > 0);
      assert.ok(value('longbox_disk_free_bytes{folder="data"}') > 0);
      assert.ok(value('process_resident_memory_bytes') > 1e6);
      const families = new Set([...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name]) => name));
      assert.equal([...text.matchAll(/^# HELP (\w+) /gm)].length, families.size);
      const strays = text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.replace(/[{ ].*$/, ''))
        .filter((name) => !families.has(name) && !families.has(name.replace(/_(?:bucket|sum|count)$/, '')));
      assert.equal(strays, []);
    }),
  );
});
