// The passwords of archives are shown to nobody again: not in answers, the history, the audit log, backups' remarks or what the server logs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../http/config/config.js';
import { type Answer, tempApp } from '../app.js';
import { lockedZip } from '../encrypted-zip.js';
import { assert, block, thrownBy } from '../kit.js';
import { type LockedShelf, lockedShelf, PASSWORDS_PATH } from '../locked-shelf.js';
import { leaks } from '../secret-watch.js';

const WORDS = ['gulls over the pier', 'terns-7-under-it'];
const GIVEN = WORDS.join('\n');

let shelf: LockedShelf;

const put = (value: string): Promise<Answer> => shelf.api('PUT', PASSWORDS_PATH, { body: { value } });
const now = async (): Promise<string> => shelf.temp.app.settings.value('archive.passwords');

const isSilent = ({ status, bytes }: Answer, where: string): void => {
  assert.ok(status < 500, where);
  for (const word of WORDS) assert.not.ok(bytes.toString('latin1').includes(word), `${word} in ${where}`);
};

block(
  'passwords of archives are secret',
  (check) => {
    check('too many, too long and unprintable ones are 400, and the answer does not repeat them', async () => {
      const bad = [
        Array.from({ length: 21 }, (_, at) => `${WORDS[0]} ${at}`).join('\n'),
        `${WORDS[1]}${'x'.repeat(100)}`,
        `${WORDS[0]}\u0000`,
        `${WORDS[0]}\t`,
        '*** (2)',
      ];
      for (const value of bad) {
        const answer = await put(value);
        assert.is(answer.status, 400, JSON.stringify(value));
        isSilent(answer, JSON.stringify(value));
        const updates = [{ key: 'archive.passwords', value }];
        isSilent(await shelf.api('POST', '/admin/settings/bulk', { body: { updates } }), 'a list of changes');
      }
      assert.is(await now(), '');
    });
    check('answers have a mask that tells their number, and is refused as a value', async () => {
      const answers = [await put(GIVEN), await shelf.api('GET', PASSWORDS_PATH)];
      for (const { status, json } of answers)
        assert.equal([status, json.value, json.defaultValue, json.isSensitive], [200, '*** (2)', '', true]);
      const refused = await put('*** (2)');
      assert.is(refused.status, 400);
      assert.match(refused.json.message, /enter the passwords themselves, one per line/);
      assert.is(await now(), GIVEN);
      const updates = [{ key: 'archive.passwords', value: `${GIVEN}\r\nthird` }];
      const [one] = (await shelf.api('POST', '/admin/settings/bulk', { body: { updates } })).json;
      assert.is(one.value, '*** (3)');
      const settings = { 'archive.passwords': GIVEN };
      isSilent(await shelf.api('PATCH', '/setup/settings', { body: { settings, skipConfiguration: false } }), 'set-up');
    });
    check('nothing that can be read has them', async () => {
      shelf.put('locked', lockedZip([{ name: '1.png', bytes: Buffer.alloc(100, 7), password: 'another' }]));
      await shelf.scan();
      const { id } = await shelf.bookOf('locked');
      for (const path of [
        '/admin/settings',
        '/admin/settings?category=Archives',
        PASSWORDS_PATH,
        `${PASSWORDS_PATH}/history`,
        '/admin/audit?pageSize=100',
        '/settings/public',
        '/settings/branding',
        '/books/errors',
        `/books/${id}`,
        `/books/${id}/pages/1`,
        '/tasks?pageSize=100',
        '/admin/logs',
        '/admin/backups',
      ])
        isSilent(await shelf.api('GET', path), path);
      const history = (await shelf.api('GET', `${PASSWORDS_PATH}/history`)).json;
      assert.ok(history.length >= 3);
      for (const { oldValue, newValue } of history) assert.match(`${oldValue}${newValue}`, /^(\*\*\* \(\d\)){1,2}$/);
      const rows = await shelf.temp.app.db.all("SELECT * FROM setting_change WHERE key = 'archive.passwords'");
      const audit = await shelf.temp.app.db.all('SELECT * FROM audit_entry');
      for (const word of WORDS) assert.not.ok(JSON.stringify([rows, audit]).includes(word));
    });
    check('only administrators read or change the setting, masked or not', async () => {
      const token = await shelf.temp.tokenOf('reader');
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { value: 'x' }],
      ] as const)
        assert.is((await shelf.temp.call(method, `/api/v1${PASSWORDS_PATH}`, { token, body })).status, 403);
      assert.is((await shelf.temp.call('GET', `/api/v1${PASSWORDS_PATH}`)).status, 401);
      assert.is(await now(), GIVEN);
    });
    check('a reset forgets them', async () => {
      const { json } = await shelf.api('POST', `${PASSWORDS_PATH}/reset`);
      assert.equal([json.value, await now()], ['', '']);
    });
    check('they cannot be set in the configuration, which says where, and does not repeat them', async () => {
      const [first = ''] = WORDS;
      const folder = mkdtempSync(join(tmpdir(), 'longbox-test-'));
      const sources: readonly [Readonly<Record<string, string>>, string | null][] = [
        [{ SVC_ARCHIVE__PASSWORDS: first }, null],
        [{}, `archive:\n  passwords: ${first}\n`],
        [{}, `archive.passwords: ${first}\n`],
        [{}, `archive:\n  passwords:\n    - ${first}\n`],
      ];
      try {
        for (const [environment, yaml] of sources) {
          const file = yaml === null ? null : join(folder, 'longbox.yaml');
          if (file !== null && yaml !== null) writeFileSync(file, yaml);
          const thrown = String(await thrownBy(async () => loadConfig({ file, environment, overrides: [] })));
          assert.match(
            thrown,
            /PUT \/api\/v1\/admin\/settings\/archive\.passwords/,
            JSON.stringify([environment, yaml]),
          );
          assert.not.ok(thrown.includes(first), thrown);
        }
        const overrides = [{ key: 'archive.passwords', text: first, from: 'test' }] as never;
        const thrown = String(await thrownBy(async () => loadConfig({ file: null, environment: {}, overrides })));
        assert.match(thrown, /archive/);
        assert.not.ok(thrown.includes(first), thrown);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
    check('all ways to change the setting reveal as little: the answer, the history and the audit log', async () => {
      const ways: readonly [method: string, path: string, body: (value: string) => unknown][] = [
        ['PUT', PASSWORDS_PATH, (value) => ({ value, changeReason: 'new' })],
        [
          'POST',
          '/admin/settings/bulk',
          (value) => ({ updates: [{ key: 'archive.passwords', value }], changeReason: 'new' }),
        ],
        [
          'PATCH',
          '/setup/settings',
          (value) => ({ settings: { 'archive.passwords': value }, skipConfiguration: false }),
        ],
      ];
      const told: unknown[] = [];
      for (const [method, path, body] of ways) {
        await shelf.api('POST', `${PASSWORDS_PATH}/reset`);
        const answer = await shelf.api(method, path, { body: body(GIVEN) });
        assert.is(answer.status, 200, path);
        isSilent(answer, path);
        assert.is(await now(), GIVEN);
        const [change] = (await shelf.api('GET', `${PASSWORDS_PATH}/history?limit=1`)).json;
        const [entry] = (await shelf.api('GET', '/admin/audit?pageSize=1')).json.data;
        told.push([change.oldValue, change.newValue, entry.action, JSON.stringify(entry.details)]);
        for (const bad of ['*** (2)', `${WORDS[1]}\u0000`]) {
          const refused = await shelf.api(method, path, { body: body(bad) });
          assert.is(refused.status, 400, path);
          isSilent(refused, path);
        }
      }
      assert.equal(told, [told[0], told[0], told[0]]);
      await shelf.api('POST', `${PASSWORDS_PATH}/reset`);
    });
    check('they are there after a restart, and nothing was logged', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-test-'));
      try {
        const first = await tempApp({ folder });
        const token = await first.tokenOf('admin');
        await first.call('PUT', `/api/v1${PASSWORDS_PATH}`, { token, body: { value: GIVEN } });
        await first.close();
        const second = await tempApp({ folder });
        assert.is(second.app.settings.value('archive.passwords'), GIVEN);
        await second.close();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
      assert.equal(leaks, []);
    });
  },
  {
    before: async () => {
      shelf = await lockedShelf();
    },
    after: () => shelf.temp.close(),
  },
);
