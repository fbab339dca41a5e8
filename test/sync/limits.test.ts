// Limits of e-reader sync: what a user may see, how many documents are kept, and bodies that nobody should send.
import { DOCUMENTS_MAX } from '../../core/sync/documents.js';
import { assert, block, type Check } from '../kit.js';
import { type DeviceShelf, openDeviceShelf, SECRET } from './device-shelf.js';
import { deviceWith, signedIn } from './devices.js';

let on: DeviceShelf;

const limits = (check: Check): void => {
  check('a book that is hidden is an unknown document, before and after', async () => {
    const book = await on.bookAt('plain.cbz');
    const bea = await on.people.join('bea');
    await on.people.ask(bea.token, 'PUT', '/user/sync-secret', { body: { secret: SECRET } });
    const device = deviceWith(on.shelf.temp, signedIn('bea', SECRET), 'hers');
    await on.people.ask(on.people.admin.token, 'PATCH', `/users/${bea.id}`, { body: { libraryIds: [] } });
    assert.equal((await device.pull(book.koreaderHash)).json, {});
    await device.push({ document: book.koreaderHash, progress: '4', percentage: 0.4 });
    assert.is((await device.pull(book.koreaderHash)).json.progress, '4');
    const rows = await on.shelf.temp.app.db.all(
      "SELECT 1 FROM read_progress p JOIN user u ON u.id = p.user_id WHERE u.username = 'bea'",
    );
    assert.is(rows.length, 0);
    await on.people.ask(on.people.admin.token, 'PATCH', `/users/${bea.id}`, { body: { libraryIds: null } });
    await device.push({ document: book.koreaderHash, progress: '5', percentage: 0.5 });
    assert.is((await on.people.ask(bea.token, 'GET', `/books/${book.id}/progress`)).json.currentPage, 5);
    await on.people.ask(on.people.admin.token, 'PATCH', `/users/${bea.id}`, { body: { libraryIds: [] } });
    assert.is((await device.pull(book.koreaderHash)).json.progress, '5');
  });
  check('of 10,001 documents the one that was reported the longest ago goes, for this user alone', async () => {
    const cleo = await on.people.join('cleo');
    await on.people.ask(cleo.token, 'PUT', '/user/sync-secret', { body: { secret: SECRET } });
    const device = deviceWith(on.shelf.temp, signedIn('cleo', SECRET), 'theirs');
    await device.push({ document: 'oldest', progress: '1', percentage: 0 });
    on.shelf.temp.advance(1000);
    await device.push({ document: 'older', progress: '1', percentage: 0 });
    const { db, clock } = on.shelf.temp.app;
    const { user } = await on.shelf.temp.app.callers.byToken(cleo.token);
    await db.write(user.key, 'interactive', async (tx) => {
      await tx.run(
        `WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
         INSERT INTO sync_document (user_id, document, progress, percentage, device, read_at) SELECT ?1, 'd' || i, '1', 0, 'x', ?2 FROM n`,
        [user.key, clock.now() + 1, DOCUMENTS_MAX],
      );
      tx.report({ kind: 'document', change: 'updated', keys: [user.key], aspects: 64, userKey: user.key });
    });
    on.shelf.temp.advance(5000);
    await device.push({ document: 'oldest', progress: '2', percentage: 0 });
    on.shelf.temp.advance(5000);
    await device.push({ document: 'newest', progress: '1', percentage: 0 });
    const [{ n } = { n: 0 }] = await db.all<{ n: number }>(
      'SELECT count(*) AS n FROM sync_document WHERE user_id = ?',
      [user.key],
    );
    assert.is(n, DOCUMENTS_MAX);
    assert.equal((await device.pull('older')).json, {});
    for (const document of ['oldest', 'newest', 'd3', `d${DOCUMENTS_MAX}`])
      assert.is((await device.pull(document)).json.document, document);
    assert.is((await on.people.ask(on.people.admin.token, 'DELETE', `/users/${cleo.id}`)).status, 204);
    assert.is((await device.pull('newest')).status, 401);
    for (const table of ['sync_document', 'sync_secret'])
      assert.equal(await db.all(`SELECT 1 FROM ${table} WHERE user_id = ?`, [user.key]), []);
  });
  check('hostile bodies are refused in words', async () => {
    const call = (body: string): Promise<{ readonly status: number }> =>
      on.shelf.temp.call('PUT', '/koreader/syncs/progress', { ...signedIn('ann', SECRET), body });
    const sound = { document: 'd', progress: '1', percentage: 0, device: 'x', device_id: 'y' };
    const with_ = (more: object): string => JSON.stringify({ ...sound, ...more });
    for (const body of [
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      `{"a":${'{"a":'.repeat(70)}1${'}'.repeat(71)}`,
      with_({ progress: 'x'.repeat(4097) }),
      with_({ progress: 'a\u0000b' }),
      with_({ progress: '\ud800' }),
      with_({ progress: ['1'] }),
      with_({ device: 'x'.repeat(256) }),
      with_({ device: '\u001b[2J' }),
      with_({ device_id: { a: 1 } }),
      with_({ percentage: '1e999' }),
      '{"document":"d","progress":"1","percentage":1e999,"device":"x"}',
      '\ufeff{}',
    ]) {
      const { status } = await call(body);
      assert.ok(status === 400 || status === 403, `${status} ${body.slice(0, 60)}`);
    }
    assert.is(
      (await call(with_({ metadata: { filename: '\u0000'.repeat(100), title: 5, authors: null } }))).status,
      200,
    );
    assert.equal(on.shelf.temp.faults, []);
  });
};

block(
  'limits of e-reader sync',
  (check) => {
    limits(check);
  },
  {
    before: async () => {
      on = await openDeviceShelf();
    },
    after: () => on.shelf.temp.close(),
    deadlineS: 120,
  },
);
