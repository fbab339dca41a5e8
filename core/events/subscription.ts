// A client that follows a stream: a position in the log of its audience; one too far behind is cut off. Buffered for it is only what its
// own user read: in the log it would take positions, and their gaps would tell others of the audience that somebody reads.
import type { Log, Slice } from './log.js';
import { type Follower, mayHear, type ReadingNews, type StreamName } from './news.js';

export type Taken =
  | { readonly kind: 'news'; readonly slice: Slice }
  /** What the user of the stream read. */
  | { readonly kind: 'reading'; readonly news: readonly ReadingNews[] }
  /** Nothing happened for a while. */
  | { readonly kind: 'quiet' }
  /** The client has to reload everything: events follow from the position `id`. */
  | { readonly kind: 'resync'; readonly id: string }
  | { readonly kind: 'slow' }
  | { readonly kind: 'over' };

/** The part of its audience that a subscription needs. */
export interface Following {
  readonly name: string;
  readonly logs: Readonly<Record<StreamName, Log>>;
  readonly members: Set<Subscription>;
  readonly followed: Set<StreamName>;
}

/** Beyond this, a client has to reload everything. */
const READING_MAX = 1000;

export class Subscription {
  readonly stream: StreamName;
  readonly userKey: number;
  readonly openedAt = performance.now();
  readonly #follower: Follower;
  isAdministrator: boolean;
  #audience: Following;
  #next: number;
  #owesResync: boolean;
  #reading: ReadingNews[] = [];
  #isQuiet = false;
  #isOver = false;
  #waiting: (() => void) | null = null;

  /** `lastId` is the id of the last event that the client has; '' if it has none. */
  constructor(
    stream: StreamName,
    user: { key: number; isAdministrator: boolean; permissions: Follower['permissions'] },
    audience: Following,
    lastId: string,
  ) {
    this.stream = stream;
    this.userKey = user.key;
    this.#follower = { userKey: user.key, permissions: user.permissions };
    this.isAdministrator = user.isAdministrator;
    this.#audience = audience;
    const log = audience.logs[stream];
    const next = lastId === '' ? log.end : log.after(lastId);
    this.#next = next ?? log.end;
    this.#owesResync = next === undefined;
    audience.members.add(this);
    audience.followed.add(stream);
  }

  get audience(): Following {
    return this.#audience;
  }

  /** The id of the last event before those that follow. */
  get lastId(): string {
    return `${this.#audience.logs[this.stream].tag}-${this.#next - 1}`;
  }

  /** Called when the restrictions of the user have changed. */
  move(audience: Following): void {
    if (this.#isOver) return;
    this.#audience.members.delete(this);
    audience.members.add(this);
    audience.followed.add(this.stream);
    this.#audience = audience;
    this.#next = audience.logs[this.stream].end;
    this.#owesResync = true;
    this.#reading = [];
    this.wake();
  }

  /** In the stream of entities. The books of a series are told one by one where they are named. */
  tellReading(news: readonly ReadingNews[]): void {
    if (this.stream !== 'entities') return;
    const isOwn = (one: ReadingNews): boolean => one.entityType === 'book' || !one.areBooksNamed;
    this.#reading.push(...news.filter((one) => isOwn(one) && mayHear(this.#follower, one)));
    if (this.#reading.length > READING_MAX) {
      this.#reading = [];
      this.#owesResync = true;
    }
    this.wake();
  }

  /** What to send next; waits until there is something. */
  async next(): Promise<Taken> {
    for (;;) {
      const taken = this.#take();
      if (taken !== undefined) return taken;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  wake(): void {
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Sends a keep-alive, so that no proxy considers the connection dead. */
  keepAlive(): void {
    this.#isQuiet = true;
    this.wake();
  }

  end(): void {
    this.#isOver = true;
    this.#audience.members.delete(this);
    this.wake();
  }

  /** In other streams, everybody hears everything. Positions in this one are not told to clients. */
  #heard(slice: Slice): Slice {
    if (this.stream !== 'apps') return slice;
    return { ...slice, told: slice.told.filter(({ news }) => mayHear(this.#follower, news)) };
  }

  #take(): Taken | undefined {
    if (this.#isOver) return { kind: 'over' };
    if (this.#owesResync) {
      this.#owesResync = false;
      return { kind: 'resync', id: this.lastId };
    }
    const log = this.#audience.logs[this.stream];
    if (!log.has(this.#next)) return { kind: 'slow' };
    if (this.#next < log.end) {
      const slice = log.from(this.#next);
      this.#next += slice.told.length;
      return { kind: 'news', slice: this.#heard(slice) };
    }
    if (this.#reading.length > 0) return { kind: 'reading', news: this.#reading.splice(0) };
    if (!this.#isQuiet) return undefined;
    this.#isQuiet = false;
    return { kind: 'quiet' };
  }
}
