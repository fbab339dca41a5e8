// Reads folders: names, sizes and times of the book files in them, and one digest per folder. Symbolic links are not followed.
import { type Dirent, readdirSync } from 'node:fs';
import { fileTimeOf } from '../../core/model/file-time.js';
import { isHeldFolder } from '../../core/model/held-place.js';
import type { WalkedFolder, WalkInput, WalkOutput } from '../../core/model/jobs.js';
import { isJunk } from '../../core/model/junk.js';
import { sortNaturally } from '../../core/model/natural-order.js';
import { type Excludes, excludesOf } from '../globs.js';
import { hashText } from '../hashes.js';
import { type Inspected, inspect } from '../inspect.js';
import { type Run, step } from '../step.js';
import { FOREIGN, Unclear } from '../walk-faults.js';

interface Found {
  readonly folders: WalkedFolder[];
  readonly unclear: Unclear;
  files: number;
  links: number;
}

interface File {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

const LINK = 'it is a link, and links are not followed';
const NOT_REGULAR = 'it is not a regular file';
const FOREIGN_NAME = 'its name is not valid UTF-8';
/** A file of holes, on file systems that allow it. Its size cannot be counted or stored exactly. */
const TOO_LARGE = 'it is larger than a book can be';

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);

const isBook = (name: string, extensions: ReadonlySet<string>): boolean => {
  const dot = name.lastIndexOf('.');
  return dot > 0 && extensions.has(name.slice(dot + 1).toLowerCase());
};

const byName = (a: File, b: File): number => (a.name < b.name ? -1 : Number(a.name > b.name));

const textOf = (files: readonly File[]): string =>
  files.map(({ name, size, mtimeMs }) => `${name}\0${size}\0${mtimeMs}`).join('\n');

/** The series named by the description in a folder; the path is relative to the root. */
type SeriesBeside = (folder: string) => string | null;

/** Pictures that represent a folder; of several the first by name. */
const COVER = /^(?:cover|folder|poster)\.(?:jpe?g|png|webp)$/i;
/** Files that describe the books of a folder. */
const SIDECAR = /^(?:series\.json|.{1,250}\.opf)$/i;

const besideOf = (beside: readonly File[], path: string, seriesBeside: SeriesBeside): WalkedFolder['beside'] => {
  const sidecars = beside.filter(({ name }) => SIDECAR.test(name));
  return {
    cover: beside.find(({ name }) => COVER.test(name))?.name ?? null,
    sidecars: sidecars.length === 0 ? '' : hashText(textOf(sidecars)),
    series: sidecars.some(({ name }) => name.toLowerCase() === 'metadata.opf') ? seriesBeside(path) : null,
  };
};

/** A folder with nothing but books has the digest of its books. Unreadable entries count: when one disappears, that is a change. */
const digestOf = (files: readonly File[], beside: readonly File[], unclear: string): string => {
  const text = beside.length === 0 ? textOf(files) : `${textOf(files)}\n\n${textOf(beside)}`;
  return hashText(unclear === '' ? text : `${text}\n\n\n${unclear}`);
};

/** The contents of a folder, as far as they could be read. */
interface Listed {
  readonly path: string;
  readonly files: File[];
  readonly beside: File[];
  readonly folders: string[];
}

const folderOf = (
  { path, files, beside }: Listed,
  unclear: string,
  known: string | undefined,
  seriesBeside: SeriesBeside,
): WalkedFolder => {
  files.sort(byName);
  beside.sort(byName);
  const digest = digestOf(files, beside, unclear);
  const unchanged = digest === known;
  const stored = unchanged ? [] : sortNaturally(files, ({ name }) => name);
  return {
    path,
    digest,
    fileCount: files.length,
    beside: besideOf(beside, path, unchanged ? () => null : seriesBeside),
    files: unchanged
      ? null
      : {
          names: stored.map(({ name }) => name),
          sizes: stored.map(({ size }) => size),
          mtimesMs: stored.map(({ mtimeMs }) => mtimeMs),
        },
  };
};

interface Rules {
  readonly input: WalkInput;
  readonly extensions: ReadonlySet<string>;
  readonly excludes: Excludes;
  readonly seriesBeside: SeriesBeside;
  /** Folders known from an earlier walk: since then a link may have replaced one of them, or a parent. */
  readonly handed: ReadonlySet<string>;
}

/** Undefined when the folder cannot be listed. */
const entriesOf = ({ unclear }: Found, path: string, { input, handed }: Rules): Dirent[] | undefined => {
  try {
    if (path !== '' && handed.has(path) && !isHeldFolder(input.root, path)) {
      unclear.folder(path, LINK);
      return undefined;
    }
    return readdirSync(path === '' ? input.root : `${input.root}/${path}`, { withFileTypes: true });
  } catch (thrown) {
    const isForeign = path.includes(FOREIGN);
    unclear.folder(path, isForeign ? FOREIGN_NAME : reasonOf(thrown));
    return undefined;
  }
};

/** A file that vanished between listing and inspection is simply gone; one that cannot be inspected or counted is noted. */
const fileOf = ({ unclear }: Found, folder: string, name: string, inspected: Inspected): File | undefined => {
  if ('thrown' in inspected) {
    unclear.entry(folder, name, reasonOf(inspected.thrown));
    return undefined;
  }
  const { stats } = inspected;
  const isFile = stats?.isFile() === true;
  if (isFile && stats.size <= Number.MAX_SAFE_INTEGER) return { name, size: stats.size, mtimeMs: fileTimeOf(stats) };
  if (isFile) unclear.entry(folder, name, TOO_LARGE);
  else if (stats !== undefined) unclear.entry(folder, name, stats.isSymbolicLink() ? LINK : NOT_REGULAR);
  else if (name.includes(FOREIGN)) unclear.entry(folder, name, FOREIGN_NAME);
  return undefined;
};

/** A time far in the future says nothing. */
const isUnsettled = ({ mtimeMs }: File, { unsettled }: WalkInput): boolean =>
  unsettled !== undefined && mtimeMs > unsettled.fromMs && mtimeMs <= unsettled.toMs;

/** Anything that is neither a file nor a folder: a link in place of something known hides it, and so does a pipe in place of a book. */
const noteOdd = (found: Found, folder: string, entry: Dirent, { extensions }: Rules): void => {
  if (entry.isSymbolicLink()) {
    found.links += 1;
    found.unclear.entry(folder, entry.name, LINK);
  } else if (isBook(entry.name, extensions)) found.unclear.entry(folder, entry.name, NOT_REGULAR);
};

const isBeside = (name: string): boolean => COVER.test(name) || SIDECAR.test(name);

/** Notes sub-folders and what is odd. True for a file of interest. */
const sortIn = (found: Found, listed: Listed, entry: Dirent, rules: Rules): boolean => {
  const { name } = entry;
  const inner = listed.path === '' ? name : `${listed.path}/${name}`;
  const isFile = entry.isFile();
  if (isFile && !isBeside(name) && !isBook(name, rules.extensions)) return false;
  if (isJunk(name) || rules.excludes(name, inner)) return false;
  if (entry.isDirectory()) listed.folders.push(inner);
  else if (!isFile) noteOdd(found, listed.path, entry, rules);
  return isFile;
};

const addFile = (found: Found, { path, files, beside }: Listed, file: File, { input }: Rules): void => {
  if (isUnsettled(file, input)) found.unclear.unsettled(path, file.name);
  else (isBeside(file.name) ? beside : files).push(file);
};

/** Returns the sub-folders, in order. */
const visit = async (found: Found, path: string, rules: Rules, run: Run): Promise<string[]> => {
  const listed: Listed = { path, files: [], beside: [], folders: [] };
  const entries = entriesOf(found, path, rules);
  if (entries === undefined) return [];
  const names = entries.filter((entry) => sortIn(found, listed, entry, rules)).map(({ name }) => name);
  const folder = path === '' ? rules.input.root : `${rules.input.root}/${path}`;
  const inspected = await inspect(
    names.map((name) => `${folder}/${name}`),
    run.check,
  );
  for (const [at, one] of inspected.entries()) {
    const file = fileOf(found, path, names[at] ?? '', one);
    if (file !== undefined) addFile(found, listed, file, rules);
  }
  const known = rules.input.known.get(path);
  const unclear = found.unclear.textOf(path);
  if (listed.files.length > 0 || known !== undefined || unclear !== '')
    found.folders.push(folderOf(listed, unclear, known, rules.seriesBeside));
  found.files += listed.files.length;
  return listed.folders;
};

/**
 * Depth first, in the natural order of names: books are stored in that order, and lists show those that arrived together in it. Returns what is left when the budget is spent. */
const walkFolders = async (input: WalkInput, seriesBeside: SeriesBeside, run: Run): Promise<WalkOutput> => {
  const found: Found = { folders: [], unclear: new Unclear(), files: 0, links: 0 };
  const rules: Rules = {
    input,
    extensions: new Set(input.extensions),
    excludes: excludesOf(input.excluded),
    seriesBeside,
    handed: new Set(input.folders),
  };
  const rest = [...input.folders].reverse();
  const foldersMax = input.folderBudget ?? Number.POSITIVE_INFINITY;
  for (let folders = 0; rest.length > 0 && found.files < input.fileBudget && folders < foldersMax; folders += 1) {
    run.check();
    const path = rest.pop();
    if (path === undefined) break;
    const folders = await visit(found, path, rules, run);
    for (const inner of sortNaturally(folders, (folder) => folder).reverse()) rest.push(inner);
  }
  const { folders, files: fileCount, links: linkCount } = found;
  return { folders, rest: rest.reverse(), ...found.unclear.result(), linkCount, fileCount };
};

/** The readers of descriptions are loaded only where one is wanted. */
const readerOf = async ({ readsSeries, root }: WalkInput): Promise<SeriesBeside> => {
  if (!readsSeries) return () => null;
  const { seriesIn } = await import('../metadata/sidecars.js');
  return (folder) => seriesIn(`${root}/${folder}`, root);
};

export const walk = step({
  name: 'walk',
  needs: ['walk'],
  gives: ['walked'],
  run: async ({ walk: input }, run) => ({ walked: await walkFolders(input, await readerOf(input), run) }),
});
