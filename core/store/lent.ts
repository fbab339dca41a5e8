// Bytes of the cache that are lent instead of given: read when they are used, into one buffer for all.

/** More than this is read into memory of its own, which everybody who wants it at the same time shares. */
export const LENT_BYTES = 512 * 1024;
/** What is read again among so many reads is kept in memory. */
const LENT_MAX = 32;

/**
 * Reads up to LENT_BYTES into a buffer that the next look-up reuses: nothing may come between it and their use. Undefined when they are
 * gone.
 */
export type Lent = () => Uint8Array | undefined;

/** Keys that were lent last. */
export class RecentlyLent {
  /** The oldest first. */
  readonly #keys = new Set<string>();

  /** True when it was lent a short while ago: it no longer counts then. */
  forget(key: string): boolean {
    return this.#keys.delete(key);
  }

  note(key: string): void {
    this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= LENT_MAX) break;
      this.#keys.delete(oldest);
    }
  }
}
