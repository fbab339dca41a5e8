// By what e-readers know the books of the server: the hash of parts of a file, or the MD5 of its name (its own, or the one under which
// catalogues offer it). Names and hashes that a book had before still lead to it, since devices keep copies. A trigger records the books
// whose names or hashes are new; they are stored before the next look-up, the first of many at once, so that scans take no longer where
// nobody synchronises.
import { createHash } from 'node:crypto';
import { andVisibleRow } from '../catalog/public-ids.js';
import type { Clock } from '../engine/clock.js';
import { type BookFormat, offeredNameOf } from '../model/formats.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';

const KIND = { file: 0, name: 1 } as const;

const HASH = /^[0-9a-f]{32}$/;

/** About ten milliseconds of work. */
const ROWS_PER_TRANSACTION = 500;
/** The most that a look-up stores before it answers. */
const ROWS_AT_ONCE = 2000;
/** The rest is stored once a minute, for at most this long. */
const STORING_MS = 5000;

interface Due {
  readonly id: number;
  readonly key: number;
  readonly name: string;
  readonly format: BookFormat;
  readonly hash: string | null;
  readonly oldName: string | null;
  readonly oldHash: string | null;
}

const DUE = `SELECT d.id, d.book_id AS key, b.file_name AS name, b.format, b.koreader_hash AS hash, d.file_name AS oldName, d.koreader_hash AS oldHash
  FROM book_name_due d CROSS JOIN book b ON b.id = d.book_id ORDER BY d.id LIMIT ${ROWS_PER_TRANSACTION}`;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const isSome = (text: string | null): text is string => text !== null;

/** A row that was set aside has a name that no file can have (core/scan/apply-moves.ts). */
const isFileName = (name: string): boolean => !name.includes('/');

const namesOf = ({ key, name, format, hash, oldName, oldHash }: Due): (readonly [string, number, number])[] => [
  ...[hash, oldHash].filter(isSome).flatMap((one) => (HASH.test(one) ? [[one, key, KIND.file] as const] : [])),
  ...[name, oldName]
    .filter(isSome)
    .filter(isFileName)
    .flatMap((one) => [...new Set([one, offeredNameOf(one, format)])])
    .map((one) => [md5(one), key, KIND.name] as const),
];

const INSERT = `INSERT OR IGNORE INTO book_name (hash, book_id, kind)
  SELECT unhex(value ->> 0), value ->> 1, value ->> 2 FROM json_each(?)`;

const storeSome = async (tx: Tx): Promise<void> => {
  const due = await tx.all<Due>(DUE);
  const last = due.at(-1);
  if (last === undefined) return;
  await tx.run(INSERT, [JSON.stringify(due.flatMap(namesOf))]);
  await tx.run('DELETE FROM book_name_due WHERE id <= ?', [last.id]);
  tx.report(updated('document', [0], ASPECTS.details));
};

const isSomeDue = async (db: Db): Promise<boolean> => (await db.all('SELECT 1 FROM book_name_due LIMIT 1')).length > 0;

export class BookNames {
  readonly #db: Db;
  readonly #clock: Clock;
  /** Whether anybody has looked since the start. */
  #isUsed = false;

  constructor(db: Db, clock: Clock, regularly: (job: () => Promise<void>) => void) {
    this.#db = db;
    this.#clock = clock;
    regularly(() => this.#storeMore());
  }

  /** Stores what is due, at most as much as a look-up can wait for. */
  async catchUp(): Promise<void> {
    this.#isUsed = true;
    for (let stored = 0; stored < ROWS_AT_ONCE; stored += ROWS_PER_TRANSACTION) {
      if (!(await isSomeDue(this.#db))) return;
      await this.#db.write(SYSTEM, 'interactive', storeSome);
    }
  }

  async #storeMore(): Promise<void> {
    const end = this.#clock.elapsed() + STORING_MS;
    while (this.#isUsed && this.#clock.elapsed() < end && (await isSomeDue(this.#db)))
      await this.#db.write(SYSTEM, 'background', storeSome);
  }
}

export interface NamedBook {
  readonly key: number;
  readonly id: Buffer;
  readonly format: BookFormat;
}

interface Candidate extends NamedBook {
  readonly kind: number;
  readonly readAt: number | null;
}

/** Files such as `01.cbz` may be as many as there are series. */
const CANDIDATES_MAX = 1000;

const candidates = (viewer: Viewer): string => `
  SELECT b.id AS key, b.uuid AS id, b.format, n.kind, p.updated_at AS readAt
  FROM (SELECT book_id, kind FROM book_name WHERE hash = unhex(?1) LIMIT ${CANDIDATES_MAX}) n
    CROSS JOIN book b ON b.id = n.book_id AND b.deleted = 0${andVisibleRow(viewer, 'book', 'b')}
    LEFT JOIN read_progress p ON p.user_id = ?2 AND p.book_id = b.id
  ORDER BY coalesce(b.koreader_hash = ?1, 0) DESC, p.updated_at DESC NULLS LAST, b.id LIMIT 2`;

/**
 * The book that a document is, if the viewer sees it. Of several, one whose file is the same now comes first, then what the user read last. A
 * file name that several books have, none of which the user has read, is nobody's.
 */
export const bookOfDocument = async (
  from: Reader,
  viewer: Viewer,
  document: string,
): Promise<NamedBook | undefined> => {
  if (!HASH.test(document)) return undefined;
  const [first, second] = await from.all<Candidate>(candidates(viewer), [document, viewer.userKey]);
  if (first === undefined) return undefined;
  const isGuess = first.kind === KIND.name && first.readAt === null && second !== undefined;
  return isGuess ? undefined : first;
};
