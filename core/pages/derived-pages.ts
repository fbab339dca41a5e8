// Derived pages: resized, converted or rendered. They come from the cache, and on a miss from one job that all callers share; the next
// pages are prefetched while no one waits.

import { KeyedMutex } from '../engine/keyed-mutex.js';
import type { Pool, PoolLane } from '../engine/pool.js';
import { SingleFlight } from '../engine/single-flight.js';
import type { Limits, PageEntry, PageImage } from '../model/jobs.js';
import type { Blobs } from '../store/blobs.js';
import { type Asking, askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import type { Content } from './content.js';
import { FailingPages, PAGE_DEADLINE_MS } from './failing-pages.js';
import { type Derived, formOf, type PageWish } from './form.js';
import type { PageSources } from './page-sources.js';
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

const READ_AHEAD = 3;
/** How many sizes of one page may be queued: about as many as can be made before a reader would give up. */
const TURNS_WAITING = 24;

export class DerivedPages {
  readonly #parts: DerivedParts;
  readonly #sources: PageSources;
  readonly #quality: string;
  readonly #singleFlight = new SingleFlight();
  readonly #failing = new FailingPages();
  readonly #perPage = new KeyedMutex(TURNS_WAITING);

  constructor(parts: DerivedParts, sources: PageSources) {
    this.#parts = parts;
    this.#sources = sources;
    this.#quality = pageForm(parts.quality);
  }

  /** Without a promise when the page is in the cache. `wish` is the requested form: the next pages are prefetched in that form. */
  get(wanted: DerivedPage, wish: PageWish, asking: Asking): Content | Promise<Content> {
    const { form, tag } = wanted;
    const bytes = this.#parts.blobs.get(this.#keyOf(wanted));
    if (bytes !== undefined) return { kind: 'bytes', bytes, mediaType: `image/${form.format}`, tag };
    return this.#render(wanted, 'interactive', askerOf(asking)).then((image) => {
      this.#readAhead(wanted, wish);
      return { kind: 'bytes', bytes: image.bytes, mediaType: `image/${image.format}`, tag };
    });
  }

  #keyOf({ file, pageNumber, form }: Pick<DerivedPage, 'file' | 'pageNumber' | 'form'>): string {
    return pageKey(file.id, file.version, pageNumber, `${form.name}${this.#quality}`);
  }

  #render(wanted: Omit<DerivedPage, 'tag'>, lane: PoolLane, asker: WaitingAsker | undefined): Promise<PageImage> {
    const { pool, blobs, limits, quality, onFault } = this.#parts;
    const { file, entry, form } = wanted;
    const key = this.#keyOf(wanted);
    const page = pageKey(file.id, file.version, wanted.pageNumber, '');
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
          const image = await pool.run('page', input, {
            lane,
            user: asker?.user,
            signal: cancelled,
            deadlineMs: PAGE_DEADLINE_MS,
          });
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

  /** A client that requested page n in this form will request the next ones. A full queue is not an error here. */
  #readAhead({ file, pageNumber }: DerivedPage, wish: PageWish): void {
    for (let n = pageNumber + 1; n <= pageNumber + READ_AHEAD; n += 1) {
      const entry = file.table?.entry(n - 1);
      if (entry === undefined || entry.fault !== 0) continue;
      const form = formOf(entry, wish);
      if (form.kind === 'original') continue;
      const next = { file, pageNumber: n, entry, form };
      const key = this.#keyOf(next);
      if (this.#singleFlight.has(key) || this.#parts.blobs.get(key) !== undefined) continue;
      this.#render(next, 'background', undefined).catch(() => undefined);
    }
  }
}
