// Other titles of a series over HTTP: bad input first, then the record, its lock, the records it is part of, and searches.
import { join } from 'node:path';
import { TITLES_MAX } from '../../core/catalog/alternate-titles.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
let series = '';
let other = '';

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  for (const name of ['Giants', 'Other']) writeBook(join(temp.shelf, name, `${name} 1.cbz`), 1, name);
  await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf, scanImmediately: true } });
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
  [series = '', other = ''] = (await api('GET', '/series')).json.data.map(({ id }: { id: string }) => id);
};

const at = (id = ''): string => `/series/${series}/alternate-titles${id === '' ? '' : `/${id}`}`;

const add = async (label: string, title: string): Promise<string> => {
  const answer = await api('POST', at(), { body: { label, title } });
  assert.is(answer.status, 201, JSON.stringify(answer.json));
  return answer.json.id;
};

const titles = async (): Promise<string[]> =>
  (await api('GET', at())).json.titles.map(({ title }: { title: string }) => title);

const isLocked = async (): Promise<boolean> =>
  (await api('GET', `/series/${series}/metadata/locks`)).json.alternateTitles;

/** How many series both kinds of search find. */
const found = async (query: string): Promise<number> => {
  const { data } = (await api('POST', '/series/list', { body: { fullTextSearch: query } })).json;
  const searched = (await api('POST', '/series/search', { body: { query } })).json;
  assert.equal(data, searched);
  return data.length;
};

const BAD: readonly (readonly [body: object, at: string])[] = [
  [{ title: '' }, 'title'],
  [{ title: ' \n\u0000' }, 'title'],
  [{ title: 7 }, 'title'],
  [{ title: [] }, 'title'],
  [{ title: 'x'.repeat(501) }, 'title'],
  [{ label: ' ' }, 'label'],
  [{ label: ['x'] }, 'label'],
  [{ label: 'x'.repeat(101) }, 'label'],
];

const badInput = (check: Check): void => {
  check('invalid titles and labels are 400 at their path, when adding and changing', async () => {
    const id = await add('Kept', 'Kept');
    const refused = async (method: string, path: string, body: object, field: string): Promise<void> => {
      const { status, json } = await api(method, path, { body });
      assert.equal([status, json.details?.[0]?.path], [400, field], JSON.stringify(body).slice(0, 60));
    };
    await refused('POST', at(), { title: 'x' }, 'label');
    await refused('POST', at(), { label: 'x' }, 'title');
    for (const [body, field] of BAD) {
      await refused('POST', at(), { label: 'x', title: 'x', ...body }, field);
      await refused('PATCH', at(id), body, field);
    }
    assert.equal(await titles(), ['Kept']);
  });
  check('a title of another series is 404, and readers may not change titles', async () => {
    const [{ id }] = (await api('GET', at())).json.titles;
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { title: 'x' } : undefined;
      assert.is((await api(method, `/series/${other}/alternate-titles/${id}`, { body })).status, 404);
      const reader = await temp.tokenOf('reader');
      assert.is((await api(method, at(id), { body, token: reader })).status, 403);
    }
    assert.is((await api('DELETE', at(id))).status, 204);
    assert.is((await api('DELETE', at(id))).status, 404);
    assert.equal(await titles(), []);
  });
  check(`a series has at most ${TITLES_MAX}`, async () => {
    for (let n = 0; n < TITLES_MAX; n += 1) await add('n', `Number ${n}`);
    const answer = await api('POST', at(), { body: { label: 'n', title: 'one more' } });
    assert.equal([answer.status, answer.json.message], [400, `A series has at most ${TITLES_MAX} alternate titles.`]);
    assert.is(await found('number 99'), 1);
    await api('DELETE', `/series/${series}/metadata`);
    assert.equal([await titles(), await isLocked(), await found('number 99')], [[], false, 0]);
  });
};

const use = (check: Check): void => {
  check('the record has every field of the contract; adding, changing and removing lock the list', async () => {
    const { status, json } = await api('POST', at(), { body: { label: ' Japanese ', title: ' 進撃の \t巨人 ' } });
    assert.equal([status, Object.keys(json).sort().join(' ')], [201, 'createdAt id label seriesId title updatedAt']);
    assert.equal([json.seriesId, json.label, json.title], [series, 'Japanese', '進撃の 巨人']);
    const unlock = () => api('PUT', `/series/${series}/metadata/locks`, { body: { alternateTitles: false } });
    assert.is(await isLocked(), true);
    await unlock();
    temp.advance(1000);
    assert.equal((await api('PATCH', at(json.id), { body: {} })).json, json);
    assert.is(await isLocked(), false, 'nothing was changed');
    const changed = (await api('PATCH', at(json.id), { body: { title: 'Attack on Titan' } })).json;
    assert.equal([changed.label, changed.title, changed.createdAt], ['Japanese', 'Attack on Titan', json.createdAt]);
    assert.ok(changed.updatedAt > json.updatedAt);
    assert.is(await isLocked(), true);
    await unlock();
    await api('DELETE', at(json.id));
    assert.is(await isLocked(), true);
  });
  check('they are in the full record and the metadata, in the order they were given', async () => {
    await add('English', 'Zeta');
    await add('English', 'Alpha');
    assert.equal(await titles(), ['Zeta', 'Alpha']);
    const list = (await api('GET', at())).json.titles;
    for (const path of ['?full=true', '/full', '/metadata'])
      assert.equal((await api('GET', `/series/${series}${path}`)).json.alternateTitles, list, path);
    assert.equal((await api('GET', `/series/${other}/full`)).json.alternateTitles, []);
  });
  check('a series is found by its current titles', async () => {
    const id = await add('Japanese', '進撃の巨人');
    assert.equal([await found('巨人'), await found('alph'), await found('giants zeta')], [1, 1, 1]);
    await api('PATCH', at(id), { body: { title: 'Épée' } });
    assert.equal([await found('巨人'), await found('EPEE')], [0, 1]);
    await api('DELETE', at(id));
    assert.equal([await found('epee'), await found('zeta')], [0, 1]);
    assert.equal(temp.faults, []);
  });
};

block(
  'alternate titles over HTTP',
  (check) => {
    for (const part of [badInput, use]) part(check);
  },
  { before: stock, after: () => temp.close() },
);
