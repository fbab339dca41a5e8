// Title cards, the covers of books that have no picture: as a JPEG that a thread draws, or as an SVG for clients that name it in Accept.
import { createHash } from 'node:crypto';
import { parseFacts } from '../catalog/book-facts.js';
import type { Pool } from '../engine/pool.js';
import { SingleFlight } from '../engine/single-flight.js';
import { cardText } from '../model/card-text.js';
import { AppError, KINDS } from '../model/errors.js';
import type { CardInput, ThumbnailOptions } from '../model/jobs.js';
import type { AuthorRole } from '../model/metadata.js';
import type { Blobs } from '../store/blobs.js';
import type { Reader } from '../store/db.js';
import { askerOf } from './asker.js';
import type { BookFile } from './book-files.js';
import type { Content } from './content.js';
import { PAGE_DEADLINE_MS } from './failing-pages.js';
import type { ImageRequest } from './thumbnails.js';
import { titleCard } from './title-card.js';
import { coverForm, coverKey, tagOf } from './version.js';

export interface TitleCardParts {
  readonly db: Reader;
  readonly blobs: Blobs;
  readonly pool: Pool;
  /** Its values may change while the server runs. */
  readonly thumbnail: ThumbnailOptions;
  readonly onFault: (thrown: unknown) => void;
}

/** Who is named on a cover; others are named only where there is none of these. */
const WRITERS: ReadonlySet<AuthorRole> = new Set<AuthorRole>(['author', 'co_author', 'writer']);
const NAMES_MAX = 3;

const authorOf = async (db: Reader, bookKey: number): Promise<string> => {
  const [row] = await db.all<{ facts: string | null }>('SELECT facts FROM book_metadata WHERE book_id = ?', [bookKey]);
  const { authors } = parseFacts(row?.facts ?? null);
  const writers = authors.filter(({ role }) => WRITERS.has(role));
  const names = new Set((writers.length > 0 ? writers : authors.slice(0, 1)).map(({ name }) => name));
  return [...names].slice(0, NAMES_MAX).join(', ');
};

const hashOf = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex').slice(0, 12);

export class TitleCards {
  readonly #parts: TitleCardParts;
  readonly #singleFlight = new SingleFlight();

  constructor(parts: TitleCardParts) {
    this.#parts = parts;
  }

  /** Of a book that cannot be read, or has no picture. Rethrows any other error. */
  async of(file: BookFile, request: ImageRequest, reason: unknown): Promise<Content> {
    if (request.card === 'none' || !isForCard(reason)) throw reason;
    const text = cardText(file.title, await authorOf(this.#parts.db, file.key));
    const svg = titleCard(text);
    const hash = `t${hashOf(svg)}`;
    if (request.card === 'svg') {
      const tag = tagOf(file, hash);
      return request.has(tag)
        ? { kind: 'current', tag }
        : { kind: 'bytes', bytes: svg, mediaType: 'image/svg+xml', tag };
    }
    const thumbnail = { ...this.#parts.thumbnail };
    const tag = tagOf(file, `${hash}${coverForm(thumbnail)}`);
    if (request.has(tag)) return { kind: 'current', tag };
    const key = `${coverKey(file.id, file.version, thumbnail)}/${hash}`;
    const bytes = this.#parts.blobs.get(key) ?? (await this.#draw(key, { text, ...thumbnail }, request));
    return { kind: 'bytes', bytes, mediaType: 'image/jpeg', tag };
  }

  #draw(key: string, input: CardInput, request: ImageRequest): Promise<Uint8Array> {
    const { blobs, pool, onFault } = this.#parts;
    const { user, signal } = askerOf(request);
    return this.#singleFlight.join(key, signal, async (cancelled) => {
      const options = { lane: 'interactive', user, signal: cancelled, deadlineMs: PAGE_DEADLINE_MS } as const;
      const { bytes } = await pool.run('card', input, options);
      blobs.put(key, bytes).catch(onFault); // the answer does not wait for the cache
      return bytes;
    });
  }
}

export const isForCard = (reason: unknown): boolean =>
  reason instanceof AppError && KINDS[reason.kind].blame === 'book' && !KINDS[reason.kind].retry;
