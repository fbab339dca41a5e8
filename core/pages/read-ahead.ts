// Which pages a reader will want next. They are made while nobody waits, so that turning a page costs no more than reading the cache.

import { boundedByCount } from '../model/bounded-map.js';

const AHEAD = 3;
/** Pages that may be waited for at once, of all readers together: read-ahead never fills the queue of the background. */
export const AHEAD_MAX = 64;
/** Readers that are followed at once. */
const READERS_MAX = 1024;

export class ReadAhead {
  /** The last page that was made ahead, by book and form. */
  readonly #reached = boundedByCount<string, number>(READERS_MAX);

  /** The pages to make ahead of a reader of this page. None when they were named before. */
  after(reader: string, pageNumber: number, pageCount: number): readonly number[] {
    const last = Math.min(pageNumber + AHEAD, pageCount);
    const reached = this.#reached.get(reader) ?? 0;
    if (last <= reached && pageNumber >= reached - AHEAD) return [];
    const follows = pageNumber <= reached && reached < last;
    this.#reached.set(reader, last);
    const first = follows ? reached + 1 : pageNumber + 1;
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
  }
}
