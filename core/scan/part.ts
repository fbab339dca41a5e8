// The part of a library that a scan covers: some of its folders, including subfolders, or all of it.
import type { Library } from '../catalog/libraries.js';
import { type ResolvedKind, resolve } from '../catalog/public-ids.js';
import { andVisible, andVisibleInSeries } from '../catalog/visibility.js';
import { AppError } from '../model/errors.js';
import { uuidOfHex } from '../model/ids.js';
import { isLimited, type Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';

/** Paths relative to the root; null: the whole library. */
export type Part = readonly string[] | null;

export const FOLDERS_MAX = 100;
const PATH_MAX = 4096;

/** As in `part`; a folder of a task's parameters is checked again, since they are stored. */
export const partIn = ({ folders }: Readonly<Record<string, unknown>>): Part =>
  Array.isArray(folders) ? folders.filter((one) => typeof one === 'string' && isInside(one)) : null;

const isInside = (path: string): boolean =>
  path.length <= PATH_MAX &&
  !path.includes('\0') &&
  (path === '' || path.split('/').every((name) => name !== '' && name !== '.' && name !== '..'));

/** A folder as a client names it, relative to the library. */
const partOfFolder = (folder: string): Part => {
  const path = folder.replace(/\/+$/, '');
  if (!isInside(path)) throw new AppError('BadRequest', `Not a folder inside the library: ${folder}`);
  return path === '' ? null : [path];
};

/**
 * As above. Somebody with restrictions in the library scans only what they see: the progress of the scan would tell whether there is a folder
 * of this name.
 */
export const partFor = async (db: Db, viewer: Viewer, library: Pick<Library, 'key'>, folder: string): Promise<Part> => {
  const part = partOfFolder(folder);
  if (part === null || viewer.administers || !isLimited({ ...viewer.scope, libraries: null })) return part;
  const { sql, binds } = andInPart(library, part);
  const seen = await db.all(
    `SELECT 1 FROM book b JOIN series s ON s.id = b.series_id
     WHERE b.library_id = ?${sql}${andVisible(viewer.scope, 's')}${andVisibleInSeries(viewer.scope, 'b')} LIMIT 1`,
    [library.key, ...binds],
  );
  if (seen.length === 0) throw new AppError('NotFound', 'There is no folder of this name in which you can see a book.');
  return part;
};

const OF = { series: 'b.series_id', book: 'b.id' } as const satisfies Partial<Record<ResolvedKind, string>>;

/** The folders of a visible series or book, and its library. */
export const partOf = async (
  db: Db,
  viewer: Viewer,
  kind: keyof typeof OF,
  id: string,
): Promise<{ readonly libraryId: string; readonly part: Part }> => {
  const { key, libraryKey } = await resolve(db, kind, id, viewer);
  const rows = await db.all<{ path: string }>(
    `SELECT DISTINCT f.path FROM book b JOIN folder f ON f.id = b.folder_id WHERE ${OF[kind]} = ?${andVisibleInSeries(viewer.scope, 'b')} LIMIT ${FOLDERS_MAX + 1}`,
    [key],
  );
  const [library] = await db.all<{ id: string }>('SELECT lower(hex(uuid)) AS id FROM library WHERE id = ?', [
    libraryKey,
  ]);
  const paths = rows.map(({ path }) => path);
  const isWhole = paths.length === 0 || paths.length > FOLDERS_MAX || paths.includes('');
  return { libraryId: uuidOfHex(library?.id ?? ''), part: isWhole ? null : outermost(paths) };
};

/** A folder inside another one of them is walked with it. */
export const outermost = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => !paths.some((other) => other !== path && path.startsWith(`${other}/`)));

export const covers = (part: Part, folder: string): boolean =>
  part === null || part.some((path) => folder === path || folder.startsWith(`${path}/`));

/** ` AND …` for a row of `book` with the alias `b`. */
export const andInPart = (
  library: Pick<Library, 'key'>,
  part: Part,
): { readonly sql: string; readonly binds: readonly (string | number)[] } =>
  part === null
    ? { sql: '', binds: [] }
    : {
        sql: ` AND b.folder_id IN (SELECT f.id FROM folder f JOIN json_each(?) j
          ON f.path = j.value OR substr(f.path, 1, length(j.value) + 1) = j.value || '/' WHERE f.library_id = ?)`,
        binds: [JSON.stringify(part), library.key],
      };
