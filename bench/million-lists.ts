// Times lists on the database of million.ts, through the core and without HTTP: node dist/bench/million-lists.js FOLDER/million [RUNS]
// Each line: milliseconds of the first run (nothing cached), then median and worst of the repetitions (sets and orders cached). Next to
// wall time is the CPU time of the process: the time an otherwise idle machine would take.

import { type BookListAsk, listBooks } from '../core/catalog/list-books.js';
import { listSeries, type SeriesListAsk, seriesByLetter } from '../core/catalog/list-series.js';
import type { ListParts } from '../core/catalog/query/page.js';
import { SetCache } from '../core/catalog/query/set-cache.js';
import { BOOK_COLUMN_SORTS, type BookSort, SERIES_COLUMN_SORTS, type SeriesSort } from '../core/catalog/sorts.js';
import { uuidOfBytes } from '../core/model/ids.js';
import { unrestricted } from '../core/model/viewer.js';
import { databasePath } from '../core/start.js';
import { openDb } from '../core/store/db.js';

const USER = 1;
const [folder = '', runsText = '15'] = process.argv.slice(2);
const db = await openDb({ path: databasePath(folder), readers: 2, readDeadlineMs: 60_000, queueLength: 100 });
const parts: ListParts & { readonly sets: SetCache } = { db, sets: new SetCache(db) };

interface Took {
  readonly wall: number;
  readonly cpu: number;
}

const timed = async (body: () => Promise<unknown>): Promise<Took> => {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await body();
  const { user, system } = process.cpuUsage(used);
  return { wall: performance.now() - started, cpu: (user + system) / 1000 };
};

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Starts with nothing cached; clears what other lines left. */
const line = async (name: string, body: () => Promise<{ total?: number }>): Promise<void> => {
  parts.sets.forget();
  let total: number | undefined;
  const cold = await timed(async () => {
    total = (await body()).total;
  });
  const warm: Took[] = [];
  for (let run = 0; run < Number(runsText); run += 1) warm.push(await timed(body));
  const [wall, cpu] = [warm.map((one) => one.wall), warm.map((one) => one.cpu)];
  const shown = [cold.wall, cold.cpu, middle(wall), middle(cpu), Math.max(...wall)];
  console.log(`${name.padEnd(44)} ${shown.map((ms) => ms.toFixed(1).padStart(8)).join(' ')}  ${total ?? ''}`);
};

const books = (ask: Partial<BookListAsk>, page = 1) => {
  const order = ask.order ?? { sort: 'title', descending: false };
  return () => listBooks(parts, unrestricted(USER), { ...ask, order, window: { page, pageSize: 50 } });
};
const series = (ask: Partial<SeriesListAsk>, page = 1) => {
  const order = ask.order ?? { sort: 'name', descending: false };
  return () => listSeries(parts, unrestricted(USER), { ...ask, order, window: { page, pageSize: 50 } });
};

const idOf = async (table: string, key: number): Promise<string> => {
  const [row] = await db.all<{ uuid: Uint8Array }>(`SELECT uuid FROM ${table} WHERE id = ?`, [key]);
  return uuidOfBytes(row?.uuid ?? new Uint8Array(16));
};

const text = (operator: string, value?: string) => (value === undefined ? { operator } : { operator, value });
const status = (value: string) => ({ readStatus: text('is', value) });

const library = await idOf('library', 1);
const bookSorts: readonly BookSort[] = [...(Object.keys(BOOK_COLUMN_SORTS) as BookSort[]), 'series', 'last_read'];
const seriesSorts: readonly SeriesSort[] = [...(Object.keys(SERIES_COLUMN_SORTS) as SeriesSort[]), 'date_read'];

const sorts = async (): Promise<void> => {
  for (const sort of bookSorts) {
    for (const descending of [false, true]) {
      const order = { sort, descending };
      const name = `books ${sort} ${descending ? 'desc' : 'asc'}`;
      await line(`${name}, page 1`, books({ order }));
      await line(`${name}, page 10,000`, books({ order }, 10_000));
    }
    const order = { sort, descending: false };
    await line(`books ${sort} of a library, page 1`, books({ order, libraryId: library }));
    await line(`books ${sort} of a library, page 1,000`, books({ order, libraryId: library }, 1000));
  }
  for (const sort of seriesSorts) {
    await line(`series ${sort}, page 1`, series({ order: { sort, descending: true } }));
    await line(`series ${sort}, page 400`, series({ order: { sort, descending: false } }, 400));
    await line(`series ${sort} of a library`, series({ order: { sort, descending: false }, libraryId: library }));
  }
};

const BOOK_FILTERS: Readonly<Record<string, unknown>> = {
  'genre is (large)': { genre: text('is', 'genre 1') },
  'genre is (small)': { genre: text('is', 'Genre 55') },
  'genre isNot (large)': { genre: text('isNot', 'genre 1') },
  'genre isNull': { genre: text('isNull') },
  'genre contains': { genre: text('contains', 'nre 3') },
  'tag is': { tag: text('is', 'tag 1') },
  'tag is (small)': { tag: text('is', 'tag 1900') },
  'title is': { title: text('is', 'chapter 7') },
  'title contains, 8 characters': { title: text('contains', 'chronicl') },
  'title contains, 3 characters': { title: text('contains', 'sha') },
  'title contains, 2 characters': { title: text('contains', 'sh') },
  'title contains, 1 CJK': { title: text('contains', '巨') },
  'title contains, 2 CJK': { title: text('contains', '巨人') },
  'title beginsWith (many)': { title: text('beginsWith', 'chapter') },
  'title endsWith': { title: text('endsWith', ' 12') },
  'titleSort beginsWith': { titleSort: text('beginsWith', 'dragon') },
  'summary contains': { summary: text('contains', 'dragon') },
  'readStatus read': status('read'),
  'readStatus in_progress': status('in_progress'),
  'readStatus unread': status('unread'),
  hasError: { hasError: { operator: 'is', value: true } },
  'hasError isNot': { hasError: { operator: 'is', value: false } },
  'bookType is': { bookType: text('is', 'manga') },
  'format is cbz': { format: text('is', 'cbz') },
  'format is pdf': { format: text('is', 'pdf') },
  'path beginsWith folder': { path: text('beginsWith', '/shelf/1/folder 12') },
  'path contains': { path: text('contains', 'Dragon') },
  'pageCount gt': { pageCount: { operator: 'gt', value: 300 } },
  'pageCount between (half)': { pageCount: { operator: 'between', min: 100, max: 250 } },
  'dateAdded after': { dateAdded: { operator: 'after', value: '2024-01-10T00:00:00Z' } },
  'library and genre and unread': {
    allOf: [{ libraryId: { operator: 'is', value: library } }, { genre: text('is', 'genre 1') }, status('unread')],
  },
  'any of three, one negated': {
    anyOf: [{ tag: text('is', 'tag 3') }, { format: text('is', 'epub') }, { genre: text('isNot', 'genre 2') }],
  },
};

const SERIES_FILTERS: Readonly<Record<string, unknown>> = {
  'genre is': { genre: text('is', 'genre 1') },
  'genre isNot': { genre: text('isNot', 'genre 1') },
  'tag is': { tag: text('is', 'tag 1') },
  'name contains': { name: text('contains', 'dra') },
  'publisher is': { publisher: text('is', 'publisher 3') },
  'language is': { language: text('is', 'ja') },
  'status is': { status: text('is', 'ended') },
  'year between': { year: { operator: 'between', min: 1990, max: 1999 } },
  'author contains': { author: text('contains', 'sha') },
  'summary contains': { summary: text('contains', 'dragon') },
  'readStatus read': status('read'),
  'readStatus unread': status('unread'),
  completion: { completion: { operator: 'isTrue' } },
};

const QUERIES = [
  'dragon chronicles',
  'epee',
  'épée',
  'drag',
  'd',
  'chapter',
  '巨',
  '巨人',
  '進撃の巨人',
  'the',
  'chapter 12',
  'zzz',
];

const filters = async (): Promise<void> => {
  for (const [name, condition] of Object.entries(BOOK_FILTERS)) {
    await line(`books, ${name}, page 1`, books({ condition }));
    const { total } = await books({ condition })();
    const last = Math.max(1, Math.ceil(total / 50));
    if (last > 10) await line(`books, ${name}, last page`, books({ condition }, last));
  }
  for (const [name, condition] of Object.entries(SERIES_FILTERS)) await line(`series, ${name}`, series({ condition }));
  await line('books with the deleted ones', books({ includeDeleted: true }));
  await line('series by letter', async () => ({ total: (await seriesByLetter(parts, unrestricted(USER), {})).length }));
};

const searches = async (): Promise<void> => {
  for (const fullTextSearch of QUERIES) {
    const order = { sort: 'relevance', descending: false } as const;
    await line(`books, search "${fullTextSearch}"`, books({ fullTextSearch, order }));
    await line(`series, search "${fullTextSearch}"`, series({ fullTextSearch, order }));
  }
};

console.log(
  `${''.padEnd(44)} ${['cold', 'cold cpu', 'p50', 'p50 cpu', 'max'].map((word) => word.padStart(8)).join(' ')}  total`,
);
await sorts();
await filters();
await searches();
await db.close();
