// How fast the files of a drain are read. On a slow disk the processors have time to make covers while they wait for it, and a page that is
// read again later costs time that nothing hides.
import type { Analysis } from '../model/jobs.js';

/** As fast as one thread reads from the page cache, or from a fast disk: far above 1 GB/s. A hard disk or a network gives 100 to 200 MB/s. */
const SLOW_BYTES_PER_MS = 300_000;
/** Less than this says nothing. */
const ENOUGH_BYTES = 32_000_000;
/** Of smaller files, most of the time is that of the calls, and of waiting for a processor between them. */
const FILE_BYTES = 1_000_000;

/** So many more analyses that found the disk slow than others: a few may have met a busy moment. */
const LATE = 8;
const LATE_MAX = 2 * LATE;

export class ReadSpeed {
  #bytes = 0;
  #ms = 0;
  #late = 0;

  /** An analysis that leaves the hash for later has found the disk slow, and reads too little to tell its speed. */
  note({ reading: { bytes, ms }, isHashDue }: Pick<Analysis, 'reading' | 'isHashDue'>): void {
    this.#late = isHashDue ? Math.min(LATE_MAX, this.#late + 1) : Math.max(0, this.#late - 1);
    if (bytes < FILE_BYTES) return;
    this.#bytes += bytes;
    this.#ms += ms;
    if (this.#bytes < 4 * ENOUGH_BYTES) return;
    // What was read lately counts more: part of a library may be in the page cache.
    this.#bytes /= 2;
    this.#ms /= 2;
  }

  /** Most analyses leave the hash of their file for later. */
  get leavesHash(): boolean {
    return this.#late >= LATE;
  }

  get isSlow(): boolean {
    return this.leavesHash || (this.#bytes >= ENOUGH_BYTES && this.#bytes < this.#ms * SLOW_BYTES_PER_MS);
  }
}
