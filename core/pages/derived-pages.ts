// Derived pages: resized, converted or rendered. They come from the cache, and on a miss from one job that all callers share. A page that
// is being made ahead becomes urgent when somebody asks for it.

import { KeyedMutex } from '../engine/keyed-mutex.js';
import type { Pool } from '../engine/pool.js';
import { SingleFlight } from '../engine/single-flight.js';
import type { Urgency } from '../engine/urgency.js';
import { drawnPixels } from '../model/drawn-pixels.js';
import type { Limits, PageEntry, PageImage } from '../model/jobs.js';
import type { Blobs } from '../store/blobs.js';
import { type Asking, askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import { type Content, cachedContent } from './content.js';
import { type FailingPages, PAGE_DEADLINE_MS } from './failing-pages.js';
import type { Derived } from './form.js';
import type { PageSources } from './page-sources.js';
import { AHEAD_MAX } from './read-ahead.js';
import { pageForm, pageKey } from './version.js';

export interface DerivedParts {
  readonly blobs: Blobs;
  readonly pool: Pool;
  readonly limits: Limits;
  readonly failing: FailingPages;
  readonly quality: number;
  readonly onFault: (thrown: unknown) => void;
}

/** Which page of which book in which form. */
export interface DerivedPage {
  readonly file: BookFile;
  readonly pageNumber: number;
  readonly entry: PageEntry;
  readonly form: Derived;
  readonly tag: string;
}

type PageAhead = Omit<DerivedPage, 'tag'>;

/** How the keys of all forms of a page begin. */
const anyForm = ({ file, pageNumber }: PageAhead): string => pageKey(file.id, file.version, pageNumber, '');

/** How many sizes of one page may be queued: about as many as can be made before a reader would give up. */
const TURNS_WAITING = 24;

export class DerivedPages {
  readonly #parts: DerivedParts;
  readonly #sources: PageSources;
  readonly #quality: string;
  readonly #singleFlight = new SingleFlight();
  readonly #perPage = new KeyedMutex(TURNS_WAITING);
  #ahead = 0;

  constructor(parts: DerivedParts, sources: PageSources) {
    this.#parts = parts;
    this.#sources = sources;
    this.#quality = pageForm(parts.quality);
  }

  /** Without a promise when the page is in the cache. */
  get(wanted: DerivedPage, asking: Asking): Content | Promise<Content> {
    const { form, tag } = wanted;
    const key = this.#keyOf(wanted);
    const found = this.#parts.blobs.lend(key);
    if (found !== undefined) return cachedContent(found, `image/${form.format}`, tag);
    const asker = askerOf(asking);
    // Forms of one page are made one after the other: one that is being made ahead would hold up this one.
    this.#singleFlight.raise(anyForm(wanted), asker.user);
    const made = this.#singleFlight.join(key, asker.signal, (signal) =>
      this.#render(key, wanted, { user: asker.user, signal }),
    );
    return made.then(({ bytes, format }) => ({ kind: 'bytes', bytes, mediaType: `image/${format}`, tag }));
  }

  /** Makes a page that nobody waits for yet. A full queue is not an error here. */
  makeAhead(wanted: PageAhead): void {
    const key = this.#keyOf(wanted);
    const { blobs } = this.#parts;
    if (this.#ahead >= AHEAD_MAX || !blobs.isKeeping || this.#singleFlight.has(key) || blobs.has(key)) return;
    if (!this.#sources.isReady(wanted.file, wanted.entry)) return;
    this.#ahead += 1;
    const made = this.#singleFlight.begin(key, (signal, urgency) =>
      this.#render(key, wanted, { user: 0, signal }, urgency),
    );
    made.finally(() => {
      this.#ahead -= 1;
    });
  }

  #keyOf({ file, pageNumber, form }: Pick<DerivedPage, 'file' | 'pageNumber' | 'form'>): string {
    return pageKey(file.id, file.version, pageNumber, `${form.name}${this.#quality}`);
  }

  /** With an `urgency` for a page that nobody waits for yet. */
  #render(key: string, wanted: PageAhead, { user, signal }: WaitingAsker, urgency?: Urgency): Promise<PageImage> {
    const { pool, blobs, limits, quality, failing, onFault } = this.#parts;
    const { file, entry, form } = wanted;
    const page = anyForm(wanted);
    // One thread per page: a malicious page requested in many sizes leaves the other threads to everyone else.
    return this.#perPage.run(page, signal, async () => {
      const source = await this.#sources.of(file, entry, { user, signal });
      try {
        const { width, height, insets, format } = form;
        const { path, root, state } = source;
        const of = { path, root, state, page: source.page };
        const input = { ...of, box: { width, height }, insets, format, quality, limits };
        const lane = urgency === undefined ? 'interactive' : 'background';
        const options = { lane, user, urgency, signal, deadlineMs: PAGE_DEADLINE_MS } as const;
        const image = await failing.run(
          page,
          (journalKey) => pool.run('page', { ...input, journalKey }, options),
          drawnPixels(entry, form),
        );
        blobs.put(key, image.bytes).catch(onFault); // the answer does not wait for the cache
        return image;
      } catch (thrown) {
        throw source.errorOf(thrown);
      } finally {
        source.release();
      }
    });
  }
}
