// Where the borders of pages end. Looked for when somebody asks, a few pages at a time, and kept in the cache for the whole book.
import { SingleFlight } from '../engine/single-flight.js';
import { type BoundedMap, boundedByBytes } from '../model/bounded-map.js';
import { INSETS_BYTES, type Insets, NO_INSETS, readInsets, unknownInsets } from '../model/page-insets.js';
import { type Asking, askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import type { DerivedParts } from './derived-pages.js';
import { PAGE_DEADLINE_MS } from './failing-pages.js';
import type { PageSources } from './page-sources.js';
import { bordersKey } from './version.js';

/** Pages of one job: a page that somebody wants to see waits for no more. */
const PAGES = 8;
/** Jobs of one request that run at once. */
const AT_ONCE = 2;
const KNOWN_MAX_BYTES = 2 * 1024 * 1024;

/** What is known of a book, page by page. */
interface Known {
  readonly key: string;
  readonly packed: Uint8Array;
}

export class Borders {
  readonly #parts: Omit<DerivedParts, 'quality'>;
  readonly #sources: PageSources;
  readonly #singleFlight = new SingleFlight();
  readonly #known: BoundedMap<string, Uint8Array> = boundedByBytes(KNOWN_MAX_BYTES, ({ length }) => length);

  constructor(parts: Omit<DerivedParts, 'quality'>, sources: PageSources) {
    this.#parts = parts;
    this.#sources = sources;
  }

  /** Of one page, by its index. Without a promise when they are known. */
  ofPage(file: BookFile, index: number, asking: Asking): Insets | Promise<Insets> {
    const known = this.#of(file);
    const found = readInsets(known.packed, index);
    if (found !== undefined) return found;
    const asker = askerOf(asking);
    return this.#find(file, known, Math.floor(index / PAGES), asker).then(() => {
      this.#store(known);
      return readInsets(known.packed, index) ?? NO_INSETS;
    });
  }

  /** Of all pages. */
  async ofBook(file: BookFile, asking: Asking): Promise<readonly Insets[]> {
    const known = this.#of(file);
    const pages = [...Array(file.table?.pageCount ?? 0).keys()];
    const unknown = pages.filter((index) => readInsets(known.packed, index) === undefined);
    const due = [...new Set(unknown.map((index) => Math.floor(index / PAGES)))];
    if (due.length > 0) await this.#findAll(file, known, due, askerOf(asking));
    return pages.map((index) => readInsets(known.packed, index) ?? NO_INSETS);
  }

  #of(file: BookFile): Known {
    const key = bordersKey(file.id, file.version);
    const held = this.#known.get(key);
    if (held !== undefined) return { key, packed: held };
    const pages = file.table?.pageCount ?? 0;
    const stored = this.#parts.blobs.get(key);
    const isWhole = stored?.length === pages * INSETS_BYTES;
    const packed = isWhole ? new Uint8Array(stored) : unknownInsets(pages);
    this.#known.set(key, packed);
    return { key, packed };
  }

  /** What was found until then is kept, also when somebody does not wait to the end. */
  async #findAll(file: BookFile, known: Known, due: number[], asker: WaitingAsker): Promise<void> {
    const goOn = async (): Promise<void> => {
      for (let next = due.shift(); next !== undefined; next = due.shift()) await this.#find(file, known, next, asker);
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, goOn));
    } finally {
      due.length = 0;
      this.#store(known);
    }
  }

  #store({ key, packed }: Known): void {
    const { blobs, onFault } = this.#parts;
    this.#known.set(key, packed);
    blobs.replace(key, new Uint8Array(packed)).catch(onFault); // the answer does not wait for the cache
  }

  /** Some neighbouring pages; those who want one of them at the same time wait together. */
  #find(file: BookFile, { key, packed }: Known, some: number, { user, signal }: WaitingAsker): Promise<void> {
    const { pool, limits, failing } = this.#parts;
    const flight = `${key}/${some}`;
    return this.#singleFlight.join(flight, signal, async (cancelled) => {
      const entries = [...Array(PAGES).keys()].flatMap((at) => file.table?.entry(some * PAGES + at) ?? []);
      const source = await this.#sources.ofAll(file, entries, { user, signal: cancelled });
      try {
        const { path, root, state, pages } = source;
        const input = { path, root, state, pages, limits };
        const options = { lane: 'interactive', user, signal: cancelled, deadlineMs: PAGE_DEADLINE_MS } as const;
        const { borders } = await failing.run(flight, (journalKey) =>
          pool.run('borders', { ...input, journalKey }, options),
        );
        packed.set(borders, some * PAGES * INSETS_BYTES);
      } catch (thrown) {
        throw source.errorOf(thrown);
      } finally {
        source.release();
      }
    });
  }
}
