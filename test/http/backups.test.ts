// Backups over the API: who may, what is listed, what is sent, what the schedule makes and removes, and what is entered in the audit log.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM } from '../../core/store/feed.js';
import { copyDatabase } from '../../core/upkeep/backup.js';
import { until } from '../app.js';
import { image } from '../form.js';
import { assert, block } from '../kit.js';
import { type CoverShelf, coverShelf } from '../pages/cover-shelf.js';
import { checkUnpacked, unpacked } from '../system/backup-folder.js';
import { UNKNOWN_ID } from './row-bodies.js';

const ROW = '/admin/backups';
const HOUR_MS = 3_600_000;

interface Shelf extends CoverShelf {
  readonly folder: string;
  list(): Promise<{ id: string; name: string; kind: string; size: number; complete: boolean }[]>;
  /** Asks for one and waits; the clock goes on, since names hold the time. */
  make(): Promise<string>;
}

const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const shelf = await coverShelf(['Ants']);
  const { temp, api } = shelf;
  const ended = (id: string) =>
    until('the backup ends', async () =>
      ['completed', 'failed', 'cancelled'].includes((await api('GET', `/tasks/${id}`)).json.status),
    );
  try {
    await use({
      ...shelf,
      folder: join(temp.folder, 'data', 'backups'),
      list: async () => (await api('GET', ROW)).json.backups,
      make: async () => {
        temp.advance(1000);
        const { status, json } = await api('POST', ROW);
        assert.is(status, 202);
        await ended(json.taskId);
        return json.taskId;
      },
    });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

block(
  'backups',
  (check) => {
    check('none but a signed-in administrator has anything to do with them', () =>
      withShelf(async ({ temp, api, make, list }) => {
        await make();
        const [backup] = await list();
        const rows = [
          ['GET', ROW],
          ['POST', ROW],
          ['GET', `${ROW}/${backup?.id}/file`],
          ['DELETE', `${ROW}/${backup?.id}`],
        ];
        const body = { name: 'k', permissions: ['system-admin'] };
        const { key } = (await api('POST', '/api-keys', { body })).json;
        const reader = await temp.tokenOf('reader');
        for (const [method = '', path = ''] of rows) {
          assert.is((await api(method, path, { token: undefined })).status, 401);
          assert.is((await api(method, path, { token: reader })).status, 403);
          const byKey = await temp.call(method, `/api/v1${path}`, { headers: { 'x-api-key': key } });
          assert.equal([byKey.status, byKey.json.message], [403, 'API keys cannot use backups. Sign in instead.']);
        }
        const task = { body: { taskType: { type: 'backup' } }, token: await temp.tokenOf('maintainer') };
        assert.is((await api('POST', '/tasks', task)).status, 403);
        assert.is((await list()).length, 1);
      }),
    );
    check('an id that is none, and a path in place of one, name nothing', () =>
      withShelf(async ({ api, make, temp }) => {
        await make();
        writeFileSync(join(temp.folder, 'data', 'secret.tar'), 'x');
        for (const id of [UNKNOWN_ID, '..%2Fsecret.tar', '..%2f..%2fshelf', 'longbox.db', '%00'])
          for (const [method, path] of [
            ['GET', `${ROW}/${id}/file`],
            ['DELETE', `${ROW}/${id}`],
          ] as const)
            assert.ok([400, 404].includes((await api(method, path)).status), id);
        assert.ok(existsSync(join(temp.folder, 'data', 'secret.tar')));
      }),
    );
    check('a backup has the database and the uploaded covers, and is sent whole and in ranges', () =>
      withShelf(async ({ api, make, list, folder, upload, series, temp }) => {
        assert.is((await upload(`/series/${series.Ants}`, image('png-palette-alpha.png'))).status, 200);
        const taskId = await make();
        const [backup, ...others] = await list();
        assert.equal(others, []);
        assert.equal([backup?.kind, backup?.complete], ['manual', true]);
        const path = `${ROW}/${backup?.id}/file`;
        const sent = await api('GET', path);
        const bytes = readFileSync(join(folder, backup?.name ?? ''));
        assert.is(sent.status, 200);
        assert.ok(sent.bytes.equals(bytes));
        assert.is(sent.header('content-type'), 'application/x-tar');
        assert.is(sent.header('cache-control'), 'no-store');
        assert.match(
          sent.header('content-disposition') ?? '',
          /^attachment; filename="longbox-manual-2026-01-01T00-00-01-000Z\.tar"/,
        );
        const part = await api('GET', path, { headers: { range: 'bytes=600-699' } });
        assert.equal([part.status, part.header('content-range')], [206, `bytes 600-699/${bytes.length}`]);
        assert.ok(part.bytes.equals(bytes.subarray(600, 700)));
        const beyond = await api('GET', path, { headers: { range: `bytes=${bytes.length}-` } });
        assert.is(beyond.status, 416);
        const again = await api('GET', path, { headers: { 'if-none-match': sent.header('etag') ?? '' } });
        assert.is(again.status, 304);
        const task = (await api('GET', `/tasks/${taskId}`)).json;
        assert.equal([task.status, task.result.uploads, task.result.bytes], ['completed', 1, bytes.length]);
        assert.equal(await checkUnpacked(unpacked(join(folder, backup?.name ?? ''))), { covers: 1 });
        const { json } = await api('GET', ROW);
        assert.equal(json.notIncluded, ['secrets', 'cache']);
        assert.is(json.lastBackupAt, new Date(temp.app.clock.now()).toISOString());
        assert.equal((await temp.app.backups.last())?.name, backup?.name);
      }),
    );
    check('the list says what each file is; files that are no backups, and links, are not in it', () =>
      withShelf(async ({ api, list, folder, temp }) => {
        mkdirSync(folder);
        const database = join(temp.folder, 'data', 'longbox.db');
        await copyDatabase(database, join(folder, 'longbox-schema-3.db'));
        await copyDatabase(database, join(folder, 'mine.db'));
        writeFileSync(join(folder, 'longbox-before-restore-2026.tar'), 'cut off');
        writeFileSync(join(folder, 'longbox-manual-2026.tar.partial'), 'cut off');
        writeFileSync(join(folder, 'note.txt'), 'x');
        symlinkSync(database, join(folder, 'link.db'));
        const found = await list();
        const said = found.map(({ name, kind, complete }) => `${name} ${kind} ${complete}`);
        assert.equal(said.sort(), [
          'longbox-before-restore-2026.tar restore-point false',
          'longbox-manual-2026.tar.partial manual false',
          'longbox-schema-3.db upgrade true',
          'mine.db other true',
        ]);
        const idOf = (name: string) => found.find((one) => one.name === name)?.id;
        assert.is((await api('GET', `${ROW}/${idOf('longbox-before-restore-2026.tar')}/file`)).status, 409);
        assert.is((await api('DELETE', `${ROW}/${idOf('longbox-manual-2026.tar.partial')}`)).status, 409);
        assert.is(
          (await api('GET', `${ROW}/${idOf('mine.db')}/file`)).header('content-type'),
          'application/vnd.sqlite3',
        );
      }),
    );
    check('copies of a database that were cut off are listed as such, and hide no others', () =>
      withShelf(async ({ folder, make, list }) => {
        await make();
        const head = readFileSync(join(folder, '..', 'longbox.db')).subarray(0, 8192);
        writeFileSync(join(folder, 'cut-off.db'), head);
        writeFileSync(join(folder, 'shorter.db'), head.subarray(0, 20));
        const found = await list();
        assert.equal(found.map(({ kind, complete }) => [kind, complete]).sort(), [
          ['manual', true],
          ['other', false],
          ['other', false],
        ]);
      }),
    );
    check('what is requested, fetched and deleted is entered in the audit log, a download in ranges once', () =>
      withShelf(async ({ api, make, list, folder }) => {
        const taskId = await make();
        const [backup] = await list();
        for (const range of ['bytes=0-9', 'bytes=10-19'])
          await api('GET', `${ROW}/${backup?.id}/file`, { headers: { range } });
        assert.is((await api('DELETE', `${ROW}/${backup?.id}`)).status, 204);
        assert.equal(readdirSync(folder), []);
        assert.is((await api('DELETE', `${ROW}/${backup?.id}`)).status, 404);
        const entries = (await api('GET', '/admin/audit')).json.data as {
          action: string;
          target: { name: string } | null;
          details: object;
        }[];
        const said = entries.filter(({ action }) => action.startsWith('backup.'));
        assert.equal(
          said.map(({ action, target }) => [action, target?.name ?? null]),
          [
            ['backup.delete', backup?.name],
            ['backup.download', backup?.name],
            ['backup.create', null],
          ],
        );
        assert.equal(said.at(-1)?.details, { taskId });
      }),
    );
    check('a backup whose request cannot be entered in the audit log is not made', () =>
      withShelf(async ({ api, list, temp }) => {
        const change = (sql: string): Promise<unknown> => temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));
        await change(
          "CREATE TRIGGER fails BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
        );
        const { status } = await api('POST', ROW);
        assert.ok(status >= 500);
        await change('DROP TRIGGER fails');
        assert.equal(await temp.app.db.all("SELECT state FROM task WHERE type = 'backup'"), []);
        assert.equal(await list(), []);
        temp.faults.length = 0;
      }),
    );
    check('after the clock was set back, a download is entered in the audit log again', () =>
      withShelf(async ({ api, make, list, temp }) => {
        await make();
        const [backup] = await list();
        const fetched = async (): Promise<number> => {
          assert.is((await api('GET', `${ROW}/${backup?.id}/file`)).status, 200);
          const entries: { action: string }[] = (await api('GET', '/admin/audit')).json.data;
          return entries.filter(({ action }) => action === 'backup.download').length;
        };
        assert.is(await fetched(), 1);
        temp.advance(2 * HOUR_MS);
        temp.jump(-2 * HOUR_MS);
        assert.is(await fetched(), 2);
      }),
    );
    check('a file in place of the folder is said in words, whatever is asked for', () =>
      withShelf(async ({ api, folder, make }) => {
        writeFileSync(folder, 'no folder');
        const task = (await api('GET', `/tasks/${await make()}`)).json;
        assert.is(task.status, 'failed');
        assert.match(JSON.stringify(task), /The folder backups\/ cannot be read \(ENOTDIR: not a directory\)/);
        for (const [method, path] of [
          ['GET', ROW],
          ['GET', `${ROW}/${UNKNOWN_ID}/file`],
          ['DELETE', `${ROW}/${UNKNOWN_ID}`],
        ] as const)
          assert.is((await api(method, path)).status, 503, `${method} ${path}`);
      }),
    );
    check('only administrators are told what a backup counted', () =>
      withShelf(async ({ api, make, temp }) => {
        const path = `/tasks/${await make()}`;
        assert.ok((await api('GET', path)).json.result.users > 0);
        const { status, json } = await api('GET', path, { token: await temp.tokenOf('maintainer') });
        assert.equal([status, json.status, json.result], [200, 'completed', null]);
      }),
    );
    check('while one is made, another request gets the same task; one that was cut off before is cleaned up', () =>
      withShelf(async ({ api, list, folder }) => {
        mkdirSync(folder);
        writeFileSync(join(folder, 'longbox-scheduled-2025.tar.partial'), 'cut off');
        const [one, other] = await Promise.all([api('POST', ROW), api('POST', ROW)]);
        const third = await api('POST', '/tasks', { body: { taskType: { type: 'backup' } } });
        await until('it ends', async () => (await api('GET', `/tasks/${one.json.taskId}`)).json.status === 'completed');
        assert.ok(third.json.taskId !== undefined);
        assert.ok((await list()).length >= 1 && other.status === 202);
        assert.not.ok(readdirSync(folder).some((name) => name.endsWith('.partial')));
      }),
    );
    check('the schedule makes backups and removes its own but the newest', () =>
      withShelf(async ({ api, make, list, folder, temp }) => {
        await make();
        writeFileSync(join(folder, 'longbox-before-restore-2020.tar'), 'x');
        const set = async (key: string, value: string) =>
          assert.is((await api('PUT', `/admin/settings/${key}`, { body: { value } })).status, 200);
        assert.is((await api('PUT', '/admin/settings/backup.retention_count', { body: { value: '0' } })).status, 400);
        assert.is((await api('PUT', '/admin/settings/backup.cron_schedule', { body: { value: 'daily' } })).status, 400);
        await set('backup.retention_count', '2');
        await set('backup.cron_schedule', '0 * * * *');
        assert.is((await temp.app.schedules.next()).get('backup.cron_schedule'), Date.UTC(2026, 0, 1, 1));
        for (let round = 1; round <= 4; round += 1) {
          await temp.app.schedules.next();
          temp.advance(HOUR_MS);
          await temp.app.schedules.check();
          await until('the backup is made', async () => {
            const tasks = (await api('GET', '/tasks?taskType=backup&status=completed')).json;
            return tasks.length === round + 1;
          });
        }
        const kinds = (await list()).map(({ kind }) => kind).sort();
        assert.equal(kinds, ['manual', 'restore-point', 'scheduled', 'scheduled']);
        assert.equal(
          readdirSync(folder).filter((name) => name.startsWith('longbox-scheduled')),
          ['longbox-scheduled-2026-01-01T03-00-01-000Z.tar', 'longbox-scheduled-2026-01-01T04-00-01-000Z.tar'],
        );
      }),
    );
  },
  { deadlineS: 120 },
);
