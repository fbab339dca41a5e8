// Who caused a write: the user on whose behalf it happens, or the server itself.
import { join } from 'node:path';
import { type Batch, type By, SYSTEM } from '../../core/store/feed.js';
import { tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

/** Who caused the batches that report rows of a kind. */
const causesOf = (batches: readonly Batch[], kind: string, change: string): By[] => [
  ...new Set(
    batches
      .filter(({ reports }) => reports.some((report) => report.kind === kind && report.change === change))
      .map(({ by }) => by),
  ),
];

block('who caused a write', (check) => {
  check('the batches of a request name its user, those of a scan and a removal the server', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      const [user] = await temp.app.db.all<{ id: number }>('SELECT id FROM user');
      assert.ok(user !== undefined);
      const told: Batch[] = [];
      temp.app.db.feed.listen({ onBatch: (batch) => told.push(batch), forget: () => undefined });
      writeBook(join(temp.shelf, 'Alpha', 'Alpha 1.cbz'), 1, 'Alpha 1');
      const ask = async (method: string, path: string, body?: object): Promise<string> => {
        const answer = await temp.call(method, `/api/v1${path}`, body === undefined ? { token } : { token, body });
        assert.ok(answer.status < 300, answer.json?.message);
        return answer.json?.id;
      };
      const library = `/libraries/${await ask('POST', '/libraries', { name: 'Shelf', path: temp.shelf })}`;
      await ask('PATCH', library, { description: 'Mine' });
      await ask('POST', `${library}/scan`);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const list = `/readlists/${await ask('POST', '/readlists', { name: 'List' })}`;
      await ask('DELETE', list);
      const [book] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
      await ask('PUT', `/books/${book.id}/progress`, { current_page: 1 });
      for (const [kind, change] of [
        ['library', 'created'],
        ['read_list', 'created'],
        ['read_list', 'removed'],
      ] as const)
        assert.equal(causesOf(told, kind, change), [user.id], `${kind} ${change}`);
      assert.ok(causesOf(told, 'library', 'updated').includes(user.id));
      const readings = told.filter(({ reports }) => reports.some(({ userKey }) => userKey === user.id));
      assert.equal(
        readings.map(({ by }) => by),
        [user.id],
      );
      assert.equal(causesOf(told, 'book', 'created'), [SYSTEM]);
      assert.equal(causesOf(told, 'series', 'created'), [SYSTEM]);
      await ask('DELETE', library);
      await until('its rows are gone', () => causesOf(told, 'library', 'removed').length > 0);
      assert.equal(causesOf(told, 'book', 'removed'), [SYSTEM]);
    } finally {
      await temp.close();
    }
  });
});
