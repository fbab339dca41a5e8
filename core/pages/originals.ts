// Original pages. Plain ones come straight from the file by position and are never cached; packed ones come through a worker and are
// cached; those of a solid archive come from the spill file into which one pass unpacked them.
import { close, open, read } from 'node:fs';
import { promisify } from 'node:util';
import type { Pool } from '../engine/pool.js';
import { Semaphore } from '../engine/semaphore.js';
import { SingleFlight } from '../engine/single-flight.js';
import type { Urgency } from '../engine/urgency.js';
import { blankPage } from '../model/blank-page.js';
import { boundedByCount } from '../model/bounded-map.js';
import type { EpubPart } from '../model/epub-contents.js';
import type { Limits, PageEntry } from '../model/jobs.js';
import { COMPRESSED_PAGE_MAX_BYTES } from '../model/large-pages.js';
import { mediaOf } from '../model/media.js';
import { METHOD } from '../model/page-table.js';
import { mediaTypeOfPart } from '../model/part-types.js';
import type { Blobs } from '../store/blobs.js';
import { InUse } from '../store/in-use.js';
import { type Asking, askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import { type Content, cachedContent } from './content.js';
import { type FailingPages, PAGE_DEADLINE_MS } from './failing-pages.js';
import { type OpenFile, OpenFiles } from './open-files.js';
import type { PageSources } from './page-sources.js';
import { entryOfPart, headerBytesAt, inflatedPage, isPlain, storedNow, storedPage } from './positioned.js';
import { AHEAD_MAX } from './read-ahead.js';
import type { SpilledPage } from './solid.js';
import { pageKey, stateOf } from './version.js';

export interface OriginalsParts {
  readonly blobs: Blobs;
  readonly pool: Pool;
  readonly limits: Limits;
  readonly failing: FailingPages;
  readonly openFiles: number;
  readonly onFault: (thrown: unknown) => void;
}

/** Which page of which book, its tag, and how long its caller waits for it. */
export interface OriginalPage {
  readonly file: BookFile;
  readonly pageNumber: number;
  readonly entry: PageEntry;
  readonly tag: string;
}

/** A file inside an EPUB. */
export interface WantedPart {
  readonly file: BookFile;
  readonly part: EpubPart;
  readonly tag: string;
}

/** Packed and unpacked bytes of deflated pages that are being unpacked: enough for the largest. */
const INFLATE_BUDGET_BYTES = 2 * COMPRESSED_PAGE_MAX_BYTES;
const INFLATE_QUEUE = 1024;
const FORM = 'original';
const HEADERS_MAX = 20_000;

const openAsync = promisify(open);

/** Entries that only a worker can extract from their book, one at a time. */
export const isUnpacked = ({ method }: PageEntry): boolean =>
  method === METHOD.rar || method === METHOD.pdfImage || method === METHOD.deflate64 || method === METHOD.encrypted;

const isAbsent = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

const spilledContent = async (page: SpilledPage, { size, media }: PageEntry, tag: string): Promise<Content> => {
  const fd = await openAsync(page.path, 'r');
  return {
    kind: 'file',
    fd,
    readPart: (target, length, position, done) => read(fd, target, 0, length, position, done),
    offset: page.offset,
    length: size,
    hot: false,
    mediaType: mediaOf(media).type,
    tag,
    release: () => {
      close(fd);
      page.release();
    },
  };
};

export class Originals {
  readonly #parts: OriginalsParts;
  readonly #files: OpenFiles;
  readonly #sources: PageSources;
  readonly #singleFlight = new SingleFlight();
  readonly #inflated = new InUse();
  /** Bytes of the headers of parts, by their tags. */
  readonly #headers = boundedByCount<string, number>(HEADERS_MAX);
  readonly #inflateRoom = new Semaphore(INFLATE_BUDGET_BYTES, INFLATE_QUEUE);
  #ahead = 0;

  constructor(parts: OriginalsParts, sources: PageSources) {
    this.#parts = parts;
    this.#files = new OpenFiles(parts.openFiles);
    this.#sources = sources;
  }

  close(): void {
    this.#files.close();
  }

  /** The whole file of a book. */
  open(file: BookFile): Promise<OpenFile> {
    return this.#files.acquire(file);
  }

  /** Without a promise when the bytes are available at once. */
  get(wanted: OriginalPage, asking: Asking): Content | Promise<Content> {
    const { file, entry, tag } = wanted;
    if (entry.method === METHOD.blank)
      return { kind: 'bytes', bytes: blankPage(entry), mediaType: mediaOf(entry.media).type, tag };
    if (entry.method === METHOD.solid) return this.#spilled(wanted, asking);
    if (isUnpacked(entry)) return this.#unpacked(wanted, asking);
    if (!isPlain(entry)) return this.#deflated(wanted, asking);
    const opened = this.#files.acquireNow(file);
    if (opened === undefined) return this.#checked(wanted);
    return storedNow(opened, entry, tag) ?? this.#stored(wanted);
  }

  /** A part of an EPUB. How long its header is says only the file; that is remembered, so that a second request reads the content alone. */
  part(wanted: WantedPart, asking: Asking): Content | Promise<Content> {
    const headerBytes = this.#headers.get(wanted.tag);
    if (headerBytes !== undefined) return this.#partAt(wanted, headerBytes, asking);
    return this.#headerOf(wanted).then((found) => this.#partAt(wanted, found, asking));
  }

  #partAt({ file, part, tag }: WantedPart, headerBytes: number, asking: Asking): Content | Promise<Content> {
    const mediaType = mediaTypeOfPart(part);
    const typed = (content: Content): Content => (content.kind === 'current' ? content : { ...content, mediaType });
    if (part.size === 0) return { kind: 'bytes', bytes: new Uint8Array(), mediaType, tag };
    const content = this.get({ file, pageNumber: 0, entry: entryOfPart(part, headerBytes), tag }, asking);
    return content instanceof Promise ? content.then(typed) : typed(content);
  }

  async #headerOf({ file, part, tag }: WantedPart): Promise<number> {
    const opened = await this.#files.acquire(file);
    try {
      const headerBytes = await headerBytesAt(opened, part);
      this.#headers.set(tag, headerBytes);
      return headerBytes;
    } finally {
      opened.release();
    }
  }

  /** The file is checked again every half second; what is hot stays so. */
  async #checked(wanted: OriginalPage): Promise<Content> {
    const opened = await this.#files.acquire(wanted.file);
    return storedNow(opened, wanted.entry, wanted.tag) ?? this.#stored(wanted);
  }

  async #stored({ file, entry, tag }: OriginalPage): Promise<Content> {
    const opened = await this.#files.acquire(file);
    try {
      return await storedPage(opened, entry, tag);
    } catch (thrown) {
      opened.release();
      throw thrown;
    }
  }

  async #deflated({ file, entry, tag }: OriginalPage, asking: Asking): Promise<Content> {
    const opened = await this.#files.acquire(file);
    try {
      const bytes = this.#inflated.get(tag) ?? (await this.#inflate(file, entry, tag, askerOf(asking)));
      return { kind: 'bytes', bytes, mediaType: mediaOf(entry.media).type, tag };
    } finally {
      opened.release();
    }
  }

  /** A reader who wants a page that is still being sent to another reader shares its bytes. */
  #inflate(file: BookFile, entry: PageEntry, tag: string, { user, signal }: WaitingAsker): Promise<Uint8Array> {
    return this.#singleFlight.join(`inflate/${tag}`, signal, async (cancelled) => {
      const asker = { user, signal: cancelled };
      const inflate = (): Promise<Uint8Array> => this.#inflateFrom(file, entry);
      const bytes = await this.#inflateRoom.with(entry.packedSize + entry.size, inflate, asker);
      this.#inflated.note(tag, bytes);
      return bytes;
    });
  }

  /** Opens the file again: the caller who opened it first may have left, while others wait for the page. */
  async #inflateFrom(file: BookFile, entry: PageEntry): Promise<Uint8Array> {
    const opened = await this.#files.acquire(file);
    try {
      return await inflatedPage(opened, entry);
    } finally {
      opened.release();
    }
  }

  /** Cached, since readers go back and forth. */
  #unpacked(wanted: OriginalPage, asking: Asking): Content | Promise<Content> {
    const { file, pageNumber, entry, tag } = wanted;
    const mediaType = mediaOf(entry.media).type;
    const key = pageKey(file.id, file.version, pageNumber, FORM);
    const found = this.#parts.blobs.lend(key);
    if (found !== undefined) return cachedContent(found, mediaType, tag);
    const { user, signal } = askerOf(asking);
    this.#singleFlight.raise(key, user);
    const made = this.#singleFlight.join(key, signal, (cancelled) =>
      this.#unpack(key, file, entry, { user, signal: cancelled }),
    );
    return made.then((bytes) => ({ kind: 'bytes', bytes, mediaType, tag }));
  }

  /** Unpacks a page that nobody waits for yet, where unpacking takes a job. A full queue is not an error here. */
  makeAhead({ file, pageNumber, entry }: Omit<OriginalPage, 'tag'>): void {
    if (!isUnpacked(entry)) return;
    const key = pageKey(file.id, file.version, pageNumber, FORM);
    const { blobs } = this.#parts;
    if (this.#ahead >= AHEAD_MAX || !blobs.isKeeping || this.#singleFlight.has(key) || blobs.has(key)) return;
    this.#ahead += 1;
    const made = this.#singleFlight.begin(key, (signal, urgency) =>
      this.#unpack(key, file, entry, { user: 0, signal }, urgency),
    );
    made.finally(() => {
      this.#ahead -= 1;
    });
  }

  /** With an `urgency` for a page that nobody waits for yet. */
  async #unpack(
    key: string,
    file: BookFile,
    entry: PageEntry,
    { user, signal }: WaitingAsker,
    urgency?: Urgency,
  ): Promise<Uint8Array> {
    const { pool, blobs, limits, failing, onFault } = this.#parts;
    const input = { path: file.path, root: file.root, state: stateOf(file), page: entry, limits };
    const lane = urgency === undefined ? 'interactive' : 'background';
    const options = { lane, user, urgency, signal, deadlineMs: PAGE_DEADLINE_MS } as const;
    const { bytes } = await failing.run(key, (journalKey) => pool.run('original', { ...input, journalKey }, options));
    blobs.put(key, bytes).catch(onFault); // the answer does not wait for the cache
    return bytes;
  }

  /** Without room for the spill file, a job unpacks everything before the page, and the page. */
  async #spilled(wanted: OriginalPage, asking: Asking): Promise<Content> {
    const { file, entry, tag } = wanted;
    const page = await this.#sources.spilled(file, entry, askerOf(asking));
    if (page === undefined) return this.#unpacked(wanted, asking);
    try {
      return await spilledContent(page, entry, tag);
    } catch (thrown) {
      page.release();
      if (!isAbsent(thrown)) throw thrown;
      this.#sources.lost(file, thrown);
      return this.#unpacked(wanted, asking);
    }
  }
}
