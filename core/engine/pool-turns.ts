// Which job gets the next thread. Interactive jobs go first, and their users take turns: nobody fills the queue or holds all threads alone.
// Background jobs leave one thread free. A walk is short, and nothing of a library is visible before it: walks go first in the background,
// and one may run beside all other jobs. Covers go last: every book can be read before the first of them is made ahead. While somebody reads,
// background jobs run one at a time, with rests.
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

/** What is known about the disks from which the jobs read. */
interface Disks {
  /** Threads blocked on a slow disk. */
  readonly asleep: number;
  mayStart(input: unknown): boolean;
}

/** One user may fill one of these shares of the interactive queue. */
const SHARES = 4;
/** The server itself is not counted as a user. */
const SERVER = 0;

const isCover = ({ name }: Entry): boolean => name === 'cover';
const isWalk = ({ name }: Entry): boolean => name === 'walk';
/** True for jobs that wait while somebody reads: a page made ahead (it can become urgent) is made for a reader, and a walk is short. */
const givesWay = (entry: Entry): boolean =>
  entry.lane === 'background' && entry.urgency === undefined && !isWalk(entry);

export class PoolTurns {
  readonly backgroundWidth: number;
  readonly #options: TurnsOptions;
  readonly #interactive = new Turns<Entry>();
  readonly #background: Entry[] = [];
  /** Those in the background that somebody waits for and whose user had too many waiting: they move as soon as there is room. */
  readonly #wanted = new Set<Entry>();
  /** With the time of their start. */
  readonly #running = new Map<Entry, number>();
  readonly #userMax: number;
  #heldMs = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.backgroundWidth = Math.max(1, options.threads - 1);
    this.#userMax = Math.max(1, options.threads - 1);
  }

  get running(): number {
    return this.#running.size;
  }

  get waitingCount(): number {
    return this.#interactive.length + this.#background.length;
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
  next(disks: Disks): Entry | undefined {
    for (const entry of this.#wanted) this.raised(entry);
    const chosen = this.#choose(disks);
    if (chosen !== undefined) this.#running.set(chosen, performance.now());
    return chosen;
  }

  /** Milliseconds until a job that waits for readers may start without any other having ended; 0 when there is none. */
  get heldMs(): number {
    return this.#background.length === 0 ? 0 : this.#heldMs;
  }

  ended(entry: Entry): void {
    const startedMs = this.#running.get(entry);
    this.#running.delete(entry);
    if (startedMs !== undefined && givesWay(entry)) this.#options.readers?.rest(performance.now() - startedMs);
  }

  #choose(disks: Disks): Entry | undefined {
    const { asleep } = disks;
    this.#heldMs = 0;
    const mayStart = ({ input }: Entry): boolean => disks.mayStart(input);
    const hasThread = this.#running.size < this.#options.threads + asleep;
    const interactive = hasThread ? this.#interactiveNext(mayStart, this.#userMax + asleep) : undefined;
    if (interactive !== undefined) return interactive;
    const running = [...this.#running.keys()];
    const background = running.filter(({ lane }) => lane === 'background').length;
    const isFree = hasThread && background < this.backgroundWidth + asleep;
    const walk =
      isFree || !running.some(isWalk) ? this.#takeBackground((one) => isWalk(one) && mayStart(one)) : undefined;
    if (walk !== undefined || !isFree) return walk;
    this.#heldMs = this.#options.readers?.holdMs(running.filter(givesWay).length - asleep) ?? 0;
    const isReady = (one: Entry): boolean => (this.#heldMs === 0 || !givesWay(one)) && mayStart(one);
    return this.#takeBackground((one) => !isCover(one) && isReady(one)) ?? this.#takeBackground(isReady);
  }

  #takeBackground(isReady: (entry: Entry) => boolean): Entry | undefined {
    const found = this.#background.find(isReady);
    if (found !== undefined) this.remove(found);
    return found;
  }

  #interactiveNext(mayStart: (entry: Entry) => boolean, userMax: number): Entry | undefined {
    const held = new Map<number, number>();
    for (const { lane, user } of this.#running.keys())
      if (lane === 'interactive') held.set(user, (held.get(user) ?? 0) + 1);
    return this.#interactive.take(
      (entry) => (entry.user === SERVER || (held.get(entry.user) ?? 0) < userMax) && mayStart(entry),
    );
  }
}
