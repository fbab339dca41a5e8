// Derived pages: resized, converted or rendered. They come from the cache, and on a miss from one job that all callers share. A page that is
// being made ahead becomes urgent when somebody asks for it.

import { KeyedMutex } from '../engine/keyed-mutex.js';
import type { Pool, RunOptions } from '../engine/pool.js';
import { SingleFlight } from '../engine/single-flight.js';
import { Urgency } from '../engine/urgency.js';
import type { Limits, PageEntry, PageImage } from '../model/jobs.js';
import type { Blobs } from '../store/blobs.js';
import { type Asking, askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import { type Content, cachedContent } from './content.js';
import { FailingPages, PAGE_DEADLINE_MS } from './failing-pages.js';
import type { Derived } from './form.js';
import type { PageSources } from './page-sources.js';
import { AHEAD_MAX } from './read-ahead.js';
import { pageForm, pageKey } from './version.js';

export interface DerivedParts {
  readonly blobs: Blobs;
  readonly pool: Pool;
  readonly limits: Limits;
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
type Urgent = Pick<RunOptions, 'lane' | 'user' | 'urgency'>;

interface Ahead {
  readonly page: string;
  readonly urgency: Urgency;
}

const anyForm = ({ file, pageNumber }: PageAhead): string => pageKey(file.id, file.version, pageNumber, '');

/** How many sizes of one page may be queued: about as many as can be made before a reader would give up. */
const TURNS_WAITING = 24;

export class DerivedPages {
  readonly #parts: DerivedParts;
  readonly #sources: PageSources;
  readonly #quality: string;
  readonly #singleFlight = new SingleFlight();
  readonly #failing = new FailingPages();
  readonly #perPage = new KeyedMutex(TURNS_WAITING);
  /** Forms of pages that are being made ahead. */
  readonly #ahead = new Map<string, Ahead>();

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
    return this.#make(key, wanted, asking).then((image) => ({
      kind: 'bytes',
      bytes: image.bytes,
      mediaType: `image/${image.format}`,
      tag,
    }));
  }

  /** Makes a page that nobody waits for yet. A full queue is not an error here. */
  makeAhead(wanted: PageAhead): void {
    const key = this.#keyOf(wanted);
    if (this.#ahead.size >= AHEAD_MAX || this.#singleFlight.has(key) || this.#parts.blobs.has(key)) return;
    const urgency = new Urgency();
    this.#ahead.set(key, { page: anyForm(wanted), urgency });
    this.#render(key, wanted, { lane: 'background', urgency }, undefined)
      .catch(() => undefined)
      .finally(() => this.#ahead.delete(key));
  }

  #make(key: string, wanted: DerivedPage, asking: Asking): Promise<PageImage> {
    const asker = askerOf(asking);
    const page = anyForm(wanted);
    // Forms of one page are made one after the other: one that is being made ahead would hold up this one.
    for (const ahead of this.#ahead.values()) if (ahead.page === page) ahead.urgency.raise(asker.user);
    return this.#render(key, wanted, { lane: 'interactive', user: asker.user }, asker);
  }

  #keyOf({ file, pageNumber, form }: Pick<DerivedPage, 'file' | 'pageNumber' | 'form'>): string {
    return pageKey(file.id, file.version, pageNumber, `${form.name}${this.#quality}`);
  }

  #render(key: string, wanted: PageAhead, how: Urgent, asker: WaitingAsker | undefined): Promise<PageImage> {
    const { pool, blobs, limits, quality, onFault } = this.#parts;
    const { file, entry, form } = wanted;
    const page = anyForm(wanted);
    // One thread per page: a malicious page requested in many sizes leaves the other threads to everyone else.
    return this.#singleFlight.join(key, asker?.signal, (cancelled) =>
      this.#perPage.run(page, cancelled, async () => {
        this.#failing.check(page);
        const source = await this.#sources.of(file, entry, { user: asker?.user ?? 0, signal: cancelled });
        try {
          const { width, height, format } = form;
          const input = {
            path: source.path,
            root: source.root,
            state: source.state,
            page: source.page,
            box: { width, height },
            format,
            quality,
            limits,
          };
          const image = await pool.run('page', input, { ...how, signal: cancelled, deadlineMs: PAGE_DEADLINE_MS });
          blobs.put(key, image.bytes).catch(onFault); // the answer does not wait for the cache
          return image;
        } catch (thrown) {
          this.#failing.note(page, thrown);
          throw source.errorOf(thrown);
        } finally {
          source.release();
        }
      }),
    );
  }
}
