// Reads that nobody waits for: they start while no connection is in use, one at a time, and end as soon as somebody needs theirs.
import { AppError } from '../model/errors.js';
import type { Connection } from './connection.js';

const INTERRUPT_MS = 50;
const CALLS_MAX = 16;

interface Call {
  readonly connection: Connection;
  /** Never rejects. */
  readonly run: () => Promise<void>;
  readonly cancel: () => void;
}

interface Events {
  readonly onFailure: (thrown: unknown) => void;
  /** Called when a connection is back among the free ones. */
  readonly onFree: () => void;
}

export class SpareReads {
  readonly #free: Connection[];
  readonly #deadlineMs: number;
  readonly #events: Events;
  readonly #waiting = new Set<Call>();
  #running: Call | undefined;

  /** `free`: the connections that are not in use; one is taken out while a call runs on it. */
  constructor(free: Connection[], deadlineMs: number, events: Events) {
    this.#free = free;
    this.#deadlineMs = deadlineMs;
    this.#events = events;
  }

  on<T>(connection: Connection, body: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted || this.#waiting.size >= CALLS_MAX) return Promise.reject(new AppError('Cancelled'));
    return new Promise<T>((resolve, reject) => {
      const left = new AbortController();
      const call: Call = {
        connection,
        run: () => this.#run(connection, body, left.signal).then(resolve, reject).finally(over),
        cancel: () => {
          left.abort();
          if (!this.#waiting.delete(call)) return;
          over();
          reject(new AppError('Cancelled'));
        },
      };
      const over = (): void => signal.removeEventListener('abort', call.cancel);
      signal.addEventListener('abort', call.cancel, { once: true });
      this.#waiting.add(call);
      this.#events.onFree();
    });
  }

  /** Call while no connection is in use. False when nothing waits. */
  start(): boolean {
    const [call] = this.#waiting;
    if (call === undefined) return false;
    this.#waiting.delete(call);
    this.#free.splice(this.#free.indexOf(call.connection), 1);
    this.#running = call;
    void call.run().then(() => {
      this.#running = undefined;
      this.#free.push(call.connection);
      this.#events.onFree();
    });
    return true;
  }

  /** Somebody needs the connection of the running call. */
  giveWay(): void {
    this.#running?.cancel();
  }

  end(): void {
    for (const call of [...this.#waiting]) call.cancel();
    this.giveWay();
  }

  async #run<T>(connection: Connection, body: (one: Connection) => Promise<T>, left: AbortSignal): Promise<T> {
    let interrupting: NodeJS.Timeout | undefined;
    // A statement that has not begun cannot be interrupted, so this is repeated until the call ends.
    const onLeft = (): void => {
      connection.interrupt();
      interrupting = setInterval(() => connection.interrupt(), INTERRUPT_MS);
    };
    left.addEventListener('abort', onLeft, { once: true });
    const deadline = setTimeout(() => connection.interrupt(), this.#deadlineMs);
    try {
      return await body(connection);
    } catch (thrown) {
      this.#events.onFailure(thrown);
      throw left.aborted ? new AppError('Cancelled', undefined, null, thrown) : thrown;
    } finally {
      left.removeEventListener('abort', onLeft);
      clearTimeout(deadline);
      clearInterval(interrupting);
    }
  }
}
