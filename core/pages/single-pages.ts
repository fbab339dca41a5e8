// Pages of PDFs as PDFs of their own, made when an app requests them and kept in the cache.
import { SingleFlight } from '../engine/single-flight.js';
import { AppError } from '../model/errors.js';
import type { PageEntry } from '../model/jobs.js';
import { askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import { type Content, cachedContent } from './content.js';
import type { DerivedParts } from './derived-pages.js';
import { PAGE_DEADLINE_MS } from './failing-pages.js';
import type { ImageRequest } from './thumbnails.js';
import { pageKey, SINGLE_FORM, stateOf, tagOf } from './version.js';

const TYPE = 'application/pdf';

export class SinglePages {
  readonly #parts: DerivedParts;
  readonly #singleFlight = new SingleFlight();

  constructor(parts: DerivedParts) {
    this.#parts = parts;
  }

  /** Returns without a promise if the page is in the cache or the client has it. Throws BadRequest for books of other formats. */
  get(file: BookFile, page: PageEntry, pageNumber: number, request: ImageRequest): Content | Promise<Content> {
    if (file.format !== 'pdf')
      throw new AppError('BadRequest', 'Only pages of a PDF can be sent as PDFs; request the image of the page.');
    const tag = tagOf(file, `${pageNumber}-${SINGLE_FORM}`);
    if (request.has(tag)) return { kind: 'current', tag };
    const key = pageKey(file.id, file.version, pageNumber, SINGLE_FORM);
    const found = this.#parts.blobs.lend(key);
    if (found !== undefined) return cachedContent(found, TYPE, tag);
    const { user, signal } = askerOf(request);
    // The address of a page that is a single image is the place of that image in the file, not the number of the page.
    const entry = { ...page, address: { in: 'document', page: pageNumber - 1, object: 0 } } as const;
    const made = this.#singleFlight.join(key, signal, (cancelled) =>
      this.#extract(key, file, entry, { user, signal: cancelled }),
    );
    return made.then((bytes) => ({ kind: 'bytes', bytes, mediaType: TYPE, tag }));
  }

  async #extract(key: string, file: BookFile, page: PageEntry, { user, signal }: WaitingAsker): Promise<Uint8Array> {
    const { pool, blobs, limits, failing, onFault } = this.#parts;
    const input = { path: file.path, root: file.root, state: stateOf(file), page, limits };
    const options = { lane: 'interactive', user, signal, deadlineMs: PAGE_DEADLINE_MS } as const;
    const { bytes } = await failing.run(key, (journalKey) => pool.run('extract', { ...input, journalKey }, options));
    blobs.put(key, bytes).catch(onFault); // the answer does not wait for the cache
    return bytes;
  }
}
