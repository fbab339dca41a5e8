// How fast the files of a drain are read. On a slow disk the processors have time to make covers while they wait for it, and a page that is
// read again later costs time that nothing hides.
import type { Reading } from '../model/jobs.js';

/** As fast as one thread reads from the page cache, or from a fast disk: far above 1 GB/s. A hard disk or a network gives 100 to 200 MB/s. */
const SLOW_BYTES_PER_MS = 300_000;
/** Less than this says nothing. */
const ENOUGH_BYTES = 32_000_000;
/** Of smaller files, most of the time is that of the calls, and of waiting for a processor between them. */
const FILE_BYTES = 1_000_000;

export class ReadSpeed {
  #bytes = 0;
  #ms = 0;

  note({ bytes, ms }: Reading): void {
    if (bytes < FILE_BYTES) return;
    this.#bytes += bytes;
    this.#ms += ms;
    if (this.#bytes < 4 * ENOUGH_BYTES) return;
    // What was read lately counts more: part of a library may be in the page cache.
    this.#bytes /= 2;
    this.#ms /= 2;
  }

  get isSlow(): boolean {
    return this.#bytes >= ENOUGH_BYTES && this.#bytes < this.#ms * SLOW_BYTES_PER_MS;
  }
}
