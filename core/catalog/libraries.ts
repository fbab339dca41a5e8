// Libraries: indexed folders on disk. Their rows, and the rules for what may become one.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { BookFormat } from '../model/formats.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import { sortKey } from '../model/sort-key.js';
import { DEFAULT_RULES, type LibraryRules } from '../model/strategies.js';
import { EVERYTHING, unrestricted, type Viewer } from '../model/viewer.js';
import type { Bind, Db } from '../store/db.js';
import { ASPECTS, created, type PublicRow, SYSTEM, updated } from '../store/feed.js';
import { type Packed, packed, rowsAndTotal } from '../store/packed.js';
import { told } from '../store/told-reports.js';
import { byOf, type Keeper, refuseTaken } from './library-paths.js';
import { unknownRow } from './public-ids.js';
import { checkRoot } from './roots.js';
import { checkSchedule, type ScanConfig, type ScanMode } from './schedule.js';
import {
  changesBooks,
  checkRules,
  mergeRules,
  RULE_COLUMNS,
  type RulesChange,
  refuseSeriesChange,
  ruleBinds,
} from './strategies.js';
import { andVisible, andVisibleLibrary, visibleBookCount } from './visibility.js';

export type { ScanMode } from './schedule.js';
export type ReadingDirection = 'ltr' | 'rtl' | 'ttb' | 'webtoon';

export interface Library extends LibraryRules {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly root: string;
  readonly description: string | null;
  readonly readingDirection: ReadingDirection;
  /** Null means every format. */
  readonly allowedFormats: readonly BookFormat[] | null;
  readonly excluded: string;
  readonly scanEnabled: boolean;
  readonly scanMode: ScanMode;
  readonly scanCron: string | null;
  readonly scanOnStart: boolean;
  /** The time zone of the schedule; null: that of the setting scheduler.timezone. */
  readonly scanZone: string | null;
  /** Whether a scan purges the books whose files are gone. */
  readonly scanPurge: boolean;
  /** Whether its folders are watched, while `scanEnabled`. */
  readonly scanWatch: boolean;
  /** Existing books wait for a deep scan to follow changed strategies. */
  readonly rulesChanged: boolean;
  readonly seriesCount: number;
  readonly bookCount: number;
  readonly lastScannedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The fields a caller may set; absent means unchanged (or the default for a new library). */
export interface LibraryChange {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  readonly description?: string | null | undefined;
  readonly readingDirection?: ReadingDirection | undefined;
  readonly allowedFormats?: readonly BookFormat[] | null | undefined;
  readonly excluded?: string | null | undefined;
  readonly scan?: Partial<ScanConfig> | undefined;
  readonly rules?: RulesChange | undefined;
}

const FIELDS: Parameters<typeof packed<Library>>[0] = {
  key: { sql: 'l.id' },
  id: { sql: 'l.uuid', as: 'uuid' },
  name: { sql: 'l.name' },
  root: { sql: 'l.root' },
  description: { sql: 'l.description' },
  readingDirection: { sql: 'l.reading_direction' },
  allowedFormats: { sql: 'l.allowed_formats', as: 'json' },
  excluded: { sql: 'l.excluded' },
  scanEnabled: { sql: 'l.scan_enabled', as: 'boolean' },
  scanMode: { sql: 'l.scan_mode' },
  scanCron: { sql: 'l.scan_cron' },
  scanOnStart: { sql: 'l.scan_on_start', as: 'boolean' },
  scanZone: { sql: 'l.scan_zone' },
  scanPurge: { sql: 'l.scan_purge', as: 'boolean' },
  scanWatch: { sql: 'l.scan_watch', as: 'boolean' },
  ...RULE_COLUMNS,
  rulesChanged: { sql: 'l.rules_changed', as: 'boolean' },
  seriesCount: { sql: 'l.series_count' },
  bookCount: { sql: 'l.book_count' },
  lastScannedAt: { sql: 'l.last_scanned_at' },
  createdAt: { sql: 'l.created_at' },
  updatedAt: { sql: 'l.updated_at' },
};

const COLUMNS: Packed<Library> = packed<Library>(FIELDS);

/** The stored counters cover everything; for a viewer who sees less, the visible rows are counted. */
const columnsFor = ({ scope }: Viewer): Packed<Library> => {
  if (scope === EVERYTHING) return COLUMNS;
  const seen = `FROM series c WHERE c.library_id = l.id AND c.book_count > 0${andVisible(scope, 'c')}`;
  return packed<Library>({
    ...FIELDS,
    seriesCount: { sql: `(SELECT count(*) ${seen})` },
    bookCount: { sql: `(SELECT coalesce(sum(${visibleBookCount(scope, 'c')}), 0) ${seen})` },
  });
};

const packedLibraries = (rest: string, { expression }: Packed<Library> = COLUMNS): string =>
  `SELECT json_group_array(json(row)) FROM (SELECT ${expression} AS row FROM library l ${rest})`;

const select = async (db: Db, rest: string, binds: readonly Bind[]): Promise<Library[]> =>
  (await db.json<unknown[][]>(packedLibraries(rest), binds)).map(COLUMNS.read);

export const listLibraries = async (db: Db, viewer: Viewer, window: Window): Promise<PageOf<Library>> => {
  const visible = andVisibleLibrary(viewer.scope, 'l');
  const rows = packedLibraries(`WHERE true${visible} ORDER BY l.name_sort, l.id LIMIT ? OFFSET ?`, columnsFor(viewer));
  const page = { sql: rows, binds: [window.pageSize, offsetOf(window)] };
  const total = { sql: `SELECT count(*) FROM library l WHERE true${visible}`, binds: [] };
  return { ...window, ...(await rowsAndTotal(db, COLUMNS, page, total)) };
};

export const allLibraries = (db: Db): Promise<Library[]> =>
  select(db, 'WHERE l.removing = 0 ORDER BY l.name_sort, l.id', []);

/** Ids of the libraries a viewer may know about. Nobody may know about one that is being removed. */
export const visibleLibraries = async (db: Db, { scope }: Viewer): Promise<(id: string) => boolean> => {
  const ids = new Set((await select(db, `WHERE true${andVisibleLibrary(scope, 'l')}`, [])).map(({ id }) => id));
  return (id) => ids.has(id);
};

/** For the system. */
export const libraryById = (db: Db, id: string): Promise<Library> => libraryFor(db, unrestricted(0), id);

/** For whoever changes, scans or removes it: an administrator also does so with one that they do not see themselves. */
export const libraryToKeep = (db: Db, keeper: Keeper, id: string): Promise<Library> =>
  keeper === SYSTEM || keeper.administers ? libraryById(db, id) : libraryFor(db, keeper, id);

export const libraryFor = async (db: Db, viewer: Viewer, id: string): Promise<Library> => {
  const query = packedLibraries(`WHERE l.uuid = ?${andVisibleLibrary(viewer.scope, 'l')}`, columnsFor(viewer));
  const [row] = await db.json<unknown[][]>(query, [bytesOfUuid(id)]);
  if (row === undefined) throw unknownRow('library');
  return COLUMNS.read(row);
};

const binds = (library: Library): readonly Bind[] => [
  library.name,
  sortKey(library.name),
  library.root,
  library.description,
  library.readingDirection,
  library.allowedFormats === null ? null : JSON.stringify(library.allowedFormats),
  library.excluded,
  Number(library.scanEnabled),
  library.scanMode,
  library.scanCron,
  Number(library.scanOnStart),
  library.scanZone,
  Number(library.scanPurge),
  Number(library.scanWatch),
  ...ruleBinds(library),
  Number(library.rulesChanged),
  library.updatedAt,
];

const merge = (old: Library, change: LibraryChange, root: string, nowMs: number): Library => {
  const rules = mergeRules(old, change.rules ?? {});
  const rulesChanged = old.rulesChanged || (old.key > 0 && changesBooks(old, rules));
  return { ...mergeRest(old, change, root, nowMs), ...rules, rulesChanged };
};

const mergeRest = (old: Library, change: LibraryChange, root: string, nowMs: number): Library => ({
  ...old,
  root,
  name: (change.name ?? old.name).trim(),
  description: change.description === undefined ? old.description : change.description,
  readingDirection: change.readingDirection ?? old.readingDirection,
  allowedFormats: change.allowedFormats === undefined ? old.allowedFormats : change.allowedFormats,
  excluded: change.excluded === undefined ? old.excluded : (change.excluded ?? ''),
  scanEnabled: change.scan?.enabled ?? old.scanEnabled,
  scanMode: change.scan?.mode ?? old.scanMode,
  scanCron: change.scan?.cron === undefined ? old.scanCron : change.scan.cron,
  scanOnStart: change.scan?.onStart ?? old.scanOnStart,
  scanZone: change.scan?.zone === undefined ? old.scanZone : change.scan.zone,
  scanPurge: change.scan?.purge ?? old.scanPurge,
  scanWatch: change.scan?.watch ?? old.scanWatch,
  updatedAt: nowMs,
});

const EMPTY: Library = {
  key: 0,
  id: '',
  name: '',
  root: '',
  description: null,
  readingDirection: 'ltr',
  allowedFormats: null,
  excluded: '',
  scanEnabled: false,
  scanMode: 'normal',
  scanCron: null,
  scanOnStart: false,
  scanZone: null,
  scanPurge: false,
  scanWatch: false,
  ...DEFAULT_RULES,
  rulesChanged: false,
  seriesCount: 0,
  bookCount: 0,
  lastScannedAt: null,
  createdAt: 0,
  updatedAt: 0,
};

const checkName = (name: string): void => {
  if (name.trim() === '') throw new AppError('BadRequest', 'The name of a library must not be empty.');
};

/** `ours`: folders this server writes to, which no library may share. */
export const createLibrary = async (
  db: Db,
  clock: Clock,
  keeper: Keeper,
  change: LibraryChange & { readonly name: string; readonly path: string },
  ours: readonly string[],
): Promise<Library> => {
  checkName(change.name);
  const root = await checkRoot(change.path, ours, (planned) => refuseTaken(db, planned, keeper));
  const now = clock.now();
  const library = merge({ ...EMPTY, createdAt: now }, change, root, now);
  checkRules(library);
  checkSchedule(change.scan, now);
  const id = uuidOfHex(newId(now));
  await db.write(byOf(keeper), 'interactive', async (tx) => {
    await refuseTaken(tx, root, keeper);
    const made = await tx.all<PublicRow>(
      `INSERT INTO library (name, name_sort, root, description, reading_direction, allowed_formats, excluded,
         scan_enabled, scan_mode, scan_cron, scan_on_start, scan_zone, scan_purge, scan_watch, series_strategy, series_config, book_strategy, book_config,
         number_strategy, number_config, title_rules, rules_changed, updated_at, created_at, uuid)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id, hex(uuid) AS hex`,
      [...binds(library), now, bytesOfUuid(id)],
    );
    tx.report(created('library', made));
  });
  return libraryById(db, id);
};

const librariesIn = async (tx: { all<T>(sql: string): Promise<T[]> }): Promise<Library[]> => {
  const rows = await tx.all<{ row: string }>(`SELECT ${COLUMNS.expression} AS row FROM library l WHERE l.removing = 0`);
  return rows.map(({ row }) => COLUMNS.read(JSON.parse(row) as unknown[]));
};

const fieldsOf = (change: LibraryChange): readonly string[] =>
  Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));

export const updateLibrary = async (
  db: Db,
  clock: Clock,
  keeper: Keeper,
  id: string,
  change: LibraryChange,
  ours: readonly string[],
): Promise<Library> => {
  const old = await libraryToKeep(db, keeper, id);
  if (change.name !== undefined) checkName(change.name);
  refuseSeriesChange(old, change.rules ?? {});
  checkSchedule(change.scan, clock.now());
  const refuse = (planned: string): Promise<void> => refuseTaken(db, planned, keeper, old.key);
  const isMoved = change.path !== undefined && change.path !== old.root;
  const wanted = isMoved ? await checkRoot(change.path ?? '', ours, refuse) : undefined;
  await db.write(byOf(keeper), 'interactive', async (tx) => {
    // Read again: another request may have changed other fields in the meantime.
    const current = (await librariesIn(tx)).find(({ key }) => key === old.key);
    if (current === undefined) throw unknownRow('library');
    const root = wanted ?? current.root;
    const library = merge(current, change, root, clock.now());
    checkRules(library);
    if (root !== current.root) await refuseTaken(tx, root, keeper, old.key);
    await tx.run(
      `UPDATE library SET former_root = iif(root = ?3, former_root, coalesce(former_root, root)),
         name = ?1, name_sort = ?2, root = ?3, description = ?4, reading_direction = ?5, allowed_formats = ?6, excluded = ?7,
         scan_enabled = ?, scan_mode = ?, scan_cron = ?, scan_on_start = ?, scan_zone = ?, scan_purge = ?, scan_watch = ?, series_strategy = ?, series_config = ?, book_strategy = ?,
         book_config = ?, number_strategy = ?, number_config = ?, title_rules = ?, rules_changed = ?, updated_at = ?
       WHERE id = ? AND removing = 0`,
      [...binds(library), old.key],
    );
    tx.report(told('library', [old.key], fieldsOf(change)));
    if (root !== current.root)
      tx.report({ ...updated('book', 'all', ASPECTS.list | ASPECTS.content), libraryKey: old.key });
  });
  return libraryToKeep(db, keeper, id);
};
