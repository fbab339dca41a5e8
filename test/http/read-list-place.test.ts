// Where somebody is in a read list: the place of a book, its neighbours in the order of the list, and the book to go on with.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token = '';
let listId = '';
const books = new Map<string, string>();

const NOTHING = '01890000-0000-7000-8000-000000000000';
const TITLES = ['Zebra', 'Broken', 'Ant', 'Copy of Zebra', 'Bee'] as const;

const api = (method: string, path: string, body?: unknown, as = token) =>
  temp.call(method, `/api/v1${path}`, { token: as, ...(body === undefined ? {} : { body }) });

const idOf = (title: string): string => books.get(title) ?? '';

interface Place {
  readonly at: readonly [position: number, total: number, read: number];
  readonly titles: readonly (string | null)[];
}

const place = async (query = '', as = token): Promise<Place> => {
  const { status, json } = await api('GET', `/readlists/${listId}/place${query}`, undefined, as);
  assert.is(status, 200, JSON.stringify(json));
  const titles = [json.prev, json.book, json.next].map((book) => book?.title ?? null);
  return { at: [json.position, json.total, json.read], titles };
};

block(
  'place in a read list',
  (check) => {
    check('what is not in the list, or no id, is refused', async () => {
      assert.is((await api('GET', `/readlists/${NOTHING}/place`)).status, 404);
      assert.is((await api('GET', `/readlists/${listId}/place?bookId=${NOTHING}`)).status, 404);
      assert.is((await api('GET', `/readlists/${listId}/place?bookId=x`)).status, 400);
      assert.is((await api('GET', `/readlists/${listId}/place?bookId=${idOf('Outside')}`)).status, 404);
    });
    check('an empty list has no book to go on with', async () => {
      const { json: empty } = await api('POST', '/readlists', { name: 'Empty' });
      const { json } = await api('GET', `/readlists/${empty.id}/place`);
      assert.equal(json, { position: 0, total: 0, read: 0 });
    });
    check('neighbours are those of the list, not of the series, also at its ends', async () => {
      assert.equal(await place(`?bookId=${idOf('Zebra')}`), { at: [1, 5, 0], titles: [null, 'Zebra', 'Broken'] });
      assert.equal(await place(`?bookId=${idOf('Ant')}`), {
        at: [3, 5, 0],
        titles: ['Broken', 'Ant', 'Copy of Zebra'],
      });
      assert.equal(await place(`?bookId=${idOf('Bee')}`), { at: [5, 5, 0], titles: ['Copy of Zebra', 'Bee', null] });
    });
    check('one goes on with what is begun, else with the first unread that can be read', async () => {
      assert.equal((await place()).titles[1], 'Zebra');
      await api('POST', `/books/${idOf('Zebra')}/read`);
      assert.equal(await place(), { at: [3, 5, 1], titles: ['Broken', 'Ant', 'Copy of Zebra'] });
      await api('PUT', `/books/${idOf('Bee')}/progress`, { currentPage: 1 });
      assert.equal((await place()).titles[1], 'Bee');
      for (const title of ['Ant', 'Copy of Zebra', 'Bee']) await api('POST', `/books/${idOf(title)}/read`);
      assert.equal(await place(), { at: [1, 5, 4], titles: [null, 'Zebra', 'Broken'] });
      for (const title of ['Zebra', 'Ant', 'Copy of Zebra', 'Bee']) await api('POST', `/books/${idOf(title)}/unread`);
    });
    check('books that were read, and duplicates, are passed over where that is asked for', async () => {
      await api('POST', `/books/${idOf('Ant')}/read`);
      const query = `?bookId=${idOf('Broken')}`;
      assert.equal((await place(query)).titles, ['Zebra', 'Broken', 'Ant']);
      assert.equal((await place(`${query}&skipRead=true`)).titles, ['Zebra', 'Broken', 'Copy of Zebra']);
      await api('POST', `/books/${idOf('Zebra')}/read`);
      assert.equal((await place(`${query}&skipRead=true&skipDuplicates=true`)).titles, [null, 'Broken', 'Bee']);
      assert.equal((await place(`?bookId=${idOf('Bee')}&skipRead=true`)).titles, ['Copy of Zebra', 'Bee', null]);
      for (const title of ['Zebra', 'Ant']) await api('POST', `/books/${idOf(title)}/unread`);
    });
    check('what somebody may not see is not counted, and is no neighbour', async () => {
      const reader = await temp.tokenOf('reader');
      const { json: me } = await api('GET', '/auth/me', undefined, reader);
      const { json: tag } = await api('POST', '/admin/sharing-tags', { name: 'Insects' });
      const { json: ant } = await api('GET', `/books/${idOf('Ant')}`);
      await api('POST', `/series/${(ant.book ?? ant).seriesId}/sharing-tags`, { sharingTagId: tag.id });
      await api('PUT', `/users/${me.id}/sharing-tags`, { sharingTagId: tag.id, accessMode: 'deny' });
      assert.equal(await place(`?bookId=${idOf('Broken')}`, reader), {
        at: [2, 4, 0],
        titles: ['Zebra', 'Broken', 'Copy of Zebra'],
      });
      const hidden = await api('GET', `/readlists/${listId}/place?bookId=${idOf('Ant')}`, undefined, reader);
      assert.is(hidden.status, 404);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      for (const title of [...TITLES, 'Outside'])
        writeBook(join(temp.shelf, title, `${title}.cbz`), 3, title.replace('Copy of ', ''));
      writeFileSync(join(temp.shelf, 'Broken', 'Broken.cbz'), 'not an archive');
      await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
      await until('the books are known', async () => {
        const { json } = await api('GET', '/books?pageSize=50');
        for (const { id, title } of json.data) books.set(title, id);
        const isDone = (book: { fileHash: string; analysisError: string | null }) =>
          book.fileHash !== '' || book.analysisError !== null;
        return json.data.length === 6 && json.data.every(isDone);
      });
      await api('POST', '/duplicates/scan');
      await until('duplicates are found', async () => (await api('GET', '/duplicates')).json.totalGroups === 1);
      const { json } = await api('POST', '/readlists', { name: 'Animals' });
      listId = json.id;
      await api('POST', `/readlists/${listId}/books`, { bookIds: TITLES.map(idOf) });
    },
    after: () => temp.close(),
  },
);
