// A scanned shelf whose files can be assumed to say anything about their series: facts that no file reader finds yet are added to those it
// found.
import { join } from 'node:path';
import { RULES_SQL } from '../../core/catalog/apply-rules.js';
import { uuidOfBytes } from '../../core/model/ids.js';
import { NO_BOOK_FACTS, NO_SERIES_FACTS, type SeriesFacts } from '../../core/model/metadata.js';
import type { DueBook, ScanParts } from '../../core/scan/context.js';
import { ofBook, settleDue } from '../../core/scan/due-series.js';
import { storeAnalyses } from '../../core/scan/store-analysis.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert } from '../kit.js';
import { LIMITS } from '../limits.js';

export interface Shelf {
  readonly temp: TempApp;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  api(method: string, path: string, body?: unknown): Promise<any>;
  path(...parts: readonly string[]): string;
  scan(query?: string): Promise<void>;
  bookId(fileName: string): Promise<string>;
  seriesId(name: string): Promise<string>;
  /** Analyses a real file, adds the given series facts, and stores the result as a scan does, including its series. */
  analyse(fileName: string, said: Partial<SeriesFacts>): Promise<void>;
}

export const comicInfo = (
  elements: Readonly<Record<string, string>>,
): readonly { name: string; bytes: Uint8Array }[] => {
  const inner = Object.entries(elements).map(([name, text]) => `<${name}>${text}</${name}>`);
  return [
    { name: 'ComicInfo.xml', bytes: Buffer.from(`<?xml version="1.0"?><ComicInfo>${inner.join('')}</ComicInfo>`) },
  ];
};

const analyse = async ({ app, shelf }: TempApp, fileName: string, said: Partial<SeriesFacts>): Promise<void> => {
  const [row] = await app.db.all<Omit<DueBook, 'id' | 'path' | 'root'> & { readonly uuid: Buffer }>(
    `SELECT b.id AS key, b.uuid, b.library_id AS libraryKey, b.series_id AS seriesKey, b.file_name AS fileName, b.file_hash AS fileHash,
       b.revision, b.attempts, f.path AS folderPath, ${RULES_SQL} AS rules
     FROM book b JOIN folder f ON f.id = b.folder_id JOIN library l ON l.id = b.library_id WHERE b.file_name = ?`,
    [fileName],
  );
  if (row === undefined) throw new Error(`no book ${fileName}`);
  const book: DueBook = { ...row, id: uuidOfBytes(row.uuid), root: shelf, path: join(shelf, row.folderPath, fileName) };
  const input = { path: book.path, limits: LIMITS, thumbnail: { side: 100, quality: 80 }, withCover: false };
  const analysis = await app.pool.run('analyze', input, { lane: 'interactive', signal: new AbortController().signal });
  const metadata = { book: analysis.metadata?.book ?? NO_BOOK_FACTS, series: { ...NO_SERIES_FACTS, ...said } };
  const parts: Pick<ScanParts, 'db' | 'clock' | 'onDue'> = { ...app, onDue: () => undefined };
  await storeAnalyses(parts as ScanParts, [{ book, analysis: { ...analysis, metadata }, error: null }]);
  await settleDue(parts, ofBook(book.key), 'background');
};

const openShelf = async (temp: TempApp): Promise<Shelf> => {
  const token = await temp.tokenOf('admin');
  const api: Shelf['api'] = async (method, path, body) => {
    const answer = await temp.call(method, `/api/v1${path}`, { token, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.json?.message}`);
    return answer.json;
  };
  const library = await api('POST', '/libraries', {
    name: 'Shelf',
    path: temp.shelf,
    bookStrategy: 'smart',
    numberStrategy: 'file_order',
  });
  const idIn = async (table: 'book' | 'series', column: string, text: string): Promise<string> => {
    const [row] = await temp.app.db.all<{ uuid: Buffer }>(`SELECT uuid FROM ${table} WHERE ${column} = ?`, [text]);
    if (row === undefined) throw new Error(`no ${table} ${text}`);
    return uuidOfBytes(row.uuid);
  };
  return {
    temp,
    api,
    path: (...parts) => join(temp.shelf, ...parts),
    scan: async (query = '') => {
      await api('POST', `/libraries/${library.id}/scan${query}`);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
    },
    bookId: (fileName) => idIn('book', 'file_name', fileName),
    seriesId: (name) => idIn('series', 'name', name),
    analyse: (fileName, said) => analyse(temp, fileName, said),
  };
};

export const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    writeBook(
      join(temp.shelf, 'Alpha', 'A1.cbz'),
      1,
      'a1',
      comicInfo({ Title: 'First', Number: '1', Summary: 'Old.' }),
    );
    writeBook(join(temp.shelf, 'Alpha', 'A2.cbz'), 1, 'a2', comicInfo({ Title: 'Second', Volume: '7' }));
    writeBook(join(temp.shelf, 'Alpha', 'A3.cbz'), 1, 'a3');
    writeBook(join(temp.shelf, 'Beta', 'B1.cbz'), 1, 'b1');
    const shelf = await openShelf(temp);
    await shelf.scan();
    await use(shelf);
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

export const namesOf = (answer: Readonly<Record<string, readonly { readonly name: string }[]>>): string[] =>
  Object.values(answer).flatMap((list) => list.map(({ name }) => name));
