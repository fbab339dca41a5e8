// Which job gets the next thread. Interactive jobs go first, and their users take turns: nobody fills the queue or holds all threads alone.
// Background jobs leave one thread free. A walk is short, and nothing of a library is visible before it: walks go first in the background,
// and one may run beside all other jobs. Covers go last, and after them hashes: every book can be read before the first of them is made
// ahead. While somebody reads, background jobs run one at a time, with rests.
import { Turns } from '../store/round-robin.js';
import type { Entry, PoolLane, RunOptions } from './pool-entry.js';
import type { Readers } from './readers.js';

export interface TurnsOptions {
  readonly threads: number;
  readonly queueInteractive: number;
  readonly queueBackground: number;
  /** Absent where nobody reads. */
  readonly readers?: Readers;
}

/** What a thread gets: a job, and small ones like it that it runs afterwards. Other threads may get jobs of it meanwhile. */
export interface Turn {
  readonly first: Entry;
  readonly others: readonly Entry[];
}

/** What is known about the disks from which the jobs read. */
interface Disks {
  /** Threads blocked on a slow disk. */
  readonly asleep: number;
  mayStart(input: unknown): boolean;
}

/** One user may fill one of these shares of the interactive queue. */
const SHARES = 4;
/** Jobs that a thread gets together, and what they read together: no more than one of a book of moderate size. */
const BATCH_JOBS = 16;
const BATCH_BYTES = 8 * 1024 * 1024;
/** The server itself is not counted as a user. */
const SERVER = 0;

/** Of jobs in the background; all others are first. */
const RANKS: Readonly<Record<string, number>> = { cover: 1, hash: 2 };
const rankOf = ({ name }: Entry): number => RANKS[name] ?? 0;
const isWalk = ({ name }: Entry): boolean => name === 'walk';
/** True for jobs that wait while somebody reads: a page made ahead (it can become urgent) is made for a reader, and a walk is short. */
const givesWay = (entry: Entry): boolean =>
  entry.lane === 'background' && entry.urgency === undefined && !isWalk(entry);

/** A batch of small jobs takes less, unless its disk is slow: it waits for it then, and more threads help. */
const SMALL_MS = 500;
const isSmall = ({ lane, bytes }: Entry): boolean =>
  lane === 'background' && bytes !== undefined && bytes <= BATCH_BYTES;

const rootOf = ({ input }: Entry): unknown => (input as { readonly root?: unknown } | null)?.root;

/** Jobs of the same kind on the same disk, which nobody waits for. */
const areAlike = (one: Entry, other: Entry): boolean =>
  one.name === other.name && one.urgency === undefined && rootOf(one) === rootOf(other);

export class PoolTurns {
  readonly backgroundWidth: number;
  readonly #options: TurnsOptions;
  readonly #interactive = new Turns<Entry>();
  readonly #background: Entry[] = [];
  /** Those in the background that somebody waits for and whose user had too many waiting: they move as soon as there is room. */
  readonly #wanted = new Set<Entry>();
  /** With the time of their start. */
  readonly #running = new Map<Turn, number>();
  readonly #userMax: number;
  /** Threads for small jobs: as many as there are processors, by default. */
  readonly #smallMax: number;
  #heldMs = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.backgroundWidth = Math.max(1, options.threads - 1);
    this.#userMax = Math.max(1, options.threads - 1);
    this.#smallMax = Math.max(1, this.backgroundWidth - 1);
  }

  get running(): number {
    return this.#running.size;
  }

  get waitingCount(): number {
    return this.#interactive.length + this.#background.length;
  }

  get waitingInteractive(): number {
    return this.#interactive.length;
  }

  get waiting(): readonly Entry[] {
    return [...this.#interactive.all(), ...this.#background];
  }

  isFull(lane: PoolLane, user: number): boolean {
    if (lane === 'background') return this.#background.length >= this.#options.queueBackground;
    const max = this.#options.queueInteractive;
    const isShareFull = user !== SERVER && this.#interactive.countOf(user) >= Math.ceil(max / SHARES);
    return isShareFull || this.#interactive.length >= max;
  }

  /** Where a job belongs: somebody may wait already for one that was meant for the background. */
  placeOf({
    lane,
    user = SERVER,
    urgency,
  }: Pick<RunOptions, 'lane' | 'user' | 'urgency'>): Pick<Entry, 'lane' | 'user'> {
    const waiting = urgency?.user;
    if (lane === 'interactive' || waiting === undefined || this.isFull('interactive', waiting)) return { lane, user };
    return { lane: 'interactive', user: waiting };
  }

  push(entry: Entry): void {
    if (entry.lane === 'background') this.#background.push(entry);
    else this.#interactive.push(entry.user, entry);
    this.raised(entry);
  }

  /** A job that lost its thread goes before those that have not begun. */
  pushFirst(entry: Entry): void {
    Object.assign(entry, this.placeOf(entry)); // while it ran, it could not move
    if (entry.lane === 'background') this.#background.unshift(entry);
    else this.#interactive.unshift(entry.user, entry);
    this.raised(entry);
  }

  /** Somebody may wait for a job by now. One that runs keeps its thread; one whose user has too many waiting moves when there is room. */
  raised(entry: Entry): void {
    if (entry.lane === 'interactive' || entry.urgency?.user === undefined || !this.#background.includes(entry)) return;
    const place = this.placeOf(entry);
    if (place.lane === 'background') {
      this.#wanted.add(entry);
      return;
    }
    this.remove(entry);
    this.push(Object.assign(entry, place));
  }

  /** False when it does not wait (any more). */
  remove(entry: Entry): boolean {
    if (entry.lane === 'interactive') return this.#interactive.remove(entry.user, entry);
    this.#wanted.delete(entry);
    const at = this.#background.indexOf(entry);
    if (at >= 0) this.#background.splice(at, 1);
    return at >= 0;
  }

  /** Counts as running until `ended`. */
  next(disks: Disks): Turn | undefined {
    for (const entry of this.#wanted) this.raised(entry);
    const chosen = this.#choose(disks);
    if (chosen === undefined) return undefined;
    const turn = { first: chosen, others: this.#companionsOf(chosen) };
    this.#running.set(turn, performance.now());
    return turn;
  }

  /**
   * Small jobs behind one that was chosen: they no longer wait, and run on the same thread after it, as one job. None while somebody reads,
   * so that each background job is as short as it can be.
   */
  #companionsOf(chosen: Entry): readonly Entry[] {
    const { lane, bytes, urgency } = chosen;
    if (bytes === undefined || urgency !== undefined || lane !== 'background') return [];
    if (this.#options.readers?.areReading === true) return [];
    const found: Entry[] = [];
    let room = BATCH_BYTES - bytes;
    for (const one of this.#background) {
      if (found.length + 1 >= BATCH_JOBS) break;
      if (one.bytes === undefined || !areAlike(one, chosen)) continue;
      room -= one.bytes;
      if (room < 0) break;
      found.push(one);
    }
    for (const one of found) this.remove(one);
    return found;
  }

  /** Milliseconds until a job that waits for readers may start without any other having ended; 0 when there is none. */
  get heldMs(): number {
    return this.#background.length === 0 ? 0 : this.#heldMs;
  }

  ended(turn: Turn): void {
    const startedMs = this.#running.get(turn);
    this.#running.delete(turn);
    if (startedMs !== undefined && givesWay(turn.first)) this.#options.readers?.rest(performance.now() - startedMs);
  }

  #choose(disks: Disks): Entry | undefined {
    const idle = this.#idleThreads(disks);
    this.#heldMs = 0;
    const mayStart = ({ input }: Entry): boolean => disks.mayStart(input);
    const hasThread = this.#running.size < this.#options.threads + idle;
    const interactive = hasThread ? this.#interactiveNext(mayStart, this.#userMax + idle) : undefined;
    if (interactive !== undefined) return interactive;
    const running = [...this.#running.keys()].map(({ first }) => first);
    const background = running.filter(({ lane }) => lane === 'background').length;
    const isFree = hasThread && background < this.backgroundWidth + idle;
    const walk =
      isFree || !running.some(isWalk) ? this.#takeBackground((one) => isWalk(one) && mayStart(one)) : undefined;
    if (walk !== undefined || !isFree) return walk;
    this.#heldMs = this.#options.readers?.holdMs(running.filter(givesWay).length - disks.asleep) ?? 0;
    const smallHeldMs = this.#smallHeldMs(idle);
    const isReady = (one: Entry): boolean =>
      (this.#heldMs === 0 || !givesWay(one)) && (smallHeldMs === 0 || !isSmall(one)) && mayStart(one);
    const chosen = this.#takeBackground(isReady);
    this.#heldMs = Math.max(this.#heldMs, smallHeldMs);
    return chosen;
  }

  /** Threads that use no CPU, or hardly any: as many others may work in their place, unless somebody reads. */
  #idleThreads({ asleep }: Disks): number {
    const waiting = [...this.#running.keys()].filter(({ first }) => first.isWaiting).length;
    return Math.max(asleep, Math.min(this.#options.threads, asleep + waiting));
  }

  /** Milliseconds until another thread may be used for small jobs; 0: now. Those that take longer than they should are not counted. */
  #smallHeldMs(idle: number): number {
    const limit = performance.now() - SMALL_MS;
    const started = [...this.#running].filter(([{ first }, startedMs]) => isSmall(first) && startedMs > limit);
    if (started.length < this.#smallMax + idle) return 0;
    return Math.min(...started.map(([, startedMs]) => startedMs)) - limit;
  }

  /** The first of the lowest rank. */
  #takeBackground(isReady: (entry: Entry) => boolean): Entry | undefined {
    let found: Entry | undefined;
    for (const entry of this.#background) {
      if (found !== undefined && rankOf(entry) >= rankOf(found)) continue;
      if (!isReady(entry)) continue;
      found = entry;
      if (rankOf(found) === 0) break;
    }
    if (found !== undefined) this.remove(found);
    return found;
  }

  #interactiveNext(mayStart: (entry: Entry) => boolean, userMax: number): Entry | undefined {
    const held = new Map<number, number>();
    for (const {
      first: { lane, user },
    } of this.#running.keys())
      if (lane === 'interactive') held.set(user, (held.get(user) ?? 0) + 1);
    return this.#interactive.take(
      (entry) => (entry.user === SERVER || (held.get(entry.user) ?? 0) < userMax) && mayStart(entry),
    );
  }
}
