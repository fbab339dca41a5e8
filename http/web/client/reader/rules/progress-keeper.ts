// Keeps the place of the reader: tells the server the exact page, at most once a second, keeps what could not be told while there is no
// network, and never tells anything that the reader did not do.

export interface Place {
  /** From 1. */
  readonly page: number;
  /** When it was read, by the clock of this device. */
  readonly atMs: number;
}

/** What became of a place that was told: stored, refused for good, or not delivered. */
export type Told = 'stored' | 'refused' | 'undelivered';

export interface KeeperParts {
  /** `isLast`: the page is being left, and the answer will not be heard. */
  tell(place: Place, isLast: boolean): Promise<Told>;
  /** Survives the page. Undefined: nothing is left to tell. */
  keep(place: Place | undefined): void;
  nowMs(): number;
  /** Calls back after a time; returns how to give up waiting. */
  wait(ms: number, run: () => void): () => void;
}

const BETWEEN_MS = 1_000;
const RETRY_MS = { first: 2_000, most: 60_000 };

export class ProgressKeeper {
  readonly #parts: KeeperParts;
  #due: Place | undefined;
  #isTelling = false;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #giveUp: (() => void) | undefined;

  /** `kept`: what an earlier visit could not tell. */
  constructor(parts: KeeperParts, kept?: Place) {
    this.#parts = parts;
    this.#due = kept;
    if (kept !== undefined) this.#plan();
  }

  /** What has not reached the server yet. */
  get due(): Place | undefined {
    return this.#due;
  }

  /** The reader went to a page. */
  read(page: number): void {
    this.#due = { page, atMs: this.#parts.nowMs() };
    this.#parts.keep(this.#due);
    this.#plan();
  }

  /** The network is back, or somebody does not want to wait. */
  retry(): void {
    this.#failures = 0;
    this.#plan();
  }

  /** The page is being left: what is due is told once more, whatever was told a moment ago, and stays kept until it is known to be stored. */
  leave(): void {
    this.#giveUp?.();
    this.#giveUp = undefined;
    if (this.#due !== undefined) void this.#parts.tell(this.#due, true).catch(() => 'undelivered');
  }

  #plan(): void {
    this.#giveUp?.();
    this.#giveUp = undefined;
    if (this.#due === undefined || this.#isTelling) return;
    const pauseMs =
      this.#failures === 0 ? BETWEEN_MS : Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** (this.#failures - 1));
    const waitMs = this.#toldAtMs + pauseMs - this.#parts.nowMs();
    if (waitMs <= 0) void this.#tell(this.#due);
    else this.#giveUp = this.#parts.wait(waitMs, () => this.#plan());
  }

  async #tell(place: Place): Promise<void> {
    this.#isTelling = true;
    this.#toldAtMs = this.#parts.nowMs();
    const told = await this.#parts.tell(place, false).catch((): Told => 'undelivered');
    this.#isTelling = false;
    this.#failures = told === 'undelivered' ? this.#failures + 1 : 0;
    // Another page may have been read meanwhile.
    if (told !== 'undelivered' && this.#due === place) {
      this.#due = undefined;
      this.#parts.keep(undefined);
    }
    this.#plan();
  }
}
