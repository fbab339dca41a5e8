// When keys and sessions were used last: told at once, stored together and seldom, within a bound.
import { LastUse } from '../../core/access/last-use.js';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import type { Batch } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';
import { openPeople, type People, type Person } from './people.js';

let people: People;
let ann: Person;
let key = '';
let id = '';

const stored = async (): Promise<number | null> =>
  (await people.temp.app.db.all<{ at: number | null }>('SELECT last_used_at AS at FROM api_key'))[0]?.at ?? null;

const told = async (): Promise<string | null> =>
  (await people.ask(ann.token, 'GET', `/api-keys/${id}`)).json.last_used_at;

const use = async (): Promise<number> => {
  people.temp.advance(1000);
  assert.is((await people.ask(key, 'GET', '/books')).status, 200);
  return people.temp.app.clock.now();
};

/** The jobs that a start leaves to be run, among them the storing of uses, are over. */
const afterStart = (temp: TempApp): Promise<void> =>
  new Promise((done) => temp.app.tasks.regularly(60_000, async () => done()));

/** What is reported meanwhile. */
const batchesOf = async (body: () => Promise<unknown>): Promise<readonly Batch[]> => {
  const seen: Batch[] = [];
  people.temp.app.db.feed.listen({ onBatch: (batch) => seen.push(batch), forget: () => undefined });
  await body();
  return [...seen];
};

block(
  'last use',
  (check) => {
    check('a use is told at once and writes nothing; many are stored as one', async () => {
      assert.is(await told(), null);
      let at = 0;
      const during = await batchesOf(async () => {
        for (let n = 0; n < 10; n += 1) at = await use();
      });
      assert.equal([during.length, await stored()], [0, null]);
      assert.is(await told(), new Date(at).toISOString());
      const after = await batchesOf(() => people.temp.app.lastUse.store());
      assert.equal(new Set(after.flatMap(({ reports }) => reports.map(({ kind }) => kind))), new Set(['last_use']));
      assert.equal([await stored(), await told()], [at, new Date(at).toISOString()]);
      assert.equal(await batchesOf(() => people.temp.app.lastUse.store()), [], 'an idle server writes nothing');
    });
    check('an answer that is kept is not made anew because somebody was seen', async () => {
      const { header } = await people.ask(key, 'GET', '/books');
      await use();
      await people.temp.app.lastUse.store();
      const again = await people.ask(key, 'GET', '/books', { headers: { 'if-none-match': header('etag') ?? '' } });
      assert.is(again.status, 304);
    });
    check('what cannot be stored is stored later, and a use meanwhile is not lost', async () => {
      const { db } = people.temp.app;
      let failing = true;
      const lastUse = new LastUse({
        ...db,
        write: (...given) => (failing ? Promise.reject(new Error('no room')) : db.write(...given)),
      });
      const via = { kind: 'api-key', id, name: 'x', expiresAt: null } as const;
      lastUse.note(via, 5e12);
      assert.match(String(await thrownBy(() => lastUse.store())), /no room/);
      lastUse.note(via, 6e12);
      failing = false;
      await lastUse.store();
      assert.is(await stored(), 6e12);
      lastUse.note(via, 1);
      await lastUse.store();
      assert.is(await stored(), 6e12, 'never earlier than before');
    });
    check('a use while the one before is being stored is stored the next time', async () => {
      const { db } = people.temp.app;
      const via = { kind: 'api-key', id, name: 'x', expiresAt: null } as const;
      const lastUse: LastUse = new LastUse({
        ...db,
        write: async (...given) => {
          lastUse.note(via, 8e12);
          return db.write(...given);
        },
      });
      lastUse.note(via, 7e12);
      await lastUse.store();
      assert.equal([await stored(), lastUse.of('api-key', id, 7e12)], [7e12, 8e12]);
      await lastUse.store();
      assert.is(await stored(), 8e12);
    });
    check('so many are noted and no more', () => {
      const lastUse = new LastUse(people.temp.app.db);
      const ids = Array.from({ length: 10_001 }, (_, n) => uuidOfHex(newId(n)));
      for (const one of ids) lastUse.note({ kind: 'session', id: one }, 7);
      assert.equal(
        [lastUse.of('session', ids[9999] ?? '', null), lastUse.of('session', ids[10_000] ?? '', null)],
        [7, null],
      );
      lastUse.note({ kind: 'session', id: ids[0] ?? '' }, 8);
      assert.is(lastUse.of('session', ids[0] ?? '', null), 8);
    });
    check('uses since the last minute are stored when the server stops', async () => {
      const temp = await tempApp();
      const other = await openPeople(temp);
      const made = (await other.ask(other.admin.token, 'POST', '/api-keys', { body: { name: 'x' } })).json;
      await afterStart(temp);
      await other.ask(made.key, 'GET', '/books');
      await temp.app.stop();
      const again = await tempApp({ folder: temp.folder });
      const [row] = await again.app.db.all<{ at: number | null }>('SELECT last_used_at AS at FROM api_key');
      assert.ok(row?.at);
      await again.app.stop();
      await temp.close();
    });
    check('a key is the device of what is read with it', async () => {
      writeBook(`${people.temp.shelf}/A/one.cbz`, 3, 'a');
      const body = { name: 'Shelf', path: people.temp.shelf };
      const library = (await people.ask(people.admin.token, 'POST', '/libraries', { body })).json;
      await people.ask(people.admin.token, 'POST', `/libraries/${library.id}/scan`);
      await until('the scan ends', () => people.temp.app.scans.active().length === 0);
      const [book] = (await people.ask(key, 'GET', '/books')).json.data;
      const read = await people.ask(key, 'PUT', `/books/${book.id}/progress`, { body: { current_page: 2 } });
      assert.is(read.status, 200);
      const { db } = people.temp.app;
      assert.equal(await db.all('SELECT device_id, device_name FROM read_progress'), [
        { device_id: id, device_name: 'Tablet' },
      ]);
    });
  },
  {
    before: async () => {
      people = await openPeople();
      await afterStart(people.temp);
      ann = await people.join('ann');
      ({ id, key } = (await people.ask(ann.token, 'POST', '/api-keys', { body: { name: 'Tablet' } })).json);
    },
    after: () => people.temp.close(),
  },
);
