// Bounds what one transaction indexes. A change of a few hundred rows is indexed whole before it ends; what is left of a larger one, such as
// the books of a renamed series, waits in `search_due` and is indexed by transactions of its own, so that no other write waits for all of it.
// What a server leaves that ends before that, the next start indexes.
import { AppError } from '../../model/errors.js';
import type { RowKind } from '../../model/row-kind.js';
import { isOfDisk } from '../../store/connection.js';
import type { Db, Statements } from '../../store/db.js';
import { ASPECTS, concerns, type Report, SYSTEM } from '../../store/feed.js';
import { indirect } from '../../store/told-reports.js';
import { indexRows, KINDS, keepSearch, keyPeople, type WaitingRow } from './index-upkeep.js';

/** More than any transaction creates. */
export const INDEXED_MAX = 500;

const reportedKeys = (reports: readonly Report[], kind: RowKind): readonly number[] =>
  reports.flatMap((report) => (concerns(report, kind, ASPECTS.text) && report.keys !== 'all' ? report.keys : []));

export class SearchKeeper {
  readonly aspects = ASPECTS.text;
  readonly #onFault: (thrown: unknown) => void;
  #db: Db | undefined;
  #isLeft = false;
  #isDraining = false;

  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Without a database, what is left waits. */
  drainInto(db: Db): void {
    this.#db = db;
  }

  /** Runs before a transaction ends. The rows it reports come first: an earlier change never delays them. */
  async run(tx: Statements, reports: readonly Report[]): Promise<void> {
    // It does not say which rows.
    if (reports.some(({ kind }) => kind === 'everything')) return keepSearch(tx);
    await keyPeople(tx, INDEXED_MAX);
    let room = INDEXED_MAX;
    for (const [kind, name] of KINDS.entries()) {
      const keys = JSON.stringify(reportedKeys(reports, name));
      room -= await indexRows(
        tx,
        await waiting(tx, 'd.kind = ? AND d.id IN (SELECT value FROM json_each(?))', room, [kind, keys]),
      );
    }
    room -= await indexRows(tx, await waiting(tx, 'true', room));
    if (room === 0 && (await waiting(tx, 'true', 1)).length > 0) this.#drainLater();
  }

  #drainLater(): void {
    this.#isLeft = true;
    if (this.#isDraining || this.#db === undefined) return;
    this.#isDraining = true;
    void this.#drain(this.#db);
  }

  /** The next transaction that changes a text tries again after a failure. */
  async #drain(db: Db): Promise<void> {
    try {
      while (this.#isLeft) {
        this.#isLeft = false;
        // Rows that are reported are indexed.
        await db.write(SYSTEM, 'background', async (tx) => {
          const rows = await waiting(tx, 'true', INDEXED_MAX);
          for (const [kind, name] of KINDS.entries()) {
            const keys = rows.filter((row) => row.kind === kind).map(({ id }) => id);
            tx.report(indirect(name, keys, ASPECTS.text));
          }
        });
      }
    } catch (thrown) {
      if (!isOfDisk(thrown) && !(thrown instanceof AppError)) this.#onFault(thrown);
    } finally {
      this.#isDraining = false;
    }
  }
}

const waiting = (
  tx: Statements,
  where: string,
  limit: number,
  binds: readonly (number | string)[] = [],
): Promise<WaitingRow[]> =>
  limit === 0
    ? Promise.resolve([])
    : tx.all<WaitingRow>(`SELECT d.kind, d.id FROM search_due d WHERE ${where} LIMIT ${limit}`, binds);
