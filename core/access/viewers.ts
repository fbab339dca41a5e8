// The viewer of each caller. A caller is remembered for seconds; what they may see is read again as soon as it may have changed.
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { Kind } from '../store/feed.js';
import { scopeOfUser } from './restrictions.js';
import type { Caller } from './sessions.js';

/** Kinds of changes after which somebody may see more or less. */
const CONCERNED: ReadonlySet<Kind> = new Set<Kind>(['user', 'restriction', 'everything']);

interface Known {
  readonly viewer: Viewer;
  /** What the generation was before the scope was read. */
  readonly generation: number;
}

export class Viewers {
  readonly #db: Db;
  #generation = 0;
  /** Lives as long as its caller is remembered. */
  readonly #known = new WeakMap<Caller, Known>();

  constructor(db: Db) {
    this.#db = db;
    db.feed.listen({
      told: ({ reports }) => {
        if (reports.some(({ kind }) => CONCERNED.has(kind))) this.#generation += 1;
      },
      forget: () => {
        this.#generation += 1;
      },
    });
  }

  /** At once unless something was written that may change what this caller sees. */
  of(caller: Caller): Viewer | Promise<Viewer> {
    const known = this.#known.get(caller);
    return known !== undefined && known.generation === this.#generation ? known.viewer : this.#read(caller);
  }

  async #read(caller: Caller): Promise<Viewer> {
    const generation = this.#generation;
    const scope = await scopeOfUser(this.#db, caller.user.key);
    const viewer = { userKey: caller.user.key, permissions: caller.permissions, scope };
    this.#known.set(caller, { viewer, generation });
    return viewer;
  }
}
