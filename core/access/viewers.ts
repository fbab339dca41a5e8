// The viewer of each caller. A caller is remembered for seconds; what they may see is read again as soon as it may have changed.
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { scopeOfUser } from './restrictions.js';
import type { Caller } from './sessions.js';

/** Tables that are written often and say nothing of what users are limited to, and lead to no table that does. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'book',
  'book_error',
  'book_genre',
  'book_metadata',
  'book_outline',
  'book_pages',
  'book_summary',
  'book_tag',
  'book_text',
  'book_trigram',
  'book_words',
  'collection',
  'collection_series',
  'folder',
  'genre',
  'read_cleared',
  'read_completion',
  'read_list',
  'read_list_book',
  'read_position',
  'read_progress',
  'scan',
  'search_due',
  'series',
  'series_genre',
  'series_reading',
  'series_sharing_tag',
  'series_tag',
  'series_text',
  'series_title',
  'series_words',
  'session',
  'stored_rule',
  'tag',
  'want_to_read',
]);

interface Known {
  readonly viewer: Viewer;
  /** What the database's generation was before the scope was read. */
  readonly generation: number;
}

export class Viewers {
  readonly #db: Db;
  /** Lives as long as its caller is remembered. */
  readonly #known = new WeakMap<Caller, Known>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** At once unless something was written that may change what this caller sees. */
  of(caller: Caller): Viewer | Promise<Viewer> {
    const known = this.#known.get(caller);
    return known !== undefined && known.generation === this.#generation() ? known.viewer : this.#read(caller);
  }

  async #read(caller: Caller): Promise<Viewer> {
    const generation = this.#generation();
    const scope = await scopeOfUser(this.#db, caller.user.key);
    const viewer = { userKey: caller.user.key, permissions: caller.permissions, scope };
    this.#known.set(caller, { viewer, generation });
    return viewer;
  }

  #generation(): number {
    return this.#db.generation(ELSEWHERE);
  }
}
