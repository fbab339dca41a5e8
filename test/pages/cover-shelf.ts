// A shelf of small books whose pages are one pixel, so that the size of a cover tells where it is from.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { formOf } from '../form.js';
import { assert } from '../kit.js';

export interface CoverShelf {
  readonly temp: TempApp;
  readonly token: string;
  readonly libraryId: string;
  /** By title. */
  readonly series: Readonly<Record<string, string>>;
  /** Ids of the books of a series, in order. */
  books(title: string): Promise<readonly string[]>;
  api(method: string, path: string, options?: CallOptions): Promise<Answer>;
  upload(path: string, bytes: Buffer, field?: string): Promise<Answer>;
  /** The paths of a new collection of these series, and of a new read list of these books. */
  lists(titles: readonly string[], bookIds: readonly string[]): Promise<readonly [string, string]>;
  /** Names in the folder of uploads. */
  files(): readonly string[];
}

export const coverShelf = async (titles: readonly string[] = ['Ants', 'Bees']): Promise<CoverShelf> => {
  const temp = await tempApp();
  const token = await temp.tokenOf('admin');
  for (const title of titles)
    for (const book of [1, 2]) writeBook(join(temp.shelf, title, `${title} ${book}.cbz`), 2, `${title}${book}`);
  const api: CoverShelf['api'] = (method, path, options = {}) =>
    temp.call(method, `/api/v1${path}`, { token, ...options });
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  const libraryId: string = (await api('POST', '/libraries', { body })).json.id;
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  const { data } = (await api('GET', '/series')).json;
  const found = data.map(({ title, id }: { title: string; id: string }) => [title, id]);
  const series: Record<string, string> = Object.fromEntries(found);
  let named = 0;
  const listOf = async (path: string, members: string, body: object): Promise<string> => {
    named += 1;
    const { json } = await api('POST', path, { body: { name: `list ${named}` } });
    assert.is((await api('POST', `${path}/${json.id}/${members}`, { body })).status, 200);
    return `${path}/${json.id}`;
  };
  const folder = join(temp.folder, 'data', 'uploads');
  return {
    temp,
    token,
    libraryId,
    series,
    books: async (title) =>
      (await api('GET', `/series/${series[title]}/books`)).json.map(({ id }: { id: string }) => id),
    api,
    upload: async (path, bytes, field = 'file') => api('POST', `${path}/cover`, await formOf({ [field]: bytes })),
    lists: async (names, bookIds) => [
      await listOf('/collections', 'series', { seriesIds: names.map((name) => series[name]) }),
      await listOf('/readlists', 'books', { bookIds }),
    ],
    files: () => (existsSync(folder) ? readdirSync(folder) : []),
  };
};

/** `WIDTHxHEIGHT` of a picture that was answered. */
export const sizeOf = (answer: Answer): string => {
  assert.is(answer.status, 200, answer.bytes.toString().slice(0, 300));
  const { width, height } = imageSize(answer.bytes);
  return `${width}x${height}`;
};
