// The limit of a list: the statements an answer needs, repeated by one connection and nothing else. They are recorded while the core
// answers the same request with its sets cached, then run alone.

import { listBooks } from '../core/catalog/list-books.js';
import { listSeries } from '../core/catalog/list-series.js';
import { SetCache } from '../core/catalog/query/set-cache.js';
import { searchEverything } from '../core/catalog/search/everything.js';
import { BOOK_SORTS, SERIES_SORTS } from '../core/catalog/sorts.js';
import { unrestricted } from '../core/model/viewer.js';
import { databasePath } from '../core/start.js';
import { type Bind, type Db, openDb, type Reads } from '../core/store/db.js';
import type { Case, Names } from './lists-cases.js';
import { median } from './measure.js';

const USER = 1;
const RUNS = 7;

interface Statement {
  readonly sql: string;
  readonly binds: readonly Bind[];
}

const noting = (db: Db, noted: Statement[]): Db => {
  const through = (reads: Reads): Reads => ({
    all: (sql, binds = []) => {
      noted.push({ sql, binds });
      return reads.all(sql, binds);
    },
    json: (sql, binds = []) => {
      noted.push({ sql, binds });
      return reads.json(sql, binds);
    },
  });
  return { ...db, ...through(db), readsFor: (asker, lane) => through(db.readsFor(asker, lane)) };
};

interface Body {
  readonly condition?: unknown;
  readonly fullTextSearch?: string;
}

const answer = async (parts: { readonly db: Db; readonly sets: SetCache }, one: Case, names: Names): Promise<void> => {
  const asking = one.ask(names, 1);
  const body: Body = asking.body ?? {};
  const url = new URL(asking.path, 'http://x');
  const isFound = body.fullTextSearch !== undefined;
  const asked = url.searchParams.get('sort');
  const order = { descending: url.searchParams.get('order') === 'desc' };
  const window = { page: Number(url.searchParams.get('page') ?? 1), pageSize: 50 };
  if (url.pathname === '/search')
    await searchEverything(parts, unrestricted(USER), url.searchParams.get('q') ?? '', window.pageSize);
  else if (url.pathname.startsWith('/series')) {
    const sort = isFound ? 'relevance' : (SERIES_SORTS[asked ?? 'name'] ?? 'name');
    await listSeries(parts, unrestricted(USER), { ...body, order: { ...order, sort }, window });
  } else {
    const sort = isFound ? 'relevance' : (BOOK_SORTS[asked ?? 'title'] ?? 'title');
    await listBooks(parts, unrestricted(USER), { ...body, order: { ...order, sort }, window });
  }
};

export interface Bare {
  /** Median milliseconds of a case's statements. */
  ms(one: Case, names: Names): Promise<number>;
  close(): Promise<void>;
}

export const openBare = async (folder: string): Promise<Bare> => {
  const path = databasePath(folder);
  const db = await openDb({ path, readers: 1, readDeadlineMs: 60_000, queueLength: 1000 });
  const sets = new SetCache(db);
  return {
    ms: async (one, names) => {
      await answer({ db, sets }, one, names);
      const noted: Statement[] = [];
      await answer({ db: noting(db, noted), sets }, one, names);
      const times: number[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const started = performance.now();
        for (const { sql, binds } of noted) await db.all(sql, binds);
        times.push(performance.now() - started);
      }
      return median(times);
    },
    close: () => db.close(),
  };
};
