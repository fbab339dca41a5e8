// Images that were being decoded when the process died: found in the journal at the next start, named, and not decoded again until their
// file changes or their book is analysed again. A large one at once; an ordinary one the second time, since a process is killed for many
// reasons and decodes small images all the time.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOOK_PATH } from '../catalog/books.js';
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';
import { JOURNAL_BYTES, type Unfinished, unfinishedIn } from '../model/decode-journal.js';
import { AppError } from '../model/errors.js';
import type { RemarkType } from '../model/jobs.js';
import type { Db } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { ownerInKey } from './version.js';

export interface DeadlyImagesParts {
  readonly folder: string;
  readonly db: Db;
  readonly clock: Clock;
  readonly onWarning: (sentence: string) => void;
  readonly onFault: (thrown: unknown) => void;
}

interface Death {
  readonly times: number;
  readonly isLarge: boolean;
}

const NOTED_MAX = 1000;
const TIMES_MAX = 2;

export const journalPath = (folder: string): string => join(folder, 'decoding.journal');
const deathsPath = (folder: string): string => join(folder, 'deadly-images.json');

const isDeadly = ({ times, isLarge }: Death): boolean => isLarge || times >= TIMES_MAX;

/** What the key of an image stands for, in words. */
const WHATS: Readonly<Record<string, (part: string) => string>> = {
  page: (part) => `page ${part}`,
  cover: () => 'the cover',
  sheet: (part) => `overview ${part}`,
  borders: () => 'the borders of its pages',
  look: () => 'its pages for comparison',
  contents: () => 'its contents',
  archive: () => 'its packed pages',
  upload: () => 'an uploaded image',
};

const whatOf = (key: string): string => {
  const [kind = '', , , part = ''] = key.split('/');
  return WHATS[kind]?.(part) ?? 'an image';
};

const sentenceOf = (key: string): string =>
  key.startsWith('upload/')
    ? 'The server stopped while decoding this image, so it is not decoded again. Upload it in another size or format.'
    : `The server stopped while decoding ${whatOf(key)}; this is not tried again until the file changes or the book is analysed again.`;

/** Whether decoding was not even tried. */
export const isDeadlyRefusal = ({ message }: AppError): boolean =>
  message.startsWith('The server stopped while decoding');

const typeOf = (key: string): RemarkType => (key.startsWith('cover/') ? 'thumbnail' : 'page_extraction');

const readOr = <T>(path: string, parse: (bytes: Buffer) => T, otherwise: T): T => {
  try {
    return parse(readFileSync(path));
  } catch {
    return otherwise; // missing at the first start, or damaged: nothing is known
  }
};

const isDeath = (value: unknown): value is Death =>
  typeof value === 'object' && value !== null && 'times' in value && 'isLarge' in value;

export class DeadlyImages {
  readonly #parts: DeadlyImagesParts;
  readonly #deaths = boundedByCount<string, Death>(NOTED_MAX);

  private constructor(parts: DeadlyImagesParts) {
    this.#parts = parts;
  }

  /** Before any image is decoded: evaluates what the last process left, and begins a new journal. */
  static async open(parts: DeadlyImagesParts): Promise<DeadlyImages> {
    const images = new DeadlyImages(parts);
    const stored = readOr<unknown>(deathsPath(parts.folder), (bytes) => JSON.parse(bytes.toString()), {});
    for (const [key, death] of Object.entries(stored ?? {})) if (isDeath(death)) images.#deaths.set(key, death);
    const left = readOr(journalPath(parts.folder), unfinishedIn, []);
    for (const unfinished of left) await images.#judge(unfinished);
    if (left.length > 0) images.#store();
    images.close();
    return images;
  }

  /** The process ends in order, so nothing that is being decoded killed it. */
  close(): void {
    try {
      writeFileSync(journalPath(this.#parts.folder), Buffer.alloc(JOURNAL_BYTES), { mode: 0o600 });
    } catch (thrown) {
      this.#parts.onFault(thrown);
    }
  }

  /** Throws for an image that is not to be decoded. */
  async check(key: string): Promise<void> {
    const death = this.#deaths.peek(key);
    if (death === undefined || !isDeadly(death)) return;
    if (await this.#isRemarked(key)) throw new AppError('CorruptPage', sentenceOf(key));
    this.#forget(key); // its book was analysed again
  }

  /** An image that was decoded well is harmless. */
  passed(key: string): void {
    if (this.#deaths.peek(key) !== undefined) this.#forget(key);
  }

  async #judge({ key, isLarge }: Unfinished): Promise<void> {
    const before = this.#deaths.peek(key);
    const death = { times: (before?.times ?? 0) + 1, isLarge: isLarge || before?.isLarge === true };
    this.#deaths.set(key, death);
    if (!isDeadly(death)) return;
    const path = await this.#remark(key).catch(this.#parts.onFault);
    this.#parts.onWarning(path === undefined ? sentenceOf(key) : `${sentenceOf(key)} The file: ${path}`);
  }

  /** A remark on its book, whose path is returned. */
  #remark(key: string): Promise<string | undefined> {
    const { db, clock } = this.#parts;
    const owner = ownerInKey(key);
    if (owner === undefined) return Promise.resolve(undefined);
    return db.write(SYSTEM, 'background', async (tx) => {
      const [book] = await tx.all<{ key: number; path: string }>(
        `SELECT b.id AS key, ${BOOK_PATH} AS path FROM book b JOIN library l ON l.id = b.library_id JOIN folder f ON f.id = b.folder_id
         WHERE b.uuid = unhex(?)`,
        [owner],
      );
      tx.report(updated('book', book === undefined ? [] : [book.key], ASPECTS.details));
      if (book === undefined) return undefined;
      await tx.run(
        `INSERT INTO book_error (book_id, type, message, fault, occurred_at) VALUES (?1, ?2, ?3, NULL, ?4)
         ON CONFLICT (book_id, type) DO UPDATE SET message = replace(message, ' ' || ?3, '') || ' ' || ?3, occurred_at = ?4`,
        [book.key, typeOf(key), sentenceOf(key), clock.now()],
      );
      return book.path;
    });
  }

  /** An analysis replaces the remarks on its book. Other images have no remark, and stay noted. */
  async #isRemarked(key: string): Promise<boolean> {
    const owner = ownerInKey(key);
    if (owner === undefined) return true;
    const [row] = await this.#parts.db.all<{ isRemarked: number | null }>(
      `SELECT (SELECT 1 FROM book_error e WHERE e.book_id = b.id AND e.type = ?2 AND instr(e.message, ?3) > 0) AS isRemarked
       FROM book b WHERE b.uuid = unhex(?1)`,
      [owner, typeOf(key), sentenceOf(key)],
    );
    return row === undefined || row.isRemarked === 1;
  }

  #forget(key: string): void {
    this.#deaths.delete(key);
    this.#store();
  }

  #store(): void {
    const path = deathsPath(this.#parts.folder);
    try {
      writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(this.#deaths.entries())), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch (thrown) {
      this.#parts.onFault(thrown);
    }
  }
}
