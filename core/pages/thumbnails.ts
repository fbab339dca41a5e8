// Cover thumbnails: from a book's first page that decodes, or from a picture next to the books.
import { lstat, type Stats } from 'node:fs';
import { disks } from '../engine/disks.js';
import type { Pool, RunOptions } from '../engine/pool.js';
import { SingleFlight } from '../engine/single-flight.js';
import { AppError, KINDS } from '../model/errors.js';
import { fileTimeOf } from '../model/file-time.js';
import type { Place } from '../model/held-place.js';
import type { Limits, PageEntry, ThumbnailOptions } from '../model/jobs.js';
import { mediaNumber } from '../model/media.js';
import { METHOD } from '../model/page-table.js';
import type { Blobs } from '../store/blobs.js';
import { type Asking, askerOf } from './asker.js';
import type { BookFile } from './book-files.js';
import type { Content } from './content.js';
import { type FailingPages, PAGE_DEADLINE_MS } from './failing-pages.js';
import { coverForm, coverKey, tagOf, versionOf } from './version.js';

export interface ThumbnailParts {
  readonly blobs: Blobs;
  readonly pool: Pool;
  readonly limits: Limits;
  readonly failing: FailingPages;
  /** Its values may change while the server runs. */
  readonly thumbnail: ThumbnailOptions;
  readonly onFault: (thrown: unknown) => void;
}

/** What the client already has, who it is and how long it waits. */
export interface ImageRequest extends Asking {
  /** True when the client has the content with this tag. */
  readonly has: (tag: string) => boolean;
  /** What a book without a picture gets: a JPEG unless told, and with `none` the reason why it has no picture. */
  readonly card?: 'jpeg' | 'svg' | 'none';
  /** The cover from the file of a book, even if another was uploaded. */
  readonly isFromFile?: boolean;
}

const CANDIDATES = 5;

const candidatesOf = ({ table }: BookFile): PageEntry[] => {
  const found: PageEntry[] = [];
  const front = table?.front ?? null;
  const marked = front === null ? undefined : table?.entry(front);
  if (marked?.fault === 0) found.push(marked);
  for (let index = 0; index < (table?.pageCount ?? 0) && found.length < CANDIDATES; index += 1) {
    const entry = index === front ? undefined : table?.entry(index);
    if (entry !== undefined && entry.fault === 0) found.push(entry);
  }
  if (found.length === 0) throw new AppError('EmptyBook', 'This book has no page that could be its cover.');
  return found;
};

/** An image file treated as its own only page. */
const wholeFile = (size: number): PageEntry => ({
  address: { in: 'file', offset: 0, headerBytes: 0 },
  packedSize: size,
  size,
  method: METHOD.raw,
  media: mediaNumber('jpeg'),
  width: 0,
  height: 0,
  fault: 0,
});

/** Another page as the cover is another image of the same file. */
const frontForm = ({ table }: BookFile): string => (table?.front == null ? '' : `.f${table.front}`);

const isOfBook = (thrown: unknown): boolean => thrown instanceof AppError && KINDS[thrown.kind].blame === 'book';

/** A file in a folder whose disk may not answer. */
export type Rooted = Place & { readonly root: string };

/** A cover by its key, and how it is made: by then the settings may be others. */
interface Wanted {
  readonly key: string;
  readonly thumbnail: ThumbnailOptions;
}

export class Thumbnails {
  readonly #parts: ThumbnailParts;
  readonly #singleFlight = new SingleFlight();

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  get #form(): string {
    return coverForm(this.#parts.thumbnail);
  }

  #wanted(id: string, version: string): Wanted {
    const thumbnail = { ...this.#parts.thumbnail };
    return { key: coverKey(id, version, thumbnail), thumbnail };
  }

  /** Without a promise when it is in the cache or the client has it. */
  get(file: BookFile, request: ImageRequest): Content | Promise<Content> {
    const tag = tagOf(file, this.#form + frontForm(file));
    if (request.has(tag)) return { kind: 'current', tag };
    const key = coverKey(file.id, file.version, this.#parts.thumbnail);
    const bytes = this.#parts.blobs.get(key);
    if (bytes !== undefined) return { kind: 'bytes', bytes, mediaType: 'image/jpeg', tag };
    return this.#cover(file, request, tag);
  }

  async #cover(file: BookFile, request: ImageRequest, tag: string): Promise<Content> {
    return {
      kind: 'bytes',
      bytes: await this.#make(this.#wanted(file.id, file.version), file, candidatesOf(file), request),
      mediaType: 'image/jpeg',
      tag,
    };
  }

  /** For the cache alone, in place of what is there. */
  async make(file: BookFile, signal: AbortSignal): Promise<void> {
    const wanted = this.#wanted(file.id, file.version);
    const bytes = await this.#render(wanted, file, candidatesOf(file), { lane: 'background', signal });
    await this.#parts.blobs.replace(wanted.key, bytes);
  }

  /** A picture next to the books; undefined when it is not available. `ownerId` is the uuid of the row it represents. */
  async picture(ownerId: string, place: Rooted, request: ImageRequest): Promise<Content | undefined> {
    const stat = await disks
      .of(place.root)
      .ask<Stats>((done) => lstat(place.path, done))
      .catch(() => undefined);
    if (stat === undefined || !stat.isFile()) return undefined;
    const version = versionOf(0, stat.size, fileTimeOf(stat));
    const tag = `${ownerId.slice(-12)}-${version}-p${this.#form}`;
    if (request.has(tag)) return { kind: 'current', tag };
    const wanted = this.#wanted(ownerId, version);
    try {
      const bytes =
        this.#parts.blobs.get(wanted.key) ?? (await this.#make(wanted, place, [wholeFile(stat.size)], request));
      return { kind: 'bytes', bytes, mediaType: 'image/jpeg', tag };
    } catch (thrown) {
      if (isOfBook(thrown)) return undefined;
      throw thrown;
    }
  }

  #make(wanted: Wanted, place: Place, pages: readonly PageEntry[], asking: Asking): Promise<Uint8Array> {
    const { blobs, onFault } = this.#parts;
    const { key } = wanted;
    const { user, signal } = askerOf(asking);
    return this.#singleFlight.join(key, signal, async (cancelled) => {
      const bytes = await this.#render(wanted, place, pages, { lane: 'interactive', user, signal: cancelled });
      blobs.put(key, bytes).catch(onFault); // the answer does not wait for the cache
      return bytes;
    });
  }

  async #render(
    { key, thumbnail }: Wanted,
    { path, root }: Place,
    pages: readonly PageEntry[],
    options: Pick<RunOptions, 'lane' | 'user' | 'signal'>,
  ): Promise<Uint8Array> {
    const { pool, limits, failing } = this.#parts;
    const input = { path, root, pages, thumbnail, limits };
    const { bytes } = await failing.run(key, (journalKey) =>
      pool.run('cover', { ...input, journalKey }, { ...options, deadlineMs: PAGE_DEADLINE_MS, bytes: pages[0]?.size }),
    );
    return bytes;
  }
}
