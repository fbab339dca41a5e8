// When sessions and API keys were last used: noted in memory and stored together, so that no request writes. Bounded memory.
import { bytesOfUuid } from '../model/ids.js';
import type { Db } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';

const STORE = {
  session: 'UPDATE session SET seen_at = ?1 WHERE uuid = ?2 AND coalesce(seen_at, 0) < ?1 RETURNING user_id',
  'api-key':
    'UPDATE api_key SET last_used_at = ?1 WHERE uuid = ?2 AND coalesce(last_used_at, 0) < ?1 RETURNING user_id',
} as const;

type Used = keyof typeof STORE;

/** What of a credential says where its use is noted, if anywhere. */
type Noted = { readonly kind: 'password' | 'sync-secret' | 'provider' } | { readonly kind: Used; readonly id: string };

/** Beyond that, the next use of another one is noted after the next time they are stored. */
const NOTED_MAX = 10_000;
const ROWS_PER_TRANSACTION = 500;

export class LastUse {
  readonly #db: Db;
  readonly #noted: Readonly<Record<Used, Map<string, number>>> = { session: new Map(), 'api-key': new Map() };

  constructor(db: Db) {
    this.#db = db;
  }

  note(via: Noted, nowMs: number): void {
    if (!('id' in via)) return;
    const noted = this.#noted[via.kind];
    if (noted.size < NOTED_MAX || noted.has(via.id)) noted.set(via.id, nowMs);
  }

  /** The later of a stored time and what was noted since. */
  of(kind: Used, id: string, stored: number | null): number | null {
    const noted = this.#noted[kind].get(id);
    return noted === undefined || (stored !== null && stored > noted) ? stored : noted;
  }

  /** What could not be stored remains noted. */
  async store(): Promise<void> {
    for (const kind of ['session', 'api-key'] as const) {
      const all = [...this.#noted[kind]];
      for (let at = 0; at < all.length; at += ROWS_PER_TRANSACTION)
        await this.#storeSome(kind, all.slice(at, at + ROWS_PER_TRANSACTION));
    }
  }

  async #storeSome(kind: Used, uses: readonly (readonly [id: string, atMs: number])[]): Promise<void> {
    await this.#db.write(SYSTEM, 'background', async (tx) => {
      const users = new Set<number>();
      for (const [id, atMs] of uses)
        for (const { user_id } of await tx.all<{ user_id: number }>(STORE[kind], [atMs, bytesOfUuid(id)]))
          users.add(user_id);
      tx.report(updated('last_use', [...users], ASPECTS.details));
    });
    const noted = this.#noted[kind];
    for (const [id, atMs] of uses) if (noted.get(id) === atMs) noted.delete(id);
  }
}
