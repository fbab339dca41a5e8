// A library of drawn books, searched for editions: what was found, by the paths of the books.
import { join } from 'node:path';
import { type EditionBook, type Judged, judged, writeEditions } from '../../bench/edition-books.js';
import { type Answer, coversMade, type TempApp, tempApp, until } from '../app.js';

export interface EditionSearch {
  readonly temp: TempApp;
  readonly books: readonly EditionBook[];
  ask(method: string, path: string, body?: unknown): Promise<Answer['json']>;
  /** Searches, and returns the result of the task. */
  find(): Promise<Answer['json']>;
  judge(): Promise<Judged>;
}

const DEADLINE_MS = 600_000;

export const withEditions = async (works: number, use: (search: EditionSearch) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    const ask: EditionSearch['ask'] = async (method, path, body) =>
      (await temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) })).json;
    const books = await writeEditions(temp.shelf, works);
    await ask('POST', '/libraries', { name: 'L', path: temp.shelf, scanImmediately: true });
    await until('the scan ends', () => temp.app.scans.active().length === 0, DEADLINE_MS);
    await coversMade(temp);
    await until('the tasks end', () => !temp.app.tasks.isBusy);
    const find = async (): Promise<Answer['json']> => {
      const { taskId } = await ask('POST', '/duplicates/scan');
      const isOver = async (): Promise<boolean> =>
        ['completed', 'failed'].includes((await ask('GET', `/tasks/${taskId}`)).status);
      await until('the search ends', isOver, DEADLINE_MS);
      const task = await ask('GET', `/tasks/${taskId}`);
      if (task.status !== 'completed') throw new Error(`the search failed: ${task.lastError}`);
      return task.result;
    };
    const judge = async (): Promise<Judged> => {
      const { duplicates } = await ask('GET', '/duplicates?kind=edition');
      const rows = await temp.app.db.all<{ id: string; path: string }>(
        `SELECT lower(hex(b.uuid)) AS id, f.path || '/' || b.file_name AS path FROM book b JOIN folder f ON f.id = b.folder_id`,
        [],
      );
      const paths = new Map(rows.map(({ id, path }) => [id, join(temp.shelf, path)]));
      return judged(
        books,
        duplicates.map(({ bookIds }: { bookIds: string[] }) =>
          bookIds.map((id) => paths.get(id.replaceAll('-', '')) ?? id),
        ),
      );
    };
    await use({ temp, books, ask, find, judge });
  } finally {
    await temp.close();
  }
};
