// Orphaned files: uploaded covers without a row, and cached images of books and series that are gone. Nothing else in these folders is
// touched.
import { AppError, faultOf } from '../model/errors.js';
import { uuidOfHex } from '../model/ids.js';
import type { Blobs } from '../store/blobs.js';
import type { Reader } from '../store/db.js';
import type { Uploads } from '../store/uploads.js';
import { withCover } from './uploaded-covers.js';
import { ownerInKey } from './version.js';

export interface OrphanParts {
  readonly db: Reader;
  readonly blobs: Blobs;
  readonly uploads: Uploads;
}

/** `thumbnail`: a cover or a page in the cache, which can be made again. */
export interface Orphan {
  readonly kind: 'cover' | 'thumbnail';
  /** Of the cover, or of the book or series that is gone. */
  readonly id: string;
  /** In the data folder, or the key in the cache. */
  readonly path: string;
  readonly bytes: number;
}

export interface Found {
  readonly covers: number;
  readonly thumbnails: number;
  readonly bytes: number;
  /** The first of them. */
  readonly files: readonly Orphan[];
}

export interface Cleaned {
  readonly covers: number;
  readonly thumbnails: number;
  readonly bytes: number;
  readonly failures: number;
  /** The first of them. */
  readonly errors: readonly string[];
}

/** Stops a search; told how many files and entries were looked at so far. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly onSeen?: (seen: number) => void;
}

interface Batch {
  readonly seen: number;
  readonly orphans: readonly Orphan[];
  /** Returns those that were removed; throws for a disk that fails. */
  remove(onFailed: (thrown: unknown) => void): Promise<readonly Orphan[]>;
}

const UPLOADS = 'uploads';
const CACHE_BATCH = 500;
const FILES_MAX = 1000;
const ERRORS_MAX = 20;

/** As hex digits. */
const known = async (from: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await from.all<{ hex: string }>(
    `SELECT j.value AS hex FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM book WHERE uuid = unhex(j.value))
       OR EXISTS (SELECT 1 FROM series WHERE uuid = unhex(j.value))`,
    [JSON.stringify(ids)],
  );
  return new Set(rows.map(({ hex }) => hex));
};

/** Without regard to their age: whoever asks for this wants them gone. */
async function* inUploads({ db, uploads }: OrphanParts): AsyncGenerator<Batch> {
  for await (const left of uploads.leftovers((ids) => withCover(db, ids), Number.POSITIVE_INFINITY)) {
    const orphans = left.map(
      ({ name, id, bytes }): Orphan => ({ kind: 'cover', id, path: `${UPLOADS}/${name}`, bytes }),
    );
    yield {
      seen: left.length,
      orphans,
      remove: async (onFailed) => {
        const removed: Orphan[] = [];
        for (const [index, one] of left.entries()) {
          const isGone = await uploads.discard(one).catch(onFailed);
          const orphan = orphans[index];
          if (isGone === true && orphan !== undefined) removed.push(orphan);
        }
        return removed;
      },
    };
  }
}

/** An image is stored after the row that it is of: what was listed before its row was looked for is nobody's that is to come. */
async function* inCache({ db, blobs }: OrphanParts): AsyncGenerator<Batch> {
  for (let after = 0; ; ) {
    const listed = blobs.list(after, CACHE_BATCH);
    const last = listed.at(-1);
    if (last === undefined) return;
    after = last.at;
    const owned = listed.flatMap((blob) => {
      const owner = ownerInKey(blob.key);
      return owner === undefined ? [] : [{ blob, owner }];
    });
    const there = await known(db, [...new Set(owned.map(({ owner }) => owner))]);
    const gone = owned.filter(({ owner }) => !there.has(owner));
    const orphanOf = new Map(
      gone.map(({ blob: { key, size }, owner }): [string, Orphan] => [
        key,
        { kind: 'thumbnail', id: uuidOfHex(owner), path: key, bytes: size },
      ]),
    );
    yield {
      seen: listed.length,
      orphans: [...orphanOf.values()],
      remove: async () => blobs.discard(gone.map(({ blob }) => blob)).flatMap(({ key }) => orphanOf.get(key) ?? []),
    };
  }
}

async function* batches(parts: OrphanParts, { signal, onSeen }: Watch): AsyncGenerator<Batch> {
  let seen = 0;
  for (const find of [inUploads, inCache])
    for await (const batch of find(parts)) {
      if (signal.aborted) throw new AppError('Cancelled');
      seen += batch.seen;
      onSeen?.(seen);
      yield batch;
    }
}

const sums = (orphans: readonly Orphan[]): Pick<Found, 'covers' | 'thumbnails' | 'bytes'> => {
  const covers = orphans.filter(({ kind }) => kind === 'cover').length;
  const bytes = orphans.reduce((sum, orphan) => sum + orphan.bytes, 0);
  return { covers, thumbnails: orphans.length - covers, bytes };
};

const plus = <T extends Pick<Found, 'covers' | 'thumbnails' | 'bytes'>>(to: T, orphans: readonly Orphan[]): T => {
  const more = sums(orphans);
  return {
    ...to,
    covers: to.covers + more.covers,
    thumbnails: to.thumbnails + more.thumbnails,
    bytes: to.bytes + more.bytes,
  };
};

/** How much there is to clean up. Changes nothing. */
export const findOrphans = async (parts: OrphanParts, watch: Watch): Promise<Found> => {
  let found: Found = { covers: 0, thumbnails: 0, bytes: 0, files: [] };
  for await (const { orphans } of batches(parts, watch)) {
    const files = [...found.files, ...orphans.slice(0, FILES_MAX - found.files.length)];
    found = { ...plus(found, orphans), files };
  }
  return found;
};

/** What cannot be removed is counted and left; the rest goes. */
export const cleanOrphans = async (parts: OrphanParts, watch: Watch): Promise<Cleaned> => {
  const errors: string[] = [];
  let failures = 0;
  const onFailed = (thrown: unknown): void => {
    failures += 1;
    if (errors.length < ERRORS_MAX) errors.push(faultOf(thrown).message);
  };
  let cleaned = { covers: 0, thumbnails: 0, bytes: 0 };
  for await (const batch of batches(parts, watch)) cleaned = plus(cleaned, await batch.remove(onFailed));
  if (!parts.blobs.isKeeping) onFailed(new AppError('StorageFailed', 'The cache cannot be used at the moment.'));
  return { ...cleaned, failures, errors };
};
