// Covers that users upload, or make of a page: decoded on a thread, encoded anew, kept as a file, and what becomes of those that are gone.
import { createHash } from 'node:crypto';
import { ownerKey, seenOwnerKey } from '../catalog/covers/owners.js';
import {
  addCover,
  chooseBook,
  coverById,
  coversOf,
  type Owned,
  refuseMany,
  removeCover,
  resetCover,
  type StoredCover,
  selectCover,
  selectUploaded,
  UPLOADED,
} from '../catalog/covers/rows.js';
import type { CoverOwner } from '../catalog/covers/shown.js';
import { bookSource, shownCover } from '../catalog/covers/shown.js';
import type { ListParts } from '../catalog/query/page.js';
import type { Clock } from '../engine/clock.js';
import type { Pool } from '../engine/pool.js';
import { AppError, KINDS } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfBytes, uuidOfHex } from '../model/ids.js';
import type { Box, Limits, PageImage } from '../model/jobs.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import type { Swept } from '../store/uploads.js';
import { askerOf } from './asker.js';
import type { Content } from './content.js';
import { type FailingPages, PAGE_DEADLINE_MS } from './failing-pages.js';
import type { Pages } from './pages.js';
import type { ImageRequest } from './thumbnails.js';
import { bytesOfContent } from './whole-content.js';

export interface UploadedCoversParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly pages: Pages;
  readonly limits: Limits;
  readonly failing: FailingPages;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
}

/** Whose cover, and who asks. */
export interface CoverRequest extends Omit<ImageRequest, 'has'> {
  readonly owner: CoverOwner;
  /** Lower-case uuid. */
  readonly id: string;
}

/** `default`: from the files. `custom`: the newest uploaded one. */
export type CoverSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'custom' }
  | { readonly kind: 'book'; readonly bookId: string }
  | { readonly kind: 'page'; readonly pageNumber: number };

/** Larger than any screen shows a cover; whatever is uploaded is stored no larger. */
const STORED_SIDE = 2000;
const STORED_BOX: Box = { width: STORED_SIDE, height: STORED_SIDE };
const STORED_QUALITY = 90;
/** No cover that somebody made has more. */
const PIXELS_MAX = 50_000_000;
/** Images that are being decoded, or wait for that, are in memory. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** Files of gone covers that are removed at a time. */
const GONE_BATCH = 500;
const DAY_MS = 24 * 3_600_000;
/** Files without a cover are kept this long: they may belong to a database that a restore has put aside. */
const LEFT_MS = 30 * DAY_MS;

interface Image {
  readonly bytes: Uint8Array;
  readonly source: string;
  readonly isStrict: boolean;
  readonly isShown: boolean;
}

/** An upload is the request's fault, not a book's. */
const asOfRequest = (thrown: unknown): unknown => {
  if (!(thrown instanceof AppError) || KINDS[thrown.kind].blame !== 'book') return thrown;
  return new AppError('BadRequest', thrown.message, null, thrown);
};

export class UploadedCovers {
  readonly #parts: UploadedCoversParts;
  #heldBytes = 0;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(parts: UploadedCoversParts) {
    this.#parts = parts;
  }

  /** Covers with an image of their own, and what is shown. */
  async list(
    parts: ListParts,
    { owner, id, viewer }: CoverRequest,
  ): Promise<{ readonly covers: readonly StoredCover[]; readonly source: string }> {
    const key = await seenOwnerKey(parts, owner, viewer, id);
    return { covers: await coversOf(parts.db, owner, key), source: await this.#sourceOf(owner, key, viewer) };
  }

  /** The stored image. */
  async image(parts: ListParts, { owner, id, viewer }: CoverRequest, coverId: string, has: ImageRequest['has']) {
    const key = await seenOwnerKey(parts, owner, viewer, id);
    await coverById(parts.db, owner, key, coverId);
    const tag = `${coverId.slice(-12)}-upload`;
    if (has(tag)) return { kind: 'current', tag } satisfies Content;
    const bytes = await this.#parts.pages.uploads.read(coverId);
    if (bytes === undefined) throw new AppError('NotFound', 'The image of this cover is no longer on disk.');
    return { kind: 'bytes', bytes, mediaType: 'image/jpeg', tag } satisfies Content;
  }

  async upload(request: CoverRequest, bytes: Uint8Array, isShown = true): Promise<StoredCover> {
    if (bytes.length === 0) throw new AppError('BadRequest', 'The file is empty.');
    const image = { bytes, source: UPLOADED, isStrict: true, isShown };
    return this.#held(bytes.length, () => this.#add(request, image)).catch((thrown: unknown) => {
      throw asOfRequest(thrown);
    });
  }

  select(request: CoverRequest, coverId: string): Promise<StoredCover> {
    return this.#change(request, (tx, owned) => selectCover(tx, owned, coverId));
  }

  async remove(request: CoverRequest, coverId: string): Promise<void> {
    await this.#change(request, (tx, owned) => removeCover(tx, owned, coverId));
    await this.#parts.pages.uploads.remove([coverId]).catch(this.#parts.onFault); // `tidy` tries again
  }

  /** Says what is shown then. */
  async choose(request: CoverRequest, source: CoverSource): Promise<string> {
    if (source.kind === 'page') {
      await this.#addPage(request, source.pageNumber);
      return `page:${source.pageNumber}`;
    }
    const { viewer } = request;
    return this.#change(request, async (tx, owned) => {
      if (source.kind === 'default') await resetCover(tx, owned);
      else if (source.kind === 'custom') await selectUploaded(tx, owned);
      else await chooseBook(tx, owned, viewer, source.bookId);
      return source.kind === 'book' ? bookSource(source.bookId) : source.kind;
    });
  }

  /** To be called now and then: removes the files of covers that are gone, and once a day what a crash left. */
  async tidy(): Promise<void> {
    await this.discardGone();
    const now = this.#parts.clock.now();
    if (now - this.#sweptMs < DAY_MS) return;
    this.#sweptMs = now;
    await this.sweep();
  }

  /** Removes the files of covers that are gone. */
  async discardGone(): Promise<void> {
    const { db, pages } = this.#parts;
    for (;;) {
      const rows = await db.all<{ uuid: Buffer }>('SELECT uuid FROM gone_cover LIMIT ?', [GONE_BATCH]);
      if (rows.length === 0) return;
      const ids = rows.map(({ uuid }) => uuidOfBytes(uuid));
      await pages.uploads.remove(ids);
      await db.write(SYSTEM, 'background', async (tx) => {
        tx.report(updated('server', [0], ASPECTS.details));
        await tx.run('DELETE FROM gone_cover WHERE uuid IN (SELECT unhex(value) FROM json_each(?))', [hexList(ids)]);
      });
    }
  }

  /** Removes files that no cover has, and that a crash left long ago. */
  sweep(): Promise<Swept> {
    const { db, pages, clock } = this.#parts;
    return pages.uploads.sweep((ids) => withCover(db, ids), clock.now() - LEFT_MS);
  }

  async #sourceOf(owner: CoverOwner, key: number, viewer: Viewer): Promise<string> {
    const { db } = this.#parts;
    const shown = await shownCover(db, owner, key, viewer);
    if (shown === undefined) return 'default';
    if (shown.kind === 'book') return bookSource(shown.bookId);
    return (await coverById(db, owner, key, shown.id)).source;
  }

  async #addPage(request: CoverRequest, pageNumber: number): Promise<void> {
    const { owner, id } = request;
    if (owner !== 'book') throw new AppError('BadRequest', 'Only a book has pages; choose book:<id> instead.');
    const wish = { width: STORED_SIDE, height: STORED_SIDE, format: 'jpeg' } as const;
    const content = await this.#parts.pages.page({ ...request, bookId: id, pageNumber, wish, has: () => false });
    const bytes = await bytesOfContent(content);
    await this.#add(request, { bytes, source: `page:${pageNumber}`, isStrict: false, isShown: true });
  }

  #change<T>({ owner, id, viewer }: CoverRequest, body: (tx: Tx, owned: Owned) => Promise<T>): Promise<T> {
    const { db, clock } = this.#parts;
    const nowMs = clock.now();
    return db.write(viewer.userKey, 'interactive', async (tx) =>
      body(tx, { owner, key: await ownerKey(tx, owner, viewer, id), nowMs }),
    );
  }

  async #add(request: CoverRequest, image: Image): Promise<StoredCover> {
    const { db, pages, clock } = this.#parts;
    const { owner, id, viewer } = request;
    const key = await ownerKey(db, owner, viewer, id);
    if (image.source === UPLOADED) await refuseMany(db, owner, key);
    const { bytes, width, height } = await this.#render(request, image);
    const coverId = uuidOfHex(newId(clock.now()));
    const cover = { id: coverId, source: image.source, width, height, bytes: bytes.length };
    return pages.uploads.keep(coverId, bytes, () =>
      this.#change(request, (tx, owned) => addCover(tx, owned, cover, image.isShown)),
    );
  }

  #render(request: CoverRequest, { bytes, isStrict }: Image): Promise<PageImage> {
    const { pool, limits, failing } = this.#parts;
    const { user, signal } = askerOf(request);
    const imagePixels = Math.min(limits.imagePixels, PIXELS_MAX);
    const input = { bytes, box: STORED_BOX, quality: STORED_QUALITY, limits: { ...limits, imagePixels }, isStrict };
    const options = { lane: 'interactive', user, signal, deadlineMs: PAGE_DEADLINE_MS } as const;
    const key = `upload/${createHash('sha1').update(bytes).digest('hex')}`;
    return failing.run(key, (journalKey) => pool.run('upload', { ...input, journalKey }, options));
  }

  /** Refused at once where there is no room: an image that waits is in memory as well. */
  async #held<T>(bytes: number, body: () => Promise<T>): Promise<T> {
    if (this.#heldBytes > 0 && this.#heldBytes + bytes > HELD_BYTES_MAX)
      throw new AppError('Overloaded', 'Too many covers are being uploaded at the same time. Try again in a moment.');
    this.#heldBytes += bytes;
    try {
      return await body();
    } finally {
      this.#heldBytes -= bytes;
    }
  }
}

/** Those of these ids that are covers. */
export const withCover = async (from: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await from.all<{ uuid: Buffer }>(
    'SELECT c.uuid FROM json_each(?) j CROSS JOIN cover c ON c.uuid = unhex(j.value)',
    [hexList(ids)],
  );
  return new Set(rows.map(({ uuid }) => uuidOfBytes(uuid)));
};

const hexList = (ids: readonly string[]): string => JSON.stringify(ids.map((id) => bytesOfUuid(id).toString('hex')));
