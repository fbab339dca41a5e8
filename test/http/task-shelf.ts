// A shelf with one library, and means to ask about its tasks.
import { join } from 'node:path';
import { type Answer, coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert } from '../kit.js';

export interface TaskShelf {
  readonly temp: TempApp;
  readonly libraryId: string;
  readonly seriesId: string;
  readonly bookId: string;
  readonly ask: (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;
}

/** A series of two books, scanned; nothing is under way. */
export const withTaskShelf = async (use: (shelf: TaskShelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const admin = await temp.tokenOf('admin');
    const ask: TaskShelf['ask'] = (method, path, body, token = admin) =>
      temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
    for (const n of [1, 2]) writeBook(join(temp.shelf, 'Ants', `Ants ${n}.cbz`), 2, `${n}`);
    const { json } = await ask('POST', '/libraries', { name: 'L', path: temp.shelf, scanImmediately: true });
    await until('the scan ends', () => temp.app.scans.active().length === 0);
    await coversMade(temp);
    await until('the tasks end', () => !temp.app.tasks.isBusy);
    const [series] = (await ask('GET', '/series')).json.data;
    const [book] = (await ask('GET', `/series/${series.id}/books`)).json;
    await use({ temp, libraryId: json.id, seriesId: series.id, bookId: book.id, ask });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

export const ended = ({ ask }: TaskShelf, id: string, status: string): Promise<void> =>
  until(`the task is ${status}`, async () => (await ask('GET', `/tasks/${id}`)).json.status === status);
