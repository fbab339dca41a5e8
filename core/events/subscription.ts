// One client that follows a stream: a place in the log of its audience. Nothing is stored for it; a client that falls too far behind is ended.
import type { Log, Slice } from './log.js';
import type { StreamName } from './news.js';

export type Taken =
  | { readonly kind: 'news'; readonly slice: Slice }
  /** Nothing happened for a while. */
  | { readonly kind: 'quiet' }
  /** Read all again: `id` is the place from which news follow. */
  | { readonly kind: 'resync'; readonly id: string }
  | { readonly kind: 'slow' }
  | { readonly kind: 'over' };

/** The audience that it belongs to, as far as it needs it. */
export interface Following {
  readonly name: string;
  readonly logs: Readonly<Record<StreamName, Log>>;
  readonly members: Set<Subscription>;
  readonly followed: Set<StreamName>;
}

export class Subscription {
  readonly stream: StreamName;
  readonly userKey: number;
  isAdministrator: boolean;
  #audience: Following;
  #next: number;
  #owesResync: boolean;
  #isQuiet = false;
  #isOver = false;
  #waiting: (() => void) | null = null;

  /** `lastId`: the id of the last news that the client has; '' if it has none. */
  constructor(
    stream: StreamName,
    user: { key: number; isAdministrator: boolean },
    audience: Following,
    lastId: string,
  ) {
    this.stream = stream;
    this.userKey = user.key;
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

  /** The id of the last news before those that follow. */
  get lastId(): string {
    return `${this.#audience.logs[this.stream].tag}-${this.#next - 1}`;
  }

  /** They see something else now. */
  move(audience: Following): void {
    if (this.#isOver) return;
    this.#audience.members.delete(this);
    audience.members.add(this);
    audience.followed.add(this.stream);
    this.#audience = audience;
    this.#next = audience.logs[this.stream].end;
    this.#owesResync = true;
    this.wake();
  }

  /** What to send now; waits until there is something. */
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

  /** Says something, so that nobody in between takes the connection for dead. */
  keepAlive(): void {
    this.#isQuiet = true;
    this.wake();
  }

  end(): void {
    this.#isOver = true;
    this.#audience.members.delete(this);
    this.wake();
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
      return { kind: 'news', slice };
    }
    if (!this.#isQuiet) return undefined;
    this.#isQuiet = false;
    return { kind: 'quiet' };
  }
}
