// Books at their paths, with what their last analysis and their files are recognised by.
import { BOOK_PATH } from '../catalog/books.js';
import { AppError } from '../model/errors.js';
import type { Identity } from '../model/jobs.js';
import type { ScanContext } from './context.js';
import { touchedBook } from './touched.js';

/** A row at its path, and by what its last analysis is recognised. */
export interface Holder {
  readonly key: number;
  readonly folder: number;
  readonly series: number;
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly path: string;
  readonly isTouched: number;
  readonly koreaderHash: string | null;
  readonly pageHashes: string | null;
  /** Its file was not found at its path. */
  readonly isMissing: boolean;
}

/** The content of `from` is at the path of `to`. */
export interface Exchange {
  readonly from: Holder;
  readonly to: Holder;
  /** Another book with the content that `to` had: what people did to `to` is added to it. */
  readonly copy?: number | undefined;
}

const HOLDERS = `SELECT b.id AS key, b.folder_id AS folder, b.series_id AS series, b.file_name AS name, b.file_size AS size, b.file_mtime AS mtimeMs,
    ${BOOK_PATH} AS path, ${touchedBook('b')} AS isTouched, b.koreader_hash AS koreaderHash, b.page_hashes AS pageHashes`;
const JOINED = 'JOIN library l ON l.id = b.library_id JOIN folder f ON f.id = b.folder_id';

/** Live books whose file has changed since it was analysed, in this scan or in one that did not finish. */
export const changedBooks = async ({ parts, library, findings }: ScanContext): Promise<readonly Holder[]> => {
  const rows = await parts.db.all<Omit<Holder, 'isMissing'>>(
    `${HOLDERS} FROM book b INDEXED BY book_due ${JOINED}
     WHERE b.due = 1 AND b.library_id = ? AND b.deleted = 0 AND b.analyzed = 0 AND b.koreader_hash IS NOT NULL`,
    [library.key],
  );
  return rows.flatMap((row) =>
    findings.revived.has(row.key) || findings.missing.has(row.key) ? [] : [{ ...row, isMissing: false }],
  );
};

export const holdersOf = async (
  { parts, findings }: ScanContext,
  keys: readonly number[],
): Promise<readonly Holder[]> => {
  const rows = await parts.db.all<Omit<Holder, 'isMissing'>>(
    `${HOLDERS} FROM json_each(?) j CROSS JOIN book b ON b.id = j.value ${JOINED}`,
    [JSON.stringify(keys)],
  );
  return rows.map((row) => ({ ...row, isMissing: findings.missing.has(row.key) }));
};

/** Reads each file once. A file that cannot be read now is not compared. */
export class Identities {
  readonly #context: ScanContext;
  readonly #found = new Map<number, Identity | undefined>();

  constructor(context: ScanContext) {
    this.#context = context;
  }

  of({ key }: Holder): Identity | undefined {
    return this.#found.get(key);
  }

  async read(holders: readonly Holder[]): Promise<void> {
    const { parts, signal } = this.#context;
    const left = holders.filter(({ key }) => !this.#found.has(key)).values();
    const work = async (): Promise<void> => {
      for (const holder of left) {
        if (signal.aborted) throw new AppError('Cancelled');
        this.#found.set(holder.key, await this.#identify(holder));
      }
    };
    await Promise.all(Array.from({ length: parts.pool.backgroundWidth }, work));
  }

  async #identify({ path }: Holder): Promise<Identity | undefined> {
    const { parts, library, signal } = this.#context;
    try {
      const input = { path, root: library.root, limits: parts.limits };
      return await parts.pool.run('identify', input, { lane: 'background', signal });
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.kind === 'Cancelled') throw thrown;
      return undefined;
    }
  }
}

/** Where pages have checksums, these decide: two archives may begin alike. */
export const isIn = ({ koreaderHash, pageHashes }: Holder, found: Identity): boolean =>
  pageHashes !== null && found.pageHashes !== null
    ? pageHashes === found.pageHashes
    : koreaderHash === found.koreaderHash;
