// How scans ended, where that could not be stored yet: kept in memory, and stored as soon as the disk allows it.
import { faultOf } from '../model/errors.js';
import { isOfDisk } from '../store/connection.js';
import type { Db } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { persistently } from '../store/retry-writes.js';
import { type ScanStatus, storeStatus } from './status.js';

export interface ScanEndsOptions {
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
  /** Called once the end of a scan is stored. */
  readonly onEnded: (status: ScanStatus) => Promise<void>;
}

export class ScanEnds {
  readonly #db: Db;
  readonly #options: ScanEndsOptions;
  /** By library. */
  readonly #unsaved = new Map<number, ScanStatus>();
  readonly #stop = new AbortController();

  constructor(db: Db, options: ScanEndsOptions) {
    this.#db = db;
    this.#options = options;
  }

  unsaved(libraryKey: number): ScanStatus | undefined {
    return this.#unsaved.get(libraryKey);
  }

  forget(libraryKey: number): ScanStatus | undefined {
    const forgotten = this.#unsaved.get(libraryKey);
    this.#unsaved.delete(libraryKey);
    return forgotten;
  }

  remember(status: ScanStatus): void {
    this.#unsaved.set(status.libraryKey, status);
  }

  /** The library never waits for a disk that fails. */
  async store(status: ScanStatus): Promise<void> {
    const db = this.#db;
    const store = async (): Promise<void> => {
      if (await db.write(SYSTEM, 'interactive', (tx) => storeStatus(tx, status))) await this.#tellEnded(status);
    };
    try {
      await store();
    } catch (thrown) {
      this.#unsaved.set(status.libraryKey, status);
      if (!isOfDisk(thrown)) this.#options.onFault(thrown);
      const later = async (): Promise<void> => {
        if (this.#unsaved.get(status.libraryKey) !== status) return;
        await store();
        this.#unsaved.delete(status.libraryKey);
      };
      const alreadyReported = (): void => undefined;
      persistently(db, this.#stop.signal, alreadyReported, later).catch(alreadyReported); // the next start ends the scan as its task ended
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  async #tellEnded(status: ScanStatus): Promise<void> {
    await this.#options.onEnded(status).catch((thrown: unknown) => {
      // While the server stops, or with a full disk, what follows is left to the next start.
      if (!isOfDisk(thrown) && faultOf(thrown).kind !== 'Overloaded') this.#options.onFault(thrown);
    });
  }
}
