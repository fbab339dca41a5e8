// Sheets of small pages, for looking through a book: one request shows many pages. Made when somebody asks, and kept in the cache.
import { SingleFlight } from '../engine/single-flight.js';
import { AppError } from '../model/errors.js';
import { SHEET, sheetsOf } from '../model/page-sheet.js';
import { askerOf, type WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import { type Content, cachedContent } from './content.js';
import type { DerivedParts } from './derived-pages.js';
import { PAGE_DEADLINE_MS } from './failing-pages.js';
import type { PageSources } from './page-sources.js';
import type { ImageRequest } from './thumbnails.js';
import { sheetForm, sheetKey, tagOf } from './version.js';

const TYPE = 'image/webp';

const outside = (sheets: number): AppError =>
  new AppError('NotFound', sheets === 0 ? 'This book has no pages.' : `This book has sheets 1 to ${sheets}.`);

export class Sheets {
  readonly #parts: DerivedParts;
  readonly #sources: PageSources;
  readonly #form: string;
  readonly #singleFlight = new SingleFlight();

  constructor(parts: DerivedParts, sources: PageSources) {
    this.#parts = parts;
    this.#sources = sources;
    this.#form = sheetForm(parts.quality);
  }

  /** Without a promise when it is in the cache or the client has it. `number`: from 1. */
  get(file: BookFile, number: number, request: ImageRequest): Content | Promise<Content> {
    const sheets = sheetsOf(file.table?.pageCount ?? 0);
    if (number < 1 || number > sheets) throw outside(sheets);
    const tag = tagOf(file, `s${number}-${this.#form}`);
    if (request.has(tag)) return { kind: 'current', tag };
    const key = sheetKey(file.id, file.version, number, this.#form);
    const found = this.#parts.blobs.lend(key);
    if (found !== undefined) return cachedContent(found, TYPE, tag);
    const { user, signal } = askerOf(request);
    const made = this.#singleFlight.join(key, signal, (cancelled) =>
      this.#make(key, file, number, { user, signal: cancelled }),
    );
    return made.then((bytes) => ({ kind: 'bytes', bytes, mediaType: TYPE, tag }));
  }

  async #make(key: string, file: BookFile, number: number, { user, signal }: WaitingAsker): Promise<Uint8Array> {
    const { pool, blobs, limits, quality, failing, onFault } = this.#parts;
    const first = (number - 1) * SHEET.pages;
    const entries = [...Array(SHEET.pages).keys()].flatMap((at) => file.table?.entry(first + at) ?? []);
    const source = await this.#sources.ofAll(file, entries, { user, signal });
    try {
      const { path, root, state, pages } = source;
      const input = { path, root, state, pages, quality, limits };
      const options = { lane: 'interactive', user, signal, deadlineMs: PAGE_DEADLINE_MS } as const;
      const { bytes } = await failing.run(key, (journalKey) => pool.run('sheet', { ...input, journalKey }, options));
      blobs.put(key, bytes).catch(onFault); // the answer does not wait for the cache
      return bytes;
    } catch (thrown) {
      throw source.errorOf(thrown);
    } finally {
      source.release();
    }
  }
}
