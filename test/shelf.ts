// A library of real books, scanned, and an administrator to ask about it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../fixtures/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until } from './app.js';

export interface StockedShelf {
  readonly temp: TempApp;
  /** Of the administrator. */
  readonly token: string;
  readonly libraryId: string;
  /** A call below /api/v1 as the administrator. */
  api(method: string, path: string, options?: CallOptions): Promise<Answer>;
  bookOf(name: string): Promise<{
    readonly id: string;
    readonly path: string;
    readonly pageCount: number;
    readonly epubKind: string | null;
    readonly readingDirection: string;
  }>;
}

const fileOf = (name: string): string => (/\.(?:cbz|cbr|cbt|epub|pdf)$/.test(name) ? name : `${name}.cbz`);

type Overrides = NonNullable<Parameters<typeof tempApp>[0]>['overrides'];

/** `names` are fixtures, `.cbz` unless they say otherwise; they become one series. */
export const stockedShelf = async (names: readonly string[], overrides: Overrides = []): Promise<StockedShelf> => {
  const temp = await tempApp({ overrides });
  const token = await temp.tokenOf('admin');
  mkdirSync(join(temp.shelf, 'Comics'), { recursive: true });
  for (const name of names)
    writeFileSync(join(temp.shelf, 'Comics', fileOf(name)), readFileSync(fixture(`books/${fileOf(name)}`)));
  const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    temp.call(method, `/api/v1${path}`, { token, ...options });
  const made = await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf, scanImmediately: true } });
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
  return {
    temp,
    token,
    libraryId: made.json.id,
    api,
    bookOf: async (name) => {
      const { json } = await api('GET', '/books?pageSize=500');
      return json.data.find((book: { path: string }) => book.path.endsWith(`/${fileOf(name)}`));
    },
  };
};
