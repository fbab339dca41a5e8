// New books, and their series where they have none yet.
import { factsOfFile } from '../catalog/apply-rules.js';
import { type BookRow, reportNewBooks } from '../catalog/report-rows.js';
import { type SeriesOfFile, seriesOf } from '../catalog/rules/series.js';
import { rewriteTitle } from '../catalog/rules/titles.js';
import { formatOf } from '../model/formats.js';
import { newId } from '../model/ids.js';
import type { WalkedFolder } from '../model/jobs.js';
import { sortKey } from '../model/sort-key.js';
import type { Tx } from '../store/db.js';
import { created, type PublicRow } from '../store/feed.js';
import type { ScanContext } from './context.js';
import { countersOf, recountSeries } from './counters.js';
import { DUE } from './due-series.js';
import { markUnswept } from './unswept.js';

/** A listed folder that has a row. */
export interface KeyedFolder {
  readonly folder: WalkedFolder;
  readonly folderKey: number;
}

export interface File {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface AddedFile extends KeyedFolder {
  readonly file: File;
}

/** Series rows by path for these files; creates those that do not exist. */
const ensureSeries = async (
  tx: Tx,
  { library, parts }: ScanContext,
  all: readonly SeriesOfFile[],
): Promise<Map<string, number>> => {
  const now = parts.clock.now();
  const named = new Map(all.map((series) => [series.path, series]));
  const rows = [...named.values()].map(({ path, name, publisher }) => {
    const title = rewriteTitle(library.titleRules, name);
    return [newId(now), path, title, sortKey(title), publisher ?? null];
  });
  const made = await tx.all<PublicRow>(
    `INSERT OR IGNORE INTO series (uuid, library_id, path, name, name_sort, publisher, created_at, updated_at)
     SELECT unhex(value ->> 0), ?1, value ->> 1, value ->> 2, value ->> 3, value ->> 4, ?2, ?2 FROM json_each(?3) RETURNING id, hex(uuid) AS hex`,
    [library.key, now, JSON.stringify(rows)],
  );
  tx.report(created('series', made, { libraryKey: library.key }));
  const found = await tx.all<{ path: string; id: number }>(
    'SELECT path, id FROM series WHERE library_id = ? AND path IN (SELECT value FROM json_each(?))',
    [library.key, JSON.stringify([...named.keys()])],
  );
  return new Map(found.map(({ path, id }) => [path, id]));
};

/** Makes rows for new files, at most ROWS_PER_TRANSACTION of them. */
export const insertBooks = async (tx: Tx, context: ScanContext, added: readonly AddedFile[]): Promise<void> => {
  const { library, parts } = context;
  const now = parts.clock.now();
  const seriesOfFiles = added.map(({ folder, file }) =>
    seriesOf(library.seriesStrategy, library.seriesConfig, folder.path, file.name, folder.beside.series),
  );
  const series = await ensureSeries(tx, context, seriesOfFiles);
  const touched = [...new Set(series.values())];
  await markUnswept(tx, context, touched);
  const before = await countersOf(tx, touched);
  const rows = added.map(({ folder, folderKey, file }, index) => {
    const format = formatOf(file.name) ?? 'cbz';
    const at = { folderPath: folder.path, fileName: file.name };
    const facts = factsOfFile(library, at, null, seriesOfFiles[index]?.volume ?? null);
    const seriesKey = series.get(seriesOfFiles[index]?.path ?? '') ?? 0;
    return [
      newId(now),
      seriesKey,
      folderKey,
      file.name,
      file.size,
      file.mtimeMs,
      format,
      facts.title,
      sortKey(facts.title),
      facts.volume,
      facts.chapter,
      facts.number,
    ];
  });
  const made = await tx.all<BookRow>(
    `INSERT OR IGNORE INTO book (uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, volume, chapter,
       told_number, due, never_readable, created_at, updated_at)
     SELECT unhex(value ->> 0), ?1, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9,
       value ->> 10, value ->> 11, 1, 1, ?2, ?2 FROM json_each(?3) RETURNING id, hex(uuid) AS hex, series_id AS series`,
    [library.key, now, JSON.stringify(rows)],
  );
  reportNewBooks(tx, library.key, made);
  await recountSeries(tx, library.key, touched, before, DUE.numbers, now);
};
