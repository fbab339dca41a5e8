// The cache disk, shared by everything stored on it: whether it has room, and whether it works at all. A failure is reported once, and the
// server runs without the cache until the disk works again.
import { DiskRoom, isDiskFull, isFolderFull } from './free-space.js';
import { Outage } from './outage.js';

/** A disk with this much left is not full: it only cannot take the spill file of a large archive, and still takes smaller files. */
const SMALL_BYTES = 1024 * 1024;

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

export class CacheDisk {
  readonly folder: string;
  readonly #room: DiskRoom;
  readonly #outage: Outage;
  readonly #reopen: (() => Promise<void>)[] = [];
  readonly #back: (() => void)[] = [];

  /** `onTrouble` is called with the reason when the disk fails or is full, and with null when it works again. */
  constructor(folder: string, onTrouble: (reason: string | null) => void) {
    this.folder = folder;
    this.#room = new DiskRoom(folder);
    this.#outage = new Outage({
      probe: () => this.#isBack(),
      onChange: onTrouble,
      onBack: () => {
        for (const act of this.#back) act();
      },
    });
  }

  /** Why nothing can be stored; null while all is well. */
  get trouble(): string | null {
    return this.#outage.reason;
  }

  /** Bytes left for the cache, as last measured. */
  get freeBytes(): number {
    return this.#room.freeBytes;
  }

  /** `reopen` runs when the disk is retried; if it throws, the disk does not work yet. */
  onRetry(reopen: () => Promise<void>): void {
    this.#reopen.push(reopen);
  }

  /** `act` is called each time the disk works again. It must not throw. */
  onBack(act: () => void): void {
    this.#back.push(act);
  }

  /** True when this many bytes may be written now. */
  async hasRoom(bytes: number): Promise<boolean> {
    if (this.#outage.reason !== null) return false;
    try {
      if (await this.#room.has(bytes)) return true;
      if (this.#room.freeBytes < SMALL_BYTES) this.#outage.begin(this.#full());
    } catch (thrown) {
      this.fail(thrown);
    }
    return false;
  }

  fail(thrown: unknown): void {
    if (this.#outage.reason !== null) return;
    this.#outage.begin(
      isDiskFull(thrown) || isFolderFull(this.folder)
        ? this.#full()
        : `The cache folder ${this.folder} cannot be used: ${reasonOf(thrown)}.`,
    );
  }

  close(): Promise<void> {
    return this.#outage.stop();
  }

  #full(): string {
    return `The disk of the cache folder ${this.folder} is full.`;
  }

  async #isBack(): Promise<boolean> {
    for (const reopen of this.#reopen) await reopen();
    return this.#room.isBack();
  }
}
