// A shelf for catalogues: two series, one with all that ComicInfo can say, and names with every character that is special in XML or JSON.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';

export const ODD = `<Odd> & "quoted" 'names' ]]> 😀 é`;
export const VOLUMES = 7;
export const PAGES = 5;
export const HOST = 'comics.example';

export const comicInfo = (volume: number): Buffer =>
  Buffer.from(
    `<ComicInfo><Title>Part ${volume}</Title><Series>Zot</Series><Number>${volume}</Number><Summary>Goes &lt;x&gt;on&lt;/x&gt;, part ${volume}.</Summary><Writer>Ann Author, Cy Second</Writer><Penciller>Bo Pencil</Penciller><Publisher>House &amp; Sons</Publisher><Genre>Adventure, Drama</Genre><Tags>robots</Tags><Year>2024</Year><Month>2</Month><Day>29</Day><LanguageISO>en</LanguageISO></ComicInfo>`,
  );

export interface OpdsShelf {
  readonly temp: TempApp;
  readonly token: string;
  readonly library: string;
  /** Ids of series by name. */
  readonly series: ReadonlyMap<string, string>;
  /** Ids of the books of `Zot`, in order. */
  readonly books: readonly string[];
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  /** As a signed-in reader app asks. */
  get(path: string, options?: CallOptions): Promise<Answer>;
}

export const opdsShelf = async (overrides: readonly { key: string; text: string }[] = []): Promise<OpdsShelf> => {
  const temp = await tempApp({ overrides });
  const token = await temp.tokenOf('admin');
  for (let volume = 1; volume <= VOLUMES; volume += 1)
    writeBook(join(temp.shelf, 'Zot', `Zot v0${volume}.cbz`), PAGES, `zot ${volume}`, [
      { name: 'ComicInfo.xml', bytes: comicInfo(volume) },
    ]);
  writeBook(join(temp.shelf, ODD, `${ODD} 1.cbz`), 2, 'odd');
  for (const name of [
    'comic-fxl-rtl.epub',
    'incomplete-theft.epub',
    'four-pages.pdf',
    'haruko.cbr',
    'image-formats.cbz',
  ])
    writeFileSync(join(temp.shelf, ODD, name), readFileSync(fixture(`books/${name}`)));
  const api: OpdsShelf['api'] = (method, path, body) =>
    temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
  await api('POST', '/libraries', { name: `Lib ${ODD}`, path: temp.shelf, scanImmediately: true });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  const library = (await api('GET', '/libraries')).json.data[0].id;
  const rows: { id: string; title: string }[] = (await api('GET', '/series')).json.data;
  const series = new Map(rows.map(({ id, title }) => [title, id]));
  const books = (await api('GET', `/series/${series.get('Zot')}/books`)).json.map(({ id }: { id: string }) => id);
  const get: OpdsShelf['get'] = (path, options = {}) =>
    temp.call('GET', path, { token, ...options, headers: { host: HOST, ...options.headers } });
  return { temp, token, library, series, books, api, get };
};
