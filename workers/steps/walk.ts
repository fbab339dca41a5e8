// Reads folders: names, sizes and times of the book files in them, and one digest a folder. Symbolic links are not followed.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import type { WalkedFolder, WalkInput, WalkOutput } from '../../core/model/jobs.js';
import { isJunk } from '../../core/model/junk.js';
import { type Excludes, excludesOf } from '../globs.js';
import { hashText } from '../hashes.js';
import { type Run, step } from '../step.js';

interface Found {
  readonly folders: WalkedFolder[];
  readonly unreadable: { readonly path: string; readonly reason: string }[];
  files: number;
}

interface File {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

const UNREADABLE_MAX = 100;

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);

const note = (found: Found, path: string, reason: string): void => {
  if (found.unreadable.length < UNREADABLE_MAX) found.unreadable.push({ path, reason });
};

const isBook = (name: string, extensions: ReadonlySet<string>): boolean => {
  const dot = name.lastIndexOf('.');
  return dot > 0 && extensions.has(name.slice(dot + 1).toLowerCase());
};

const byName = (a: File, b: File): number => (a.name < b.name ? -1 : Number(a.name > b.name));

const textOf = (files: readonly File[]): string =>
  files.map(({ name, size, mtimeMs }) => `${name}\0${size}\0${mtimeMs}`).join('\n');

/** The series that the description in a folder names; the path is relative to the root. */
type SeriesBeside = (folder: string) => string | null;

/** Pictures that stand for a folder; of several the first by name. */
const COVER = /^(?:cover|folder|poster)\.(?:jpe?g|png|webp)$/i;
/** Files that describe the books of a folder. */
const SIDECAR = /^(?:series\.json|.{1,250}\.opf)$/i;

const besideOf = (beside: readonly File[], path: string, seriesBeside: SeriesBeside): WalkedFolder['beside'] => {
  const sidecars = beside.filter(({ name }) => SIDECAR.test(name));
  return {
    cover: beside.find(({ name }) => COVER.test(name))?.name ?? null,
    sidecars: sidecars.length === 0 ? '' : hashText(textOf(sidecars)),
    series: sidecars.some(({ name }) => name === 'metadata.opf') ? seriesBeside(path) : null,
  };
};

/** A folder without anything beside its books has the digest of its books alone. */
const digestOf = (files: readonly File[], beside: readonly File[]): string =>
  hashText(beside.length === 0 ? textOf(files) : `${textOf(files)}\n\n${textOf(beside)}`);

const folderOf = (
  path: string,
  files: File[],
  beside: File[],
  known: string | undefined,
  seriesBeside: SeriesBeside,
): WalkedFolder => {
  files.sort(byName);
  beside.sort(byName);
  const digest = digestOf(files, beside);
  const unchanged = digest === known;
  return {
    path,
    digest,
    fileCount: files.length,
    beside: besideOf(beside, path, unchanged ? () => null : seriesBeside),
    files: unchanged
      ? null
      : {
          names: files.map(({ name }) => name),
          sizes: files.map(({ size }) => size),
          mtimesMs: files.map(({ mtimeMs }) => mtimeMs),
        },
  };
};

interface Rules {
  readonly input: WalkInput;
  readonly extensions: ReadonlySet<string>;
  readonly excludes: Excludes;
  readonly seriesBeside: SeriesBeside;
}

const entriesOf = (found: Found, root: string, path: string): Dirent[] => {
  try {
    return readdirSync(path === '' ? root : `${root}/${path}`, { withFileTypes: true });
  } catch (thrown) {
    note(found, path, reasonOf(thrown));
    return [];
  }
};

/** A file that vanished between listing and looking is simply not there; one that cannot be looked at is noted. */
const fileOf = (found: Found, root: string, path: string, name: string): File | undefined => {
  try {
    const stat = statSync(`${root}/${path}`, { throwIfNoEntry: false });
    if (stat !== undefined) return { name, size: stat.size, mtimeMs: Math.floor(stat.mtimeMs) };
    if (name.includes('\ufffd')) note(found, path, 'its name is not valid UTF-8');
  } catch (thrown) {
    note(found, path, reasonOf(thrown));
  }
  return undefined;
};

/** Returns the sub-folders, in order. */
const visit = (found: Found, path: string, { input, extensions, excludes, seriesBeside }: Rules): string[] => {
  const files: File[] = [];
  const beside: File[] = [];
  const folders: string[] = [];
  const isUnreadableBefore = found.unreadable.length;
  for (const entry of entriesOf(found, input.root, path)) {
    const { name } = entry;
    const inner = path === '' ? name : `${path}/${name}`;
    const isFolder = entry.isDirectory();
    const isBeside = !isFolder && entry.isFile() && (COVER.test(name) || SIDECAR.test(name));
    if (!isFolder && !isBeside && !(entry.isFile() && isBook(name, extensions))) continue;
    if (isJunk(name) || excludes(name, inner)) continue;
    if (isFolder) {
      folders.push(inner);
      continue;
    }
    const file = fileOf(found, input.root, inner, name);
    if (file !== undefined) (isBeside ? beside : files).push(file);
  }
  const known = input.known.get(path);
  const couldRead =
    found.unreadable.length === isUnreadableBefore || !found.unreadable.some((one) => one.path === path);
  if (couldRead && (files.length > 0 || known !== undefined))
    found.folders.push(folderOf(path, files, beside, known, seriesBeside));
  found.files += files.length;
  return folders;
};

/** Depth first, in name order; hands back what is left when the budget is spent. */
const walkFolders = (input: WalkInput, seriesBeside: SeriesBeside, run: Run): WalkOutput => {
  const found: Found = { folders: [], unreadable: [], files: 0 };
  const rules: Rules = {
    input,
    extensions: new Set(input.extensions),
    excludes: excludesOf(input.excluded),
    seriesBeside,
  };
  const rest = [...input.folders].reverse();
  while (rest.length > 0 && found.files < input.fileBudget) {
    run.check();
    const path = rest.pop();
    if (path === undefined) break;
    for (const inner of visit(found, path, rules).sort().reverse()) rest.push(inner);
  }
  return { folders: found.folders, rest: rest.reverse(), unreadable: found.unreadable, fileCount: found.files };
};

/** The readers of descriptions are loaded only where one is wanted. */
const readerOf = async ({ readsSeries, root }: WalkInput): Promise<SeriesBeside> => {
  if (!readsSeries) return () => null;
  const { seriesIn } = await import('../metadata/sidecars.js');
  return (folder) => seriesIn(`${root}/${folder}`);
};

export const walk = step({
  name: 'walk',
  needs: ['walk'],
  gives: ['walked'],
  run: async ({ walk: input }, run) => ({ walked: walkFolders(input, await readerOf(input), run) }),
});
