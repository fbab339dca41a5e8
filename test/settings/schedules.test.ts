// Settings about times and events: what they change while the server runs, and what they refuse.
import { AppError } from '../../core/model/errors.js';
import { tempApp, until } from '../app.js';
import { follow } from '../events/listener.js';
import { type TaskShelf, withTaskShelf } from '../http/task-shelf.js';
import { assert, block } from '../kit.js';

const HOUR_MS = 3_600_000;

const set = async ({ ask }: TaskShelf, key: string, value: string): Promise<void> =>
  assert.is((await ask('PUT', `/admin/settings/${key}`, { value })).status, 200);

const next = async ({ temp }: TaskShelf, id: string): Promise<number | null | undefined> =>
  (await temp.app.schedules.next()).get(id);

/** Covers that a schedule makes, an hour after it was set. */
const madeBy = async (shelf: TaskShelf, key: string, type: string): Promise<number> => {
  const { ask, temp } = shelf;
  const listed = async () => (await ask('GET', `/tasks?taskType=${type}`)).json;
  await set(shelf, key, '0 * * * *');
  assert.is(await next(shelf, key), temp.app.clock.now() + HOUR_MS);
  await temp.app.schedules.check();
  assert.equal(await listed(), [], 'not before its time');
  temp.advance(HOUR_MS);
  await temp.app.schedules.check();
  await until('it ends', async () => (await listed())[0]?.status === 'completed');
  await set(shelf, key, '');
  assert.is(await next(shelf, key), undefined);
  temp.advance(HOUR_MS);
  await temp.app.schedules.check();
  const tasks = await listed();
  assert.is(tasks.length, 1, 'not without a schedule');
  return tasks[0].result.made;
};

block('settings of schedules and events', (check) => {
  check('times that do not exist are refused, and nothing changes', () =>
    withTaskShelf(async (shelf) => {
      for (const [key, value] of [
        ['scheduler.timezone', 'Mars/Phobos'],
        ['scheduler.timezone', ''],
        ['scheduler.timezone', ' UTC'],
        ['thumbnail.book_cron_schedule', 'daily'],
        ['thumbnail.book_cron_schedule', '0 0 30 2 *'],
        ['thumbnail.series_cron_schedule', '0 25 * * *'],
        ['thumbnail.series_cron_schedule', '* * * * * *'],
        ['backup.cron_schedule', '0,30 * * * * *'],
        ['backup.cron_schedule', '*/10 0 3 * * * 2040'],
        ['events.unnamed', 'yes'],
      ]) {
        const { status, json } = await shelf.ask('PUT', `/admin/settings/${key}`, { value });
        assert.equal([status, json.details?.[0]?.path], [400, key], value);
      }
      assert.is((await shelf.ask('GET', '/admin/settings/scheduler.timezone')).json.value, 'UTC');
    }),
  );
  check('scheduler.timezone: libraries that name none follow it at once, others do not', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId } = shelf;
      const config = (more: object) =>
        ask('PATCH', `/libraries/${libraryId}`, {
          scanningConfig: { enabled: true, cronSchedule: '0 1 * * *', ...more },
        });
      await config({});
      assert.is(await next(shelf, libraryId), Date.UTC(2026, 0, 1, 1));
      await set(shelf, 'scheduler.timezone', 'Asia/Tokyo');
      assert.is(await next(shelf, libraryId), Date.UTC(2026, 0, 1, 16));
      assert.is((await ask('GET', '/settings/public')).json['scheduler.timezone'].value, 'Asia/Tokyo');
      await config({ cronTimezone: 'Europe/Berlin' });
      assert.is(await next(shelf, libraryId), Date.UTC(2026, 0, 2, 0));
      await config({ cronTimezone: null });
      await ask('POST', '/admin/settings/scheduler.timezone/reset');
      assert.is(await next(shelf, libraryId), Date.UTC(2026, 0, 1, 1));
      temp.advance(HOUR_MS);
      await temp.app.schedules.check();
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      assert.is((await ask('GET', `/libraries/${libraryId}/scan-status`)).json.startedAt, '2026-01-01T01:00:00.000Z');
    }),
  );
  check('scheduler.timezone of the configuration is what a reset restores', async () => {
    const temp = await tempApp({ overrides: [{ key: 'scheduler.timezone', text: 'Asia/Tokyo' }] });
    const token = await temp.tokenOf('reader');
    const { json } = await temp.call('GET', '/api/v1/settings/public', { token });
    assert.is(json['scheduler.timezone'].value, 'Asia/Tokyo');
    await temp.close();
  });
  check('thumbnail.book_cron_schedule makes the covers that are missing, as a task', () =>
    withTaskShelf(async (shelf) => {
      await set(shelf, 'thumbnail.max_dimension', '300');
      assert.is(await madeBy(shelf, 'thumbnail.book_cron_schedule', 'generate_thumbnails'), 2);
    }),
  );
  check('thumbnail.series_cron_schedule makes those of the books that represent series', () =>
    withTaskShelf(async (shelf) => {
      await set(shelf, 'thumbnail.max_dimension', '300');
      assert.is(await madeBy(shelf, 'thumbnail.series_cron_schedule', 'generate_series_thumbnails'), 1);
    }),
  );
  check('pdf_cache.cron_schedule removes old pages of PDF documents, as a task', () =>
    withTaskShelf(async ({ temp, ...shelf }) => {
      await set({ temp, ...shelf }, 'pdf_cache.cron_schedule', '0 * * * *');
      await next({ temp, ...shelf }, 'pdf_cache.cron_schedule');
      temp.advance(HOUR_MS);
      await temp.app.schedules.check();
      const rows = await temp.app.db.all("SELECT 1 FROM task WHERE type = 'cleanup_pdf_cache'");
      assert.is(rows.length, 1);
    }),
  );
  check('a schedule that is set is kept from then on, without a look at it', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      await set(shelf, 'thumbnail.book_cron_schedule', '* * * * *');
      await until('its task is there', async () => {
        temp.advance(60_000);
        await temp.app.schedules.check();
        return (await ask('GET', '/tasks?taskType=generate_thumbnails')).json.length > 0;
      });
      await until('the tasks end', () => !temp.app.tasks.isBusy);
    }),
  );
  check('a run that a full disk prevents is made up for within a minute, not with the next one', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      const { db, schedules } = temp.app;
      const listed = async (): Promise<number> => (await ask('GET', '/tasks?taskType=generate_thumbnails')).json.length;
      await set(shelf, 'thumbnail.book_cron_schedule', '0 * * * *');
      await next(shelf, 'thumbnail.book_cron_schedule');
      temp.advance(HOUR_MS);
      const { write } = db;
      db.write = () => Promise.reject(new AppError('StorageFull'));
      await schedules.check();
      db.write = write;
      await schedules.check();
      assert.is(await listed(), 0, 'the disk is not asked again at once');
      temp.advance(60_000);
      await schedules.check();
      assert.is(await listed(), 1);
      await until('the tasks end', () => !temp.app.tasks.isBusy);
      assert.is(await next(shelf, 'thumbnail.book_cron_schedule'), temp.app.clock.now() - 60_000 + HOUR_MS);
    }),
  );
  check('a scheduled run that fails holds up no other, and comes again at its time', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId } = shelf;
      const { schedules, scans, clock } = temp.app;
      const scanningConfig = { enabled: true, cronSchedule: '0 * * * *' };
      await ask('PATCH', `/libraries/${libraryId}`, { scanningConfig });
      await set(shelf, 'thumbnail.book_cron_schedule', '0 * * * *');
      await next(shelf, libraryId);
      temp.advance(HOUR_MS);
      const { start } = scans;
      scans.start = () => Promise.reject(new Error('It failed.'));
      await schedules.check();
      scans.start = start;
      assert.is((await ask('GET', '/tasks?taskType=generate_thumbnails')).json.length, 1);
      assert.equal(temp.faults.splice(0).map(String), ['Error: It failed.']);
      assert.is(await next(shelf, libraryId), clock.now() + HOUR_MS);
      await until('the tasks end', () => !temp.app.tasks.isBusy);
    }),
  );
  check('deduplication.cron_schedule searches at its time, while deduplication.enabled', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      const key = 'deduplication.cron_schedule';
      assert.is((await ask('PUT', `/admin/settings/${key}`, { value: 'daily' })).status, 400);
      await set(shelf, key, '0 * * * *');
      await set(shelf, 'deduplication.enabled', 'false');
      assert.is(await next(shelf, key), undefined);
      await set(shelf, 'deduplication.enabled', 'true');
      assert.is(await next(shelf, key), temp.app.clock.now() + HOUR_MS);
      temp.advance(HOUR_MS);
      await temp.app.schedules.check();
      const listed = async () => (await ask('GET', '/tasks?taskType=find_duplicates')).json;
      await until('it ends', async () => (await listed())[0]?.status === 'completed');
      assert.is((await listed()).length, 1);
    }),
  );
  check('events.unnamed holds for who comes after the change, and does not say what they want', () =>
    withTaskShelf(async (shelf) => {
      const { temp } = shelf;
      const token = await temp.tokenOf('admin');
      const isNamed = async (path?: string): Promise<boolean> => {
        const one = await follow(temp, token, path === undefined ? {} : { path });
        await one.close();
        return one.text().startsWith(': connected\nid: ');
      };
      assert.is(await isNamed(), true);
      await set(shelf, 'events.unnamed', 'true');
      assert.equal([await isNamed(), await isNamed('/events/stream?unnamed=0')], [false, true]);
      await set(shelf, 'events.unnamed', 'false');
      assert.is(await isNamed(), true);
    }),
  );
});
