// A shelf of small comics, and somebody with two e-readers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';
import { type Device, deviceWith, signedIn } from './devices.js';

export const SECRET = 'fog over the harbour 7';

interface Found {
  readonly id: string;
  readonly koreaderHash: string;
}

export interface DeviceShelf {
  readonly shelf: StockedShelf;
  readonly people: People;
  readonly ann: Person;
  /** Both are hers. */
  readonly kobo: Device;
  readonly kindle: Device;
  scan(): Promise<void>;
  place(name: string): string;
  bookAt(name: string): Promise<Found>;
  asAnn(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Her page and whether she finished the book; undefined without progress. */
  progressOf(book: Pick<Found, 'id'>): Promise<readonly [page: number, completed: boolean] | undefined>;
}

const BOOKS = [
  ['A/first.cbz', 'a'],
  ['B/01.cbz', 'b'],
  ['C/01.cbz', 'c'],
  ['D/twin-1.cbz', 'twin'],
  ['D/twin-2.cbz', 'twin'],
  ['E/leaving.cbz', 'e'],
  ['E/staying.cbz', 's'],
  ['F/plain.cbz', 'f'],
  ['F/finished.cbz', 'g'],
] as const;

export const PAGES = 10;

const scanOf = (shelf: StockedShelf) => async (): Promise<void> => {
  await shelf.api('POST', `/libraries/${shelf.libraryId}/scan?mode=deep`);
  await until('the scan ends', async () => (await shelf.api('GET', '/scans/active')).json.length === 0);
  await until('all books are analysed', async () => {
    const rows = await shelf.temp.app.db.all('SELECT 1 FROM book WHERE due = 1 AND deleted = 0');
    return rows.length === 0;
  });
};

export const openDeviceShelf = async (): Promise<DeviceShelf> => {
  const shelf = await stockedShelf([]);
  const { temp } = shelf;
  const place = (name: string): string => join(temp.shelf, name);
  for (const [name, seed] of BOOKS) writeBook(place(name), PAGES, seed);
  writeFileSync(place('notes.txt'), '');
  const scan = scanOf(shelf);
  await scan();
  const people = await openPeople(temp);
  const ann = await people.join('ann');
  const asAnn: DeviceShelf['asAnn'] = (method, path, body) =>
    people.ask(ann.token, method, path, body === undefined ? {} : { body });
  await asAnn('PUT', '/user/sync-secret', { secret: SECRET });
  return {
    shelf,
    people,
    ann,
    kobo: deviceWith(temp, signedIn('ann', SECRET), 'kobo'),
    kindle: deviceWith(temp, signedIn('ann', SECRET), 'kindle'),
    scan,
    place,
    bookAt: async (name) => {
      const { json } = await shelf.api('GET', '/books?pageSize=500');
      return json.data.find(({ path }: { path: string }) => path.endsWith(`/${name}`));
    },
    asAnn,
    progressOf: async ({ id }) => {
      const { json } = await asAnn('GET', `/books/${id}/progress`);
      return json === undefined || json === null ? undefined : [json.currentPage, json.completed];
    },
  };
};
