// What strategies for titles and numbers would make of books: of a folder before it is a library, and of a library that exists.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token = '';
let libraryId = '';

const SMART = { bookStrategy: 'smart', numberStrategy: 'smart' };
const PLAIN = { bookStrategy: 'filename', numberStrategy: 'file_order' };

const api = (method: string, path: string, body?: unknown, as = token): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token: as, ...(body === undefined ? {} : { body }) });

const info = (fields: string) => [
  { name: 'ComicInfo.xml', bytes: Buffer.from(`<?xml version="1.0"?><ComicInfo>${fields}</ComicInfo>`) },
];

interface Shown {
  readonly fileName: string;
  readonly title: string;
  readonly number: number | null;
}

const examplesOf = async (body: object): Promise<readonly (readonly [string, string, number | null])[]> => {
  const { status, json } = await api('POST', '/libraries/preview-scan', { path: temp.shelf, ...body });
  assert.is(status, 200, JSON.stringify(json));
  return json.examples.map(({ fileName, title, number }: Shown) => [fileName, title, number] as const);
};

const preview = (body: object, as = token) => api('POST', `/libraries/${libraryId}/preview-strategies`, body, as);

/** As the library shows them now. */
const shown = async (): Promise<readonly (readonly [string, number | null])[]> => {
  const { json } = await api('GET', '/books?pageSize=50&sort=title,asc');
  return json.data.map(({ title, number }: Shown) => [title, number]);
};

const scanned = (): Promise<void> => until('the scan ends', () => temp.app.scans.active().length === 0);

block(
  'previews of strategies',
  (check) => {
    check('a folder: metadata first, else the name; what cannot be opened is called by its name', async () => {
      assert.equal(await examplesOf({}), [
        ['broken.cbz', 'broken', null],
        ['Comet 000.cbz', 'Origins', 0],
        ['Comet 010.cbz', 'Drift', 10],
        ['Comet 012.5.cbz', 'Comet 012.5', 12.5],
      ]);
      assert.equal(await examplesOf(SMART), await examplesOf({}));
    });
    check('a folder: by names and order alone, no file is opened and no number is known', async () => {
      assert.equal((await examplesOf(PLAIN))[1], ['Comet 000.cbz', 'Comet 000', null]);
      assert.equal((await examplesOf({ ...PLAIN, numberStrategy: 'filename' }))[2], ['Comet 010.cbz', 'Comet 010', 10]);
    });
    check('a library: says how many books change, with examples, and changes nothing', async () => {
      const before = await shown();
      const { status, json } = await preview(SMART);
      assert.is(status, 200, JSON.stringify(json));
      assert.equal([json.books, json.changed, json.isComplete], [4, 3, true]);
      assert.equal(
        json.examples.map(({ before: now, after }: { before: Shown; after: Shown }) => [
          now.title,
          now.number,
          after.title,
          after.number,
        ]),
        [
          ['Comet 000', 1, 'Origins', 0],
          ['Comet 010', 2, 'Drift', 10],
          ['Comet 012.5', 3, 'Comet 012.5', 12.5],
        ],
      );
      assert.equal(await shown(), before);
      assert.equal((await preview(PLAIN)).json.changed, 0);
    });
    check('wrong strategies and libraries are refused', async () => {
      assert.is((await preview({ bookStrategy: 'nonsense' })).status, 400);
      assert.is((await preview({ bookStrategy: 'custom', bookConfig: { pattern: '(' } })).status, 400);
      assert.is((await preview({ seriesStrategy: 'flat' })).status, 400);
      assert.is((await preview({}, await temp.tokenOf('reader'))).status, 403);
      const unknown = '/libraries/01890000-0000-7000-8000-000000000000/preview-strategies';
      assert.is((await api('POST', unknown, SMART)).status, 404);
    });
    check('what was previewed is what a deep scan makes of it; locked titles and numbers stay', async () => {
      const { json } = await api('GET', '/books?pageSize=50');
      const origins = json.data.find(({ title }: Shown) => title === 'Comet 000');
      await api('PATCH', `/books/${origins.id}/metadata`, { title: 'My title' });
      assert.equal((await preview(SMART)).json.changed, 3);
      await api('PATCH', `/libraries/${libraryId}`, SMART);
      await api('POST', `/libraries/${libraryId}/scan?mode=deep`);
      await scanned();
      await until('the numbers follow', async () => (await preview(SMART)).json.changed === 0);
      assert.equal(
        (await shown()).toSorted().map(([title]) => title),
        ['Comet 012.5', 'Drift', 'My title', 'broken'],
      );
      await api('PATCH', `/books/${origins.id}/metadata`, { title: null });
      await api('PUT', `/books/${origins.id}/metadata/locks`, { titleLock: false });
    });
    check('a library that names no strategies takes metadata first', async () => {
      await api('DELETE', `/libraries/${libraryId}`);
      const made = await api('POST', '/libraries', { name: 'Again', path: temp.shelf, scanImmediately: true });
      assert.equal([made.json.bookStrategy, made.json.numberStrategy], ['smart', 'smart']);
      await scanned();
      await until('the books are numbered', async () =>
        (await shown()).some(([title, number]) => title === 'Drift' && number === 10),
      );
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      const comet = (name: string): string => join(temp.shelf, 'Comet', `${name}.cbz`);
      writeBook(comet('Comet 000'), 2, '0', info('<Title>Origins</Title><Number>0</Number>'));
      writeBook(comet('Comet 010'), 2, '10', info('<Title>Drift</Title><Number>10</Number>'));
      writeBook(comet('Comet 012.5'), 2, '12', info('<Number>12.5</Number>'));
      writeFileSync(join(temp.shelf, 'broken.cbz'), 'not an archive');
      const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true, ...PLAIN };
      libraryId = (await api('POST', '/libraries', body)).json.id;
      await scanned();
      await until('the books are analysed', async () => {
        const { json } = await api('GET', '/books?pageSize=50');
        const isDone = (book: { fileHash: string; analysisError: string | null }): boolean =>
          book.fileHash !== '' || book.analysisError !== null;
        return json.data.length === 4 && json.data.every(isDone);
      });
    },
    after: () => temp.close(),
    deadlineS: 90,
  },
);
