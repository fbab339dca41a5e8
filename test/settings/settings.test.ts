// Settings that administrators change: refusals before changes, all over the API.
import { randomBytes } from 'node:crypto';
import { openPeople, type People } from '../access/people.js';
import type { Answer, CallOptions } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;

const ROOT = '/admin/settings';
const ask = (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> =>
  people.ask(people.admin.token, method, path, { ...(body === undefined ? {} : { body }), ...options });
const put = (key: string, value: string, changeReason?: string): Promise<Answer> =>
  ask('PUT', `${ROOT}/${key}`, { value, changeReason });
const valueNow = async (key: string): Promise<string> => (await ask('GET', `${ROOT}/${key}`)).json.value;

const values = async (): Promise<unknown> =>
  (await ask('GET', ROOT)).json.map(({ key, value, version }: Record<string, unknown>) => [key, value, version]);

const BAD: readonly (readonly [key: string, value: string, message: string])[] = [
  ['thumbnail.max_dimension', 'many', 'Invalid integer value: many'],
  ['thumbnail.max_dimension', '', 'Invalid integer value: '],
  ['thumbnail.max_dimension', '300.5', 'Invalid integer value: 300.5'],
  ['thumbnail.max_dimension', '0x190', 'Invalid integer value: 0x190'],
  ['thumbnail.max_dimension', ' 300', 'Invalid integer value:  300'],
  ['thumbnail.max_dimension', '99', 'Value 99 is below minimum 100'],
  ['thumbnail.max_dimension', '-400', 'Value -400 is below minimum 100'],
  ['thumbnail.max_dimension', '2001', 'Value 2001 is above maximum 2000'],
  ['thumbnail.jpeg_quality', '49', 'Value 49 is below minimum 50'],
  ['thumbnail.jpeg_quality', '101', 'Value 101 is above maximum 100'],
  ['auth.registration_enabled', 'yes', 'Invalid boolean value: yes'],
  ['auth.registration_enabled', 'TRUE', 'Invalid boolean value: TRUE'],
  ['auth.registration_enabled', '1', 'Invalid boolean value: 1'],
];

const NO_NAMES = ['', ' ', ' x', 'a\nb', 'a\u0000b', 'x'.repeat(101)];

const refused = (check: Check): void => {
  for (const [key, value, message] of BAD)
    check(`${key}: ${JSON.stringify(value)} is 400, and says why`, async () => {
      const before = await values();
      const { status, json } = await put(key, value);
      assert.equal([status, json.message, json.details[0].path], [400, message, key]);
      assert.is((await ask('POST', `${ROOT}/bulk`, { updates: [{ key, value }] })).json.message, message);
      assert.equal(await values(), before);
    });
  check('a name is one line, neither empty nor long; a template has a bound', async () => {
    const before = await values();
    for (const name of NO_NAMES) assert.is((await put('application.name', name)).status, 400, JSON.stringify(name));
    assert.is((await put('display.custom_metadata_template', 'é'.repeat(8193))).status, 400);
    assert.is((await put('application.name', 'x'.repeat(70_000))).status, 400);
    assert.equal(await values(), before);
  });
  check('an unknown key is 404 wherever it is in the address, 400 in a list', async () => {
    for (const key of [
      'scanner.batch_size',
      'plugins.x',
      '__proto__',
      'constructor',
      'Application.Name',
      randomBytes(8).toString('hex'),
    ]) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PUT', '', { value: '1' }],
        ['POST', '/reset', undefined],
        ['GET', '/history', undefined],
      ] as const) {
        const { status, json } = await ask(method, `${ROOT}/${key}${path}`, body);
        assert.equal([status, json.message], [404, `Setting '${key}' not found`]);
      }
      assert.is((await ask('POST', `${ROOT}/bulk`, { updates: [{ key, value: '1' }] })).status, 400);
      const body = `{"settings":{"${key}":"1"},"skipConfiguration":false}`;
      assert.is((await ask('PATCH', '/setup/settings', body)).status, 400);
    }
  });
  check('of several, one that cannot be changes none', async () => {
    const good = { key: 'application.name', value: 'Other' };
    const before = await values();
    for (const bad of [
      { key: 'thumbnail.jpeg_quality', value: '1000' },
      { key: 'nothing', value: '1' },
      { key: 'application.name', value: 'Twice' },
    ])
      for (const updates of [
        [good, bad],
        [bad, good],
      ])
        assert.is((await ask('POST', `${ROOT}/bulk`, { updates })).status, 400);
    const settings = { 'application.name': 'Other', 'thumbnail.jpeg_quality': '1000' };
    assert.is((await ask('PATCH', '/setup/settings', { settings, skipConfiguration: false })).status, 400);
    assert.equal(await values(), before);
    assert.equal((await ask('GET', `${ROOT}/application.name/history`)).json, []);
  });
  check('values that are no text, long lists and long reasons are 400', async () => {
    for (const value of [1, true, null, undefined, ['x']]) {
      assert.is((await ask('PUT', `${ROOT}/thumbnail.jpeg_quality`, { value })).status, 400);
      assert.is(
        (await ask('PATCH', '/setup/settings', { settings: { a: value ?? null }, skipConfiguration: false })).status,
        400,
      );
    }
    assert.is((await put('application.name', 'x', 'r'.repeat(1001))).status, 400);
    const updates = Array.from({ length: 101 }, () => ({ key: 'application.name', value: 'x' }));
    assert.is((await ask('POST', `${ROOT}/bulk`, { updates })).status, 400);
    for (const limit of ['0', '-1', 'x'])
      assert.is((await ask('GET', `${ROOT}/application.name/history?limit=${limit}`)).status, 400);
  });
};

const changed = (check: Check): void => {
  check('the list is ordered by category and key; a category has its own', async () => {
    const { json } = await ask('GET', ROOT);
    const order = json.map((one: { category: string; key: string }) => `${one.category} ${one.key}`);
    assert.equal(order, [...order].sort());
    assert.equal(new Set(json.map((one: { id: string }) => one.id)).size, json.length);
    const some = (await ask('GET', `${ROOT}?category=Thumbnail`)).json;
    assert.equal(
      some.map(({ key }: { key: string }) => key),
      ['book_cron_schedule', 'jpeg_quality', 'max_dimension', 'series_cron_schedule'].map((key) => `thumbnail.${key}`),
    );
    assert.equal((await ask('GET', `${ROOT}?category=Scanner`)).json, []);
  });
  check('a change says who made it, when, why and from where, and is entered in the audit log', async () => {
    people.temp.advance(1000);
    const body = { value: 'Reading room', changeReason: 'We have moved.' };
    const { json } = await ask('PUT', `${ROOT}/application.name`, body, { address: '192.0.2.7' });
    assert.equal(
      [json.value, json.defaultValue, json.version, json.updatedBy],
      ['Reading room', 'Longbox', 2, people.admin.id],
    );
    assert.equal((await ask('GET', `${ROOT}/application.name`)).json, json);
    const [entry, ...rest] = (await ask('GET', `${ROOT}/application.name/history`)).json;
    assert.equal(rest, []);
    const { id, changedAt, ...said } = entry;
    assert.equal(said, {
      settingId: json.id,
      key: 'application.name',
      oldValue: 'Longbox',
      newValue: 'Reading room',
      changedBy: people.admin.id,
      changeReason: 'We have moved.',
      ipAddress: '192.0.2.7',
    });
    assert.equal([typeof id, changedAt], ['string', json.updatedAt]);
    const [audit] = (await ask('GET', '/admin/audit?action=setting.update')).json.data;
    assert.equal(
      [audit.target.id, audit.target.name, audit.details, audit.address],
      [json.id, 'application.name', { value: 'Reading room' }, '192.0.2.7'],
    );
  });
  check('a reset leads back to the default, and is a change like others', async () => {
    const { json } = await ask('POST', `${ROOT}/application.name/reset`);
    assert.equal([json.value, json.version], ['Longbox', 3]);
    const [entry] = (await ask('GET', `${ROOT}/application.name/history?limit=1`)).json;
    assert.equal(
      [entry.oldValue, entry.newValue, entry.changeReason],
      ['Reading room', 'Longbox', 'Reset to default via admin API'],
    );
    assert.is((await ask('GET', '/admin/audit?action=setting.reset')).json.total, 1);
  });
  check('several are changed at once and answered in their order; a number is stored in its plain form', async () => {
    const updates = [
      { key: 'thumbnail.max_dimension', value: '0300' },
      { key: 'display.custom_metadata_template', value: '{{ notes }}' },
    ];
    const { json } = await ask('POST', `${ROOT}/bulk`, { updates, changeReason: 'larger' });
    assert.equal(
      json.map(({ key, value }: { key: string; value: string }) => [key, value]),
      [
        ['thumbnail.max_dimension', '300'],
        ['display.custom_metadata_template', '{{ notes }}'],
      ],
    );
    assert.is((await ask('GET', `${ROOT}/thumbnail.max_dimension/history`)).json[0].changeReason, 'larger');
    assert.equal((await ask('POST', `${ROOT}/bulk`, { updates: [] })).json, []);
  });
  check('the set-up changes settings, or skips them', async () => {
    const settings = { 'application.name': 'Skipped', nonsense: 'x' };
    const skipped = (await ask('PATCH', '/setup/settings', { settings, skipConfiguration: true })).json;
    assert.equal([skipped.settingsConfigured, await valueNow('application.name')], [0, 'Longbox']);
    const body = {
      settings: { 'application.name': 'Set up', 'thumbnail.jpeg_quality': '90' },
      skipConfiguration: false,
    };
    assert.is((await ask('PATCH', '/setup/settings', body)).json.settingsConfigured, 2);
    assert.equal([await valueNow('application.name'), await valueNow('thumbnail.jpeg_quality')], ['Set up', '90']);
    const [{ changeReason }] = (await ask('GET', `${ROOT}/application.name/history`)).json;
    assert.is(changeReason, 'Set-up settings', 'it can be called at any time');
  });
  check('changes at the same time are all in the history, each from the value before', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => put('application.name', `Name ${n}`)));
    const history = (await ask('GET', `${ROOT}/application.name/history?limit=20`)).json;
    for (const [n, entry] of history.slice(0, -1).entries()) assert.is(entry.oldValue, history[n + 1].newValue);
    assert.is(await valueNow('application.name'), history[0].newValue);
  });
  check('of each setting the newest thousand changes are kept', async () => {
    await people.temp.app.db.write(null, 'background', async (tx) => {
      await tx.run(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
         INSERT INTO setting_change (uuid, key, old_value, new_value, changed_by, changed_at)
         SELECT randomblob(16), 'thumbnail.jpeg_quality', '1', i, randomblob(16), i FROM n`,
      );
      tx.report({ kind: 'setting', change: 'updated', keys: 'all', aspects: 64 });
    });
    await put('thumbnail.jpeg_quality', '80');
    const history = (await ask('GET', `${ROOT}/thumbnail.jpeg_quality/history`)).json;
    assert.equal([history.length, history[0].newValue, history.at(-1).newValue], [1000, '80', '102']);
    const [row] = await people.temp.app.db.all<{ n: number }>(
      "SELECT count(*) AS n FROM setting_change WHERE key = 'thumbnail.jpeg_quality'",
    );
    assert.is(row?.n, 1000);
  });
};

block(
  'settings',
  (check) => {
    refused(check);
    changed(check);
    check('nothing was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
