// Walks the folders of a library and makes every new, changed or returned book visible at once. Opens no book file.

import { readsMetadata } from '../catalog/rules/series.js';
import { AppError } from '../model/errors.js';
import { BOOK_FORMATS } from '../model/formats.js';
import type { WalkedFolder, WalkOutput } from '../model/jobs.js';
import type { ScanContext } from './context.js';
import { covers } from './part.js';
import { type ListedFolder, ROWS_PER_TRANSACTION, recordFolders } from './record.js';
import { Unreadable } from './unreadable.js';

interface KnownFolder {
  readonly key: number;
  readonly digest: string;
}

/** One preload per library: folder path to its row. A folder costs a map entry; its books cost nothing until it changes. */
const knownFolders = async ({ parts, library }: ScanContext): Promise<Map<string, KnownFolder>> => {
  const rows = await parts.db.json<[string, number, string][]>(
    'SELECT json_group_array(json_array(path, id, digest)) FROM folder WHERE library_id = ?',
    [library.key],
  );
  return new Map(rows.map(([path, key, digest]) => [path, { key, digest }]));
};

/** A copy writes more often. On a file server, times come from its clock: one that is further ahead says nothing. */
const SETTLED_MS = 2000;
const AHEAD_MS = 60_000;

const walk = (
  { parts, library, signal, settledOnly }: ScanContext,
  folders: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<WalkOutput> => {
  const now = parts.clock.now();
  return parts.pool.run(
    'walk',
    {
      root: library.root,
      folders,
      known,
      extensions: library.allowedFormats ?? BOOK_FORMATS,
      excluded: library.excluded,
      readsSeries: readsMetadata(library),
      fileBudget: parts.walkBatchFiles,
      unsettled: settledOnly ? { fromMs: now - SETTLED_MS, toMs: now + AHEAD_MS } : undefined,
    },
    { lane: 'background', signal },
  );
};

export interface Discovery {
  /** Folders recorded earlier that the walk did not find. */
  readonly vanishedFolders: readonly number[];
}

export const discover = async (context: ScanContext): Promise<Discovery> => {
  const { findings, signal, mode, warn } = context;
  const folders = await knownFolders(context);
  const digests = new Map(mode === 'deep' ? [] : [...folders].map(([path, { digest }]) => [path, digest]));
  const unreadable = new Unreadable();
  const met = new Set<string>();
  let rest: readonly string[] = context.part ?? [''];
  while (rest.length > 0) {
    if (signal.aborted) throw new AppError('Cancelled');
    const found = await walk(context, rest, digests);
    unreadable.add(found.unclear);
    tell(found, warn);
    context.looked(found);
    findings.filesFound += found.fileCount;
    context.parts.tally.seen(found.fileCount);
    findings.linksFound += found.linkCount;
    const changed = found.folders.flatMap((folder) => meet(context, folder, folders, met) ?? []);
    for (const batch of batchesOf(changed)) {
      if (signal.aborted) throw new AppError('Cancelled');
      await recordFolders(context, batch, unreadable);
    }
    context.tell();
    rest = found.rest;
  }
  const isLooked = (path: string): boolean => covers(context.part, path);
  const vanished = [...folders].filter(
    ([path]) => isLooked(path) && !met.has(path) && !unreadable.hidesFolder(path, met),
  );
  return { vanishedFolders: vanished.map(([, { key }]) => key) };
};

/** Names the first hundred of a walk, and gives the number of the others. */
const tell = ({ unreadable, unreadableCount }: WalkOutput, warn: ScanContext['warn']): void => {
  for (const { path, reason } of unreadable)
    warn(`Cannot read ${path === '' ? 'the library folder' : `"${path}"`}: ${reason}. Books known there are kept.`);
  const more = unreadableCount - unreadable.length;
  if (more > 0) warn(`Cannot read ${more} more files and folders. Books known there are kept.`);
};

/** Notes a folder that was found; returns it if something in it changed. */
const meet = (
  context: ScanContext,
  folder: WalkedFolder,
  known: ReadonlyMap<string, KnownFolder>,
  met: Set<string>,
): ListedFolder | undefined => {
  met.add(folder.path);
  const knownKey = known.get(folder.path)?.key;
  if (folder.fileCount === 0 && knownKey === undefined) return undefined;
  if (folder.files !== null) return { folder, knownKey };
  context.findings.filesProcessed += folder.fileCount;
  return undefined;
};

/** Folders per batch, however few files they have. */
const FOLDERS_MAX = 50;

/** Folders in their order, as many per batch as fit into a transaction; at least one. */
const batchesOf = (folders: readonly ListedFolder[]): readonly (readonly ListedFolder[])[] => {
  const batches: ListedFolder[][] = [];
  let files = 0;
  for (const listed of folders) {
    files += listed.folder.fileCount;
    const batch = batches.at(-1);
    if (batch !== undefined && batch.length < FOLDERS_MAX && files <= ROWS_PER_TRANSACTION) batch.push(listed);
    else {
      batches.push([listed]);
      files = listed.folder.fileCount;
    }
  }
  return batches;
};
