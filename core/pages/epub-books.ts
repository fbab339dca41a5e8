// What EPUBs contain, and their parts. The contents of a book are listed by one job, cached, and kept in memory while the book is read; its
// parts come straight from the file, as pages do.
import type { Pool } from '../engine/pool.js';
import { SingleFlight } from '../engine/single-flight.js';
import { type BoundedMap, boundedByBytes } from '../model/bounded-map.js';
import { EntryPaths } from '../model/entry-paths.js';
import { type EpubContents, type EpubPart, type UnpackedContents, unpackContents } from '../model/epub-contents.js';
import { AppError } from '../model/errors.js';
import type { Limits } from '../model/jobs.js';
import type { EpubKind } from '../model/outline.js';
import type { Blobs } from '../store/blobs.js';
import { type Asking, askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import type { Content } from './content.js';
import { type FailingPages, PAGE_DEADLINE_MS } from './failing-pages.js';
import type { Originals } from './originals.js';
import { contentsKey, stateOf, tagOf } from './version.js';

export interface EpubParts {
  readonly blobs: Blobs;
  readonly pool: Pool;
  readonly limits: Limits;
  readonly failing: FailingPages;
  readonly onFault: (thrown: unknown) => void;
}

/** A book whose contents are known. */
export interface OpenedEpub {
  readonly contents: EpubContents;
  readonly paths: EntryPaths<EpubPart>;
}

const KNOWN_MAX_BYTES = 32 * 1024 * 1024;
/** An object with its strings and its places in maps, compared with its JSON. */
const MEMORY_PER_JSON = 4;

const noEpub = (): AppError => new AppError('NotFound', 'Only EPUB books have parts; this book has pages.');

export class EpubBooks {
  readonly #parts: EpubParts;
  readonly #originals: Originals;
  readonly #singleFlight = new SingleFlight();
  readonly #known: BoundedMap<string, OpenedEpub & { readonly bytes: number }> = boundedByBytes(
    KNOWN_MAX_BYTES,
    ({ bytes }) => bytes,
  );

  constructor(parts: EpubParts, originals: Originals) {
    this.#parts = parts;
    this.#originals = originals;
  }

  /** Without a promise when the contents are known. Throws for a book that is no EPUB. */
  open(file: BookFile, asking: Asking): OpenedEpub | Promise<OpenedEpub> {
    if (file.format !== 'epub') throw noEpub();
    const kind = file.epubKind ?? 'reflowable';
    const key = contentsKey(file.id, file.version, kind);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const stored = this.#parts.blobs.get(key);
    if (stored !== undefined) return this.#keep(key, unpackContents(stored));
    const { user, signal } = askerOf(asking);
    return this.#singleFlight.join(key, signal, (cancelled) =>
      this.#list(key, { file, kind }, { user, signal: cancelled }),
    );
  }

  async #list(
    key: string,
    { file, kind }: { readonly file: BookFile; readonly kind: EpubKind },
    { user, signal }: WaitingAsker,
  ): Promise<OpenedEpub> {
    const { pool, blobs, limits, failing, onFault } = this.#parts;
    const input = { path: file.path, root: file.root, state: stateOf(file), kind, limits };
    const options = { lane: 'interactive', user, signal, deadlineMs: PAGE_DEADLINE_MS } as const;
    const made = await failing.run(key, (journalKey) => pool.run('contents', { ...input, journalKey }, options));
    blobs.put(key, made.contents).catch(onFault); // the answer does not wait for the cache
    return this.#keep(key, unpackContents(made.contents));
  }

  #keep(key: string, { contents, jsonBytes }: UnpackedContents): OpenedEpub {
    const paths = new EntryPaths(contents.parts, ({ path }) => path);
    const opened = { contents, paths, bytes: jsonBytes * MEMORY_PER_JSON };
    this.#known.set(key, opened);
    return opened;
  }

  /** Without a promise when everything needed is at hand. */
  part(file: BookFile, path: string, asking: Asking & { has(tag: string): boolean }): Content | Promise<Content> {
    const opened = this.open(file, asking);
    if (!(opened instanceof Promise)) return this.#partOf(file, opened, path, asking);
    return opened.then((known) => this.#partOf(file, known, path, asking));
  }

  #partOf(
    file: BookFile,
    { paths }: OpenedEpub,
    path: string,
    asking: Asking & { has(tag: string): boolean },
  ): Content | Promise<Content> {
    const part = paths.at(path);
    if (part === undefined) throw new AppError('NotFound', 'The book has no part of this name.');
    if (part.fault !== 0)
      throw new AppError(
        'CorruptPage',
        'This part of the book is damaged, encrypted, too large or packed in a rare way.',
      );
    const tag = tagOf(file, `r${part.offset.toString(36)}`);
    return asking.has(tag) ? { kind: 'current', tag } : this.#originals.part({ file, part, tag }, asking);
  }
}
