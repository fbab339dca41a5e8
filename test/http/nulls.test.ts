// Nulls in bodies: as if the field were absent, but where null has a meaning of its own.
import { join } from 'node:path';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token: string;
let library: string;
let book: string;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const setUp = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  writeBook(join(temp.shelf, 'One', 'One 1.cbz'), 5, 'one');
  library = (await ask('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: null })).json.id;
  await ask('POST', `/libraries/${library}/scan`);
  await until('the book is analysed', async () => (await ask('GET', '/books')).json.data[0]?.analyzed === true);
  book = (await ask('GET', '/books')).json.data[0].id;
};

block(
  'nulls in bodies',
  (check) => {
    check('progress: a null says nothing, in either spelling', async () => {
      const put = async (body: unknown): Promise<Answer> => ask('PUT', `/books/${book}/progress`, body);
      const sent = await put({ current_page: 3, is_completed: null, updated_at: null });
      assert.equal([sent.status, sent.json.currentPage, sent.json.completed], [200, 3, false]);
      assert.is((await put({ current_page: null, currentPage: 4 })).json.currentPage, 4);
      assert.is((await put({ current_page: null })).status, 400);
    });
    check('want to read: one of two ids, the other null', async () => {
      assert.is((await ask('POST', '/want-to-read', { bookId: book, seriesId: null })).status, 201);
      assert.is((await ask('POST', '/want-to-read', { bookId: null, seriesId: null })).status, 400);
      assert.is((await ask('POST', '/want-to-read/bulk', { bookIds: [book], seriesIds: null })).json.alreadyPresent, 1);
      assert.is((await ask('POST', '/want-to-read/bulk', { bookIds: [null] })).status, 400);
    });
    check('lists: null means no condition', async () => {
      const body = { condition: null, fullTextSearch: null, includeDeleted: null };
      assert.is((await ask('POST', '/books/list', body)).json.total, 1);
    });
    check(
      'collections: created as without the field; null clears what can be cleared and leaves the rest',
      async () => {
        const made = await ask('POST', '/collections', { name: 'x', summary: 'text', ordered: null, condition: null });
        assert.equal([made.status, made.json.ordered, made.json.summary], [201, false, 'text']);
        const at = `/collections/${made.json.id}`;
        const changed = (await ask('PATCH', at, { name: null, ordered: null, summary: null })).json;
        assert.equal([changed.name, changed.ordered, changed.summary], ['x', false, null]);
        assert.is((await ask('POST', '/collections', { name: null })).status, 400);
      },
    );
    check('inside objects and lists; a null that clears something is not dropped', async () => {
      const scan = { enabled: true, scanMode: null, scanOnStart: null, cronSchedule: '0 3 * * *' };
      const set = (await ask('PATCH', `/libraries/${library}`, { scanningConfig: scan })).json.scanningConfig;
      assert.equal([set.scanMode, set.scanOnStart, set.cronSchedule], ['normal', false, '0 3 * * *']);
      const cleared = await ask('PATCH', `/libraries/${library}`, { scanningConfig: { cronSchedule: null } });
      assert.is(cleared.json.scanningConfig.cronSchedule, null);
      const rules = [{ pattern: 'a', replacement: 'b', enabled: null, description: null }];
      const ruled = await ask('PATCH', `/libraries/${library}`, { titlePreprocessingRules: rules });
      assert.equal([ruled.status, ruled.json.titlePreprocessingRules[0].enabled], [200, true]);
      const at = `/books/${book}/metadata`;
      const custom = { kept: null };
      assert.equal((await ask('PATCH', at, { summary: 'x', customMetadata: custom })).json.customMetadata, custom);
      const emptied = (await ask('PATCH', at, { summary: null })).json;
      assert.equal([emptied.summary, emptied.customMetadata], [null, custom]);
    });
  },
  { before: setUp, after: () => temp.close() },
);
