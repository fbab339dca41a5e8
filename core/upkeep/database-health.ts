// Whether the database can be read and written.
import { stat } from 'node:fs/promises';
import { faultOf } from '../model/errors.js';
import type { Db } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { type Finding, failing, fine, span, warning, wordsOf } from './finding.js';
import { Probe } from './probe.js';

const READ = 'database';
const WRITE = 'database writes';
const DISK =
  'Check the disk of the data folder: its cable or mount, its permissions and its free space. The server keeps trying.';
const GONE =
  'Stop the server, bring the data folder back (or restore a backup with `longbox restore`), and start it again.';
const BUSY =
  'Wait a moment. If it stays like this, look in the log for slow requests and at the disk of the data folder.';
/** A read that is only waiting for its turn has ended by then. */
const HANGS_MS = 30_000;
/** How often an idle database is written to, to see whether it can be. */
const WRITE_EVERY_MS = 30_000;

const isBusy = (thrown: unknown): boolean => faultOf(thrown).kind === 'Overloaded';

export class DatabaseHealth {
  readonly #db: Db;
  readonly #path: string;
  readonly #reads: Probe<Finding>;
  readonly #writes: Probe<Finding>;
  #inode: number | null = null;

  constructor(db: Db, path: string) {
    this.#db = db;
    this.#path = path;
    const late = (name: string, waitedMs: number): Finding => {
      const message = `The database has not answered for ${span(waitedMs)}.`;
      return waitedMs < HANGS_MS ? warning(name, message, BUSY) : failing(name, message, DISK);
    };
    this.#reads = new Probe(
      () => this.#read(),
      (waitedMs) => late(READ, waitedMs),
    );
    this.#writes = new Probe(
      () => this.#write(),
      (waitedMs) => late(WRITE, waitedMs),
      { keptMs: WRITE_EVERY_MS },
    );
  }

  reads(): Finding | Promise<Finding> {
    return this.#reads.get();
  }

  /** What fails is known at once, from the first write that failed; it is tried again in the background. */
  async writes(): Promise<Finding> {
    const found = this.#trouble() ?? (await this.#writes.get());
    if (found.status !== 'ok') this.#writes.forget();
    return this.#trouble() ?? found;
  }

  #trouble(): Finding | null {
    const trouble = this.#db.trouble();
    return trouble === null ? null : failing(WRITE, `${trouble} Nothing can be changed or scanned.`, DISK);
  }

  async #read(): Promise<Finding> {
    try {
      const { ino } = await stat(this.#path);
      this.#inode ??= ino;
      if (ino !== this.#inode)
        return failing(READ, 'The database file was replaced while the server was running.', GONE);
      await this.#db.all('SELECT id FROM library LIMIT 1');
      return fine(READ, 'The database can be read.');
    } catch (thrown) {
      if (isBusy(thrown)) return warning(READ, 'Many requests are waiting for the database.', BUSY);
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')
        return failing(READ, `The database file ${this.#path} is gone.`, GONE);
      return failing(READ, `The database cannot be read: ${wordsOf(thrown)}`, DISK);
    }
  }

  /** Only a real transaction shows whether the disk accepts one. It rewrites what is there. */
  async #write(): Promise<Finding> {
    try {
      await this.#db.write(SYSTEM, 'background', async (tx) => {
        const [row] = await tx.all<{ user_version: number }>('PRAGMA user_version');
        await tx.all(`PRAGMA user_version = ${row?.user_version ?? 0}`);
      });
      return fine(WRITE, 'The database can be written.');
    } catch (thrown) {
      if (isBusy(thrown)) return warning(WRITE, 'Many changes are waiting for the database.', BUSY);
      return failing(WRITE, `The database cannot be written: ${wordsOf(thrown)}`, DISK);
    }
  }
}
