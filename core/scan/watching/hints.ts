// A bounded set of folders in which something may have changed. Beyond the bound, it becomes the whole library.
import { FOLDERS_MAX, outermost, type Part } from '../part.js';

export class Hints {
  readonly #folders = new Set<string>();
  #isAll = false;

  get isEmpty(): boolean {
    return !this.#isAll && this.#folders.size === 0;
  }

  /** Relative to the root, which is the whole library. */
  add(folder: string): void {
    if (this.#isAll) return;
    if (folder !== '') this.#folders.add(folder);
    if (folder !== '' && this.#folders.size <= FOLDERS_MAX) return;
    this.#isAll = true;
    this.#folders.clear();
  }

  addAll(part: Part): void {
    for (const folder of part ?? ['']) this.add(folder);
  }

  /** Returns the folders and empties the set. */
  take(): Part {
    const part = this.#isAll ? null : outermost([...this.#folders]);
    this.clear();
    return part;
  }

  clear(): void {
    this.#isAll = false;
    this.#folders.clear();
  }
}
