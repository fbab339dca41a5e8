// A library whose files are moved between scans.
import { join } from 'node:path';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert } from '../kit.js';

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly seriesId: string;
  readonly seriesName: string;
}

export interface Shelf {
  readonly temp: TempApp;
  /** A call of the administrator; it must succeed. */
  api(method: string, path: string, body?: unknown): Promise<{ readonly id: string; readonly data: readonly Row[] }>;
  /** By title. */
  books(): Promise<ReadonlyMap<string, Row>>;
  scan(query?: string): Promise<string>;
  change(sql: string): Promise<unknown>;
  path(...parts: readonly string[]): string;
}

export const withShelf = async (counts: Readonly<Record<string, number>>, use: (shelf: Shelf) => Promise<void>) => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    for (const [series, count] of Object.entries(counts))
      for (let n = 1; n <= count; n += 1)
        writeBook(join(temp.shelf, series, `${series} ${n}.cbz`), 1, `${series} ${n}`.padEnd(5000 + n));
    const api: Shelf['api'] = async (method, path, body) => {
      const answer = await temp.call(method, `/api/v1${path}`, { token, body });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.json?.message}`);
      return answer.json;
    };
    const { id } = await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf });
    const shelf: Shelf = {
      temp,
      api,
      books: async () => new Map((await api('GET', '/books?pageSize=500')).data.map((row) => [row.title, row])),
      scan: async (query = '') => {
        temp.advance(1000);
        await api('POST', `/libraries/${id}/scan${query}`);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        return ((await api('GET', `/libraries/${id}/scan-status`)) as unknown as { status: string }).status;
      },
      change: (sql) => temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql)),
      path: (...parts) => join(temp.shelf, ...parts),
    };
    assert.is(await shelf.scan(), 'completed');
    await use(shelf);
  } finally {
    await temp.close();
  }
};

/** A scan that has found the new paths and fails before it compares them with what is missing. */
export const scanInVain = async (shelf: Shelf): Promise<void> => {
  await shelf.change("CREATE TRIGGER cut BEFORE DELETE ON book BEGIN SELECT RAISE(ABORT, 'cut short'); END");
  await shelf.change("CREATE TRIGGER cut_2 BEFORE DELETE ON series BEGIN SELECT RAISE(ABORT, 'cut short'); END");
  assert.is(await shelf.scan(), 'failed');
  await shelf.change('DROP TRIGGER cut');
  await shelf.change('DROP TRIGGER cut_2');
};
