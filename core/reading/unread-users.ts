// Users without any progress, remembered: whatever lists what they read is empty, and takes no query. Every transaction that may give a
// user progress names that user in its reports.
import { type BoundedMap, boundedByCount } from '../model/bounded-map.js';
import type { Db } from '../store/db.js';
import { ASPECTS, type Batch, type Report } from '../store/feed.js';

const USERS_MAX = 10_000;

/** Whether a user may have progress after a change that they had not before. */
const mayStart = (report: Report, userKey: number): boolean =>
  report.kind === 'everything' || ((report.aspects & ASPECTS.reading) !== 0 && report.userKey === userKey);

export class UnreadUsers {
  readonly #db: Db;
  readonly #users: BoundedMap<number, true>;

  constructor(db: Db, max: number = USERS_MAX) {
    this.#db = db;
    this.#users = boundedByCount(max);
    db.feed.listen({ onBatch: (batch) => this.#take(batch), forget: () => this.#users.clear() });
  }

  /** False: they have progress, or nobody looked since they may have. */
  has(userKey: number): boolean {
    return this.#users.get(userKey) === true;
  }

  /** Looks, and remembers a user who has none. */
  async look(userKey: number): Promise<void> {
    const { feed } = this.#db;
    const from = feed.sequence;
    const rows = await this.#db.all('SELECT 1 FROM read_progress WHERE user_id = ? LIMIT 1', [userKey]);
    const since = feed.since(from);
    if (rows.length > 0 || since === undefined) return;
    if (since.some(({ reports }) => reports.some((report) => mayStart(report, userKey)))) return;
    this.#users.set(userKey, true);
  }

  #take({ reports }: Batch): void {
    for (const report of reports) {
      if (report.kind === 'everything') this.#users.clear();
      else if (report.userKey !== undefined && mayStart(report, report.userKey)) this.#users.delete(report.userKey);
    }
  }
}
