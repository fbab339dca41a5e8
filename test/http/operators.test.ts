// Operators of conditions over HTTP: the six of the contract, on every field there is.
import { join } from 'node:path';
import { BOOK_FIELDS, SERIES_FIELDS } from '../../core/catalog/conditions/fields.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token: string;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const setUp = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  for (const name of ['Alpha', 'Beta']) writeBook(join(temp.shelf, name, `${name}.cbz`), 2, name);
  await ask('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
  await until('the scan ends', async () => (await ask('GET', '/scans/active')).json.length === 0);
  const [{ id, seriesId }] = (await ask('GET', '/books')).json.data;
  await ask('PATCH', `/books/${id}/metadata`, { summary: 'text', bookType: 'comic', titleSort: 'eee' });
  await ask('PATCH', `/series/${seriesId}/metadata`, { year: 1, totalVolumeCount: 1, language: 'en', status: 'ended' });
};

block(
  'operators of conditions',
  (check) => {
    check('all six operators exist for every field; a field that is never empty is not null in any row', async () => {
      const id = '01890000-0000-7000-8000-000000000000';
      const valueFor = (field: string, operator: string): unknown => {
        if (operator === 'contains' || operator === 'beginsWith') return 'e';
        if (field === 'libraryId' || field === 'seriesId') return id;
        if (/^(?:has|in[A-Z]|is|completion)/.test(field)) return true;
        if (field === 'dateAdded') return '2020-01-01T00:00:00Z';
        return /year|Count|Rating$/.test(field) ? 1 : 'read';
      };
      for (const [path, fields, never] of [
        [
          '/books/list',
          BOOK_FIELDS,
          [
            'libraryId',
            'seriesId',
            'title',
            'readStatus',
            'hasError',
            'inReadList',
            'format',
            'path',
            'pageCount',
            'dateAdded',
          ],
        ],
        [
          '/series/list',
          SERIES_FIELDS,
          [
            'libraryId',
            'name',
            'title',
            'readStatus',
            'inCollection',
            'isTracked',
            'hasExternalSourceId',
            'hasUserRating',
            'path',
            'dateAdded',
          ],
        ],
      ] as const) {
        const { total } = (await ask('POST', path, {})).json;
        const count = async (field: string, operator: string): Promise<number> => {
          const { status, json } = await ask('POST', path, {
            condition: { [field]: { operator, value: valueFor(field, operator) } },
          });
          assert.is(status, 200, `${field} ${operator} ${json.message}`);
          return json.total;
        };
        for (const field of Object.keys(fields)) {
          const [without, having] = [await count(field, 'isNull'), await count(field, 'isNotNull')];
          assert.is(without + having, total, field);
          if (never.some((one) => one === field)) assert.is(without, 0, field);
          const known = field === 'completion' ? having : total; // who does not say how many volumes there are is neither
          assert.is((await count(field, 'is')) + (await count(field, 'isNot')), known, field);
          for (const operator of ['contains', 'beginsWith'])
            assert.ok((await count(field, operator)) <= (field === 'titleSort' ? total : having), field);
        }
      }
    });
    check('no answer was a server error', () => assert.equal(temp.faults, []));
  },
  { before: setUp, after: () => temp.close() },
);
