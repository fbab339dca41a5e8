// How users want to read: the bad before the good, over the API, with things that somebody may not see.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
let libraries: readonly string[] = [];
/** By their title. */
let series: Readonly<Record<string, string>> = {};
/** The first book of a series. */
const bookIn = async (title: string): Promise<string> => {
  const { json } = await people.ask(people.admin.token, 'GET', `/series/${series[title]}/books`);
  return (json.data ?? json)[0].id;
};

const UNKNOWN = '01890000-0000-7000-8000-000000000000';
const PATH = '/user/reader-profiles';

const put = (who: Person, body: object): Promise<Answer> => people.ask(who.token, 'PUT', PATH, { body });
const get = (who: Person, rest = ''): Promise<Answer> => people.ask(who.token, 'GET', PATH + rest);
const drop = (who: Person, id: string): Promise<Answer> => people.ask(who.token, 'DELETE', `${PATH}/${id}`);
const valuesOf = async (who: Person, rest = ''): Promise<readonly unknown[]> =>
  (await get(who, rest)).json.data.map(({ value }: { value: unknown }) => value);
const limitTo = (who: Person, libraryIds: readonly string[] | null): Promise<Answer> =>
  people.ask(people.admin.token, 'PATCH', `/users/${who.id}`, { body: { libraryIds } });

const stock = async (): Promise<void> => {
  const { temp, admin, ask } = people;
  for (const [n, names] of [['Ants', 'Bees'], ['Cats']].entries()) {
    for (const name of names) writeBook(join(temp.shelf, String(n), name, `${name} 1.cbz`), 1, name);
    const body = { name: `L${n}`, path: join(temp.shelf, String(n)), scanImmediately: true };
    libraries = [...libraries, (await ask(admin.token, 'POST', '/libraries', { body })).json.id];
  }
  await until('the scans end', () => temp.app.scans.active().length === 0);
  const { json } = await ask(admin.token, 'GET', '/series');
  series = Object.fromEntries(json.data.map(({ id, title }: { id: string; title: string }) => [title, id]));
};

const refused = (check: Check): void => {
  check('both a series and a library, no value, too large a value, and a device that is no word are 400', async () => {
    for (const body of [
      { seriesId: series.Ants, libraryId: libraries[0], value: 1 },
      { seriesId: series.Ants },
      { seriesId: 'x', value: 1 },
      { value: 'x'.repeat(8 * 1024 - 1) },
      { device: '', value: 1 },
      { device: 'My Tablet', value: 1 },
      { device: 'x'.repeat(33), value: 1 },
    ])
      assert.is((await put(ann, body)).status, 400, JSON.stringify(body).slice(0, 80));
    for (const query of [
      `seriesId=${series.Ants}&libraryId=${libraries[0]}`,
      `bookId=${UNKNOWN}&seriesId=${series.Ants}`,
      'bookId=x',
    ])
      assert.is((await get(ann, `?${query}`)).status, 400, query);
    assert.is((await get(ann)).json.total, 0);
  });
  check('what does not exist is 404, wherever it is named', async () => {
    for (const body of [{ seriesId: UNKNOWN }, { libraryId: UNKNOWN }]) {
      assert.is((await put(ann, { ...body, value: 1 })).status, 404);
      assert.is((await get(ann, `?${new URLSearchParams(body as Record<string, string>)}`)).status, 404);
    }
    assert.is((await get(ann, `?bookId=${UNKNOWN}`)).status, 404);
    assert.equal([(await get(ann, `/${UNKNOWN}`)).status, (await drop(ann, UNKNOWN)).status], [404, 404]);
  });
  check("somebody else's does not exist", async () => {
    const bob = await people.join('bob');
    const { id } = (await put(ann, { value: 'of ann' })).json;
    assert.equal([(await get(bob, `/${id}`)).status, (await drop(bob, id)).status], [404, 404]);
    assert.equal([(await get(bob)).json.total, (await get(ann, `/${id}`)).json.value], [0, 'of ann']);
    assert.is((await drop(ann, id)).status, 204);
    assert.is((await drop(ann, id)).status, 404);
  });
  check('one more than ten thousand is 409; those that are there can still be changed', async () => {
    const cat = await people.join('cat');
    await people.temp.app.db.write(null, 'background', async (tx) => {
      await tx.run(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO reader_profile (uuid, user_id, device, value, created_at, updated_at)
         SELECT randomblob(16), u.id, 'd' || i, '1', 0, 0 FROM n, user u WHERE u.username = 'cat'`,
      );
      tx.report({ kind: 'reader_profile', change: 'updated', keys: 'all', aspects: 64 });
    });
    assert.is((await put(cat, { value: 1 })).status, 409);
    assert.is((await put(cat, { device: 'd7', value: 2 })).status, 200);
    assert.is((await get(cat)).json.total, 10_000);
    assert.is((await people.ask(people.admin.token, 'DELETE', `/users/${cat.id}`)).status, 204);
  });
};

const stored = (check: Check): void => {
  check('one for the same things and device takes the place of the one before', async () => {
    const first = (await put(ann, { seriesId: series.Ants, device: 'tablet', value: { fit: 'width' } })).json;
    assert.equal(
      [first.seriesId, first.libraryId, first.device, first.value],
      [series.Ants, null, 'tablet', { fit: 'width' }],
    );
    people.temp.advance(1000);
    const second = (await put(ann, { seriesId: series.Ants, device: 'tablet', value: null })).json;
    assert.equal([second.id, second.createdAt, second.value], [first.id, first.createdAt, null]);
    assert.is(Date.parse(second.updatedAt) - Date.parse(first.updatedAt), 1000);
    assert.equal((await get(ann, `/${first.id}`)).json, second);
    await drop(ann, first.id);
  });
  check('what applies to a series is listed from the series to everything, for the device before any', async () => {
    for (const [value, place] of [
      ['all', {}],
      ['all phone', { device: 'phone' }],
      ['library', { libraryId: libraries[0] }],
      ['other library', { libraryId: libraries[1] }],
      ['series', { seriesId: series.Ants }],
      ['series tablet', { seriesId: series.Ants, device: 'tablet' }],
      ['series phone', { seriesId: series.Ants, device: 'phone' }],
      ['other series', { seriesId: series.Bees, device: 'phone' }],
    ] as const)
      await put(ann, { ...place, value });
    assert.equal(await valuesOf(ann, `?seriesId=${series.Ants}&device=phone`), [
      'series phone',
      'series',
      'library',
      'all phone',
      'all',
    ]);
    const book = `?bookId=${await bookIn('Ants')}`;
    for (const rest of ['', '&device=phone', '&page=2&pageSize=2'])
      assert.equal(await valuesOf(ann, book + rest), await valuesOf(ann, `?seriesId=${series.Ants}${rest}`), rest);
    assert.equal(await valuesOf(ann, `${book}&pageSize=3`), ['series phone', 'series tablet', 'series']);
    assert.equal(await valuesOf(ann, `?libraryId=${libraries[1]}&device=tablet`), ['other library', 'all']);
    assert.equal(await valuesOf(ann, `?seriesId=${series.Cats}&page=2&pageSize=1`), ['all phone']);
    assert.is((await get(ann)).json.total, 8);
    assert.equal(await valuesOf(ann, '?device=tablet&pageSize=3'), ['all', 'library', 'other library']);
  });
  check('what is about a hidden series or library does not exist, and is back with it', async () => {
    const { json } = await get(ann, `?libraryId=${libraries[1]}`);
    const { id } = json.data.find(({ value }: { value: unknown }) => value === 'other library');
    await put(ann, { seriesId: series.Cats, value: 'of the hidden series' });
    await limitTo(ann, [libraries[0] ?? '']);
    const shown = await valuesOf(ann, '?pageSize=100');
    assert.not.ok(shown.includes('other library') || shown.includes('of the hidden series'));
    assert.is((await get(ann)).json.total, shown.length);
    assert.equal([(await get(ann, `/${id}`)).status, (await drop(ann, id)).status], [404, 404]);
    assert.is((await get(ann, `?libraryId=${libraries[1]}`)).status, 404);
    assert.is((await get(ann, `?bookId=${await bookIn('Cats')}`)).status, 404);
    for (const place of [{ seriesId: series.Cats }, { libraryId: libraries[1] }])
      assert.is((await put(ann, { ...place, value: 'overwritten' })).status, 404);
    await limitTo(ann, null);
    assert.is((await get(ann, `/${id}`)).json.value, 'other library');
    assert.equal(await valuesOf(ann, `?seriesId=${series.Cats}&pageSize=1`), ['of the hidden series']);
  });
  check('it goes with its series and its library', async () => {
    const { temp, admin, ask } = people;
    const before = (await get(ann)).json.total;
    rmSync(join(temp.shelf, '1'), { recursive: true });
    assert.is((await ask(admin.token, 'DELETE', `/libraries/${libraries[1]}`)).status, 204);
    assert.is((await get(ann)).json.total, before - 2, 'at once');
    await until('the library is gone', async () => (await temp.app.db.all('SELECT 1 FROM library')).length === 1);
    const rows = await temp.app.db.all<{ n: number }>('SELECT count(*) AS n FROM reader_profile');
    assert.is(rows[0]?.n, before - 2);
  });
};

block(
  'reader profiles',
  (check) => {
    refused(check);
    stored(check);
    check('nothing was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople(await tempApp());
      ann = await people.join('ann');
      await stock();
    },
    after: () => people.temp.close(),
  },
);
