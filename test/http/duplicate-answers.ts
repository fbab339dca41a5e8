// Asks every route about duplicates, for whoever compares the answers with what clients expect.
import { join } from 'node:path';
import { type Answer, coversMade, type TempApp, until, writeBook } from '../app.js';

type Ask = (row: string, params: readonly string[], body?: unknown, query?: string) => Promise<Answer>;

/** The same file in two series with one title. */
export const askDuplicates = async (ask: Ask, temp: TempApp, library: string): Promise<void> => {
  for (const folder of ['Twins', join('More', 'twins')])
    writeBook(join(temp.shelf, folder, 'Twins 1.cbz'), 2, 'the same');
  await ask('POST /libraries/{}/scan', [library]);
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  await coversMade(temp);
  const { taskId } = (await ask('POST /duplicates/scan', [])).json;
  await until('the search ends', async () => (await ask('GET /tasks/{}', [taskId])).json.status === 'completed');
  for (const row of ['/duplicates', '/duplicates/series']) {
    const [{ id }] = (await ask(`GET ${row}`, [])).json.duplicates;
    await ask(`DELETE ${row}/{}`, [id]);
  }
};
