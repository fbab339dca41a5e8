// Readers of any pace whose apps fetch any number of pages ahead, against the page that is really on the screen.
import fc from 'fast-check';
import {
  AHEAD_MAX,
  ASSUMED_READ_MAX,
  fetched,
  pageSeen,
  READ_MS,
  type ReadingSession,
} from '../../core/reading/reading-session.js';
import { assert, block, IS_FULL } from '../kit.js';

const RUNS = IS_FULL ? 20_000 : 1000;
const HAND_MS = 300;

/** How long a page is looked at: passed, read quickly, read slowly, put aside. */
const restMs = fc.oneof(
  fc.integer({ min: HAND_MS, max: READ_MS - 1 }),
  { weight: 3, arbitrary: fc.integer({ min: READ_MS, max: 12_000 }) },
  fc.integer({ min: 12_000, max: 200_000 }),
);

const app = fc.record({
  ahead: fc.integer({ min: 0, max: AHEAD_MAX }),
  /** Requests at a time. */
  lines: fc.constantFrom(1, 2, 4),
  /** Between an answer and the next request on the same line. */
  pauseMs: fc.integer({ min: 0, max: HAND_MS - 1 }),
});

interface App {
  readonly ahead: number;
  readonly lines: number;
  readonly pauseMs: number;
}

/** A page is shown from then on. */
interface Turn {
  readonly page: number;
  readonly at: number;
}

interface Fetch {
  readonly page: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Pages behind the reader that the app does not have to fetch again, if it fetches any ahead. */
const BEHIND = 2;

const furthestAt = (turns: readonly Turn[], at: number): number =>
  Math.max(0, ...turns.filter((turn) => turn.at <= at).map(({ page }) => page));

/** An app: it has pages around the one on the screen, and fetches those it lacks, the nearest first. */
class FetchingApp {
  readonly fetches: Fetch[] = [];
  readonly #app: App;
  readonly #latencyMs: (page: number) => number;
  readonly #free: number[];
  #has = new Set<number>();

  readonly pageCount: number;

  constructor(app: App, pageCount: number, latencyMs: (page: number) => number) {
    this.#app = app;
    this.pageCount = pageCount;
    this.#latencyMs = latencyMs;
    this.#free = Array.from({ length: app.lines }, () => 0);
  }

  /** Shows a page from `at`, and works until `until`; a request that was begun by then is answered later. */
  show(page: number, at: number, until: number): void {
    const { ahead, pauseMs } = this.#app;
    const from = ahead === 0 ? page : Math.max(1, page - BEHIND);
    const to = Math.min(this.pageCount, page + ahead);
    this.#has = new Set([...this.#has].filter((one) => one >= from && one <= to));
    if (ahead === 0) this.#has.clear();
    for (let wanted = page; wanted <= to; wanted += 1) {
      if (this.#has.has(wanted)) continue;
      const line = this.#free.indexOf(Math.min(...this.#free));
      const askedAt = Math.max(at, this.#free[line] ?? 0);
      if (askedAt >= until) return;
      const answeredAt = askedAt + this.#latencyMs(wanted);
      this.#free[line] = answeredAt + pauseMs;
      this.#has.add(wanted);
      this.fetches.push({ page: wanted, askedAt, answeredAt });
    }
  }

  get ahead(): number {
    return this.#app.ahead;
  }

  /** When everything that was asked for has arrived. */
  get doneAt(): number {
    return Math.max(0, ...this.fetches.map(({ answeredAt }) => answeredAt));
  }
}

/** What is known of the fetches answered by then. */
const sessionAt = (fetches: readonly Fetch[], at: number): ReadingSession | undefined =>
  [...fetches]
    .filter(({ answeredAt }) => answeredAt <= at)
    .sort((one, other) => one.answeredAt - other.answeredAt)
    .reduce<ReadingSession | undefined>((session, fetch) => fetched(session, fetch), undefined);

const seenAt = (fetches: readonly Fetch[], pageCount: number, at: number): number => {
  const session = sessionAt(fetches, at);
  if (session === undefined) return 0;
  return pageSeen(session, pageCount, { quietMs: at - session.at, isElsewhere: false });
};

/**
 * Shows a page, and tells for how long. Once an app has the last page it asks for nothing: on the last few pages nobody can tell who takes
 * longer for a page than ever before, so no reader does.
 */
const rests = (phone: FetchingApp, page: number, at: number, wishMs: number): number => {
  phone.show(page, at, at + 1);
  const session = sessionAt(phone.fetches, Number.POSITIVE_INFINITY);
  const isLimited =
    session !== undefined &&
    session.slowestMs > 0 &&
    page + phone.ahead >= phone.pageCount &&
    phone.pageCount - session.now.shown <= ASSUMED_READ_MAX;
  return isLimited ? Math.min(wishMs, session.slowestMs) : wishMs;
};

block('streamed reading: any pace, any app', (check) => {
  check('where gaps tell, what is stored is the page on the screen, and nothing is finished too early', () => {
    fc.assert(
      fc.property(
        app,
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.record({ restMs, latencyMs: fc.integer({ min: 0, max: 900 }) }), { minLength: 1, maxLength: 50 }),
        (one, pageCount, start, steps) => {
          let page = Math.min(start, pageCount);
          let at = 0;
          const turns: Turn[] = [];
          let latencyMs = 0;
          const phone = new FetchingApp(one, pageCount, () => latencyMs);
          for (const step of steps) {
            latencyMs = step.latencyMs;
            turns.push({ page, at });
            const forMs = rests(phone, page, at, step.restMs);
            phone.show(page, at, Number.POSITIVE_INFINITY);
            const from = Math.max(at, phone.doneAt);
            const end = from + forMs;
            const seen = seenAt(phone.fetches, pageCount, end);
            const session = sessionAt(phone.fetches, end);
            assert.ok(seen <= page, `${seen} of ${page}`);
            const isClear = (session?.now.highest ?? 0) < pageCount && (session?.now.shown ?? 0) > 0;
            if (isClear && end - from >= READ_MS) assert.is(seen, page);
            at = end;
            page += 1;
            if (page > pageCount) break;
          }
          const last = steps[pageCount - Math.min(start, pageCount)];
          const isRead = last !== undefined && steps.every((step) => step.restMs >= READ_MS);
          const hasTurned = Math.min(start, pageCount) + one.ahead < pageCount;
          const stored = one.ahead <= ASSUMED_READ_MAX ? pageCount : pageCount - one.ahead;
          if (isRead && hasTurned) assert.is(seenAt(phone.fetches, pageCount, at + 3_600_000), stored);
        },
      ),
      { numRuns: RUNS },
    );
  });

  check('where they do not tell, what is stored stays behind, and nothing is finished too early', () => {
    const step = fc.record({
      to: fc.oneof(
        { weight: 6, arbitrary: fc.constant('next' as const) },
        fc.constantFrom('back' as const, 'jump' as const),
      ),
      by: fc.integer({ min: 1, max: 40 }),
      restMs: fc.oneof({ weight: 3, arbitrary: restMs }, fc.integer({ min: 0, max: HAND_MS })),
      latencyMs: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 5000 })),
    });
    fc.assert(
      fc.property(
        app,
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(step, { minLength: 1, maxLength: 40 }),
        (one, pageCount, start, steps) => {
          let page = Math.min(start, pageCount);
          let at = 0;
          const turns: Turn[] = [];
          let latencyMs = 0;
          const phone = new FetchingApp(one, pageCount, () => latencyMs);
          for (const { to, by, restMs: wish, ...step } of steps) {
            // An answer that overtakes another by more than the time a page is read for cannot be told from one that is alone.
            latencyMs = one.lines === 1 ? step.latencyMs : Math.min(step.latencyMs, READ_MS - 1);
            turns.push({ page, at });
            const end = at + rests(phone, page, at, wish);
            phone.show(page, at, end);
            at = end;
            // Nor can anybody tell who goes back once the app has the rest of the book.
            const hasRest = one.ahead > 0 && page + one.ahead >= pageCount;
            if (to === 'next' || hasRest) page += 1;
            else page = to === 'back' ? Math.max(1, page - by) : Math.min(pageCount, page + by);
            if (page > pageCount) break;
          }
          const moments = [...phone.fetches.flatMap(({ askedAt, answeredAt }) => [askedAt, answeredAt]), at];
          for (const moment of moments.filter((each) => each <= at)) {
            const [seen, furthest] = [seenAt(phone.fetches, pageCount, moment), furthestAt(turns, moment)];
            assert.ok(seen <= furthest, `${seen} of ${furthest} after ${moment} ms`);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
