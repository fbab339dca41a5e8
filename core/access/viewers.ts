// The viewer of each caller. A caller is cached for seconds; their scope is read again as soon as it may have changed.
import { PERMISSIONS } from '../model/permissions.js';
import { EVERYTHING, type Scope, type Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { Kind } from '../store/feed.js';
import type { Caller } from './caller.js';
import { scopeOfUser } from './restrictions.js';
import { isAdministrator } from './rights.js';

/** Kinds of changes after which a user may see more or less. */
const CONCERNED: ReadonlySet<Kind> = new Set<Kind>(['user', 'restriction', 'everything']);

interface Known {
  readonly viewer: Viewer;
  /** The generation before the scope was read. */
  readonly generation: number;
}

export class Viewers {
  readonly #db: Db;
  readonly #removing: ReadonlySet<number>;
  #generation = 0;
  /** Lives as long as its caller is cached. */
  readonly #known = new WeakMap<Caller, Known>();

  /** `removing`: keys of the libraries that are being removed. */
  constructor(db: Db, removing: ReadonlySet<number>) {
    this.#db = db;
    this.#removing = removing;
    db.feed.listen({
      onBatch: ({ reports }) => {
        if (reports.some(({ kind }) => CONCERNED.has(kind))) this.#generation += 1;
      },
      forget: () => this.forget(),
    });
  }

  /** Synchronous unless something was written that may change what this caller sees. */
  of(caller: Caller): Viewer | Promise<Viewer> {
    const known = this.#known.get(caller);
    return known !== undefined && known.generation === this.#generation ? known.viewer : this.#read(caller);
  }

  /** What a user without any restriction sees, for work on nobody's behalf. */
  unrestricted(userKey: number): Viewer {
    return { userKey, permissions: new Set(PERMISSIONS), administers: true, scope: this.#exceptRemoved(EVERYTHING) };
  }

  /** Any user may now see something else than before. */
  forget(): void {
    this.#generation += 1;
  }

  async #read(caller: Caller): Promise<Viewer> {
    const generation = this.#generation;
    const scope = this.#exceptRemoved(await scopeOfUser(this.#db, caller.user.key));
    const { user, permissions } = caller;
    const administers = isAdministrator(user) && permissions.has('SystemAdmin');
    const viewer = { userKey: user.key, permissions, administers, scope };
    this.#known.set(caller, { viewer, generation });
    return viewer;
  }

  #exceptRemoved(scope: Scope): Scope {
    return this.#removing.size === 0 ? scope : { ...scope, removing: [...this.#removing] };
  }
}
