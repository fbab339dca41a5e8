// How many connections uWebSockets.js takes. This build tells of no connection before its first request and can close none that waits for one,
// so at the bound it stops listening and node:http takes new connections on the same port: it closes those that do least. Connections that are
// open go on; those that send nothing are closed by the engine after ten seconds. When the crowd is gone, the engine listens again.
import { closeSync, openSync } from 'node:fs';
import type { Listening } from './adapter.js';
import { descriptorLimit, openDescriptors, openSockets } from './descriptors.js';

/** Something that takes connections on one port. */
export interface Stand {
  /** Connections it has now; at most so many more may come. */
  count(): number;
  bound(connections: number): void;
  /** Takes no more; what it has goes on, and `gone` is called when that is over. */
  leave(gone: () => void): void;
  readonly stop: Listening['stop'];
}

interface GateParts {
  readonly connections: number;
  /** Listens with the engine; undefined when the port is taken. Returns what ends that. */
  readonly open: () => (() => void) | undefined;
  /** Listens with node:http instead. */
  readonly standIn: (connections: number) => Promise<Stand>;
  readonly onCrowded: (sentence: string) => void;
  readonly onFault: (thrown: unknown) => void;
}

const LOOK_EVERY_MS = 200;
/** The engine listens again when less than half of the bound was in use at so many looks. */
const CALM_LOOKS = 25;
const STAND_IN_MIN = 16;
/** Descriptors held for the moment in which connections have taken all others between two looks. */
const HELD = 96;
/** Above this many times the bound, no burst between two looks comes near the limit of the system. */
const SAFE_FACTOR = 8;

export class Gate {
  readonly #parts: GateParts;
  readonly #others: number;
  readonly #heldCount: number;
  readonly #left = new Set<Stand>();
  #leave: (() => void) | undefined;
  #standIn: Stand | null = null;
  #starting: Promise<void> | null = null;
  #held: number[] = [];
  #calm = 0;
  #timer: NodeJS.Timeout | null;

  /** `leave` ends the listening that is under way. */
  constructor(parts: GateParts, leave: () => void) {
    this.#parts = parts;
    this.#leave = leave;
    this.#heldCount = descriptorLimit() < parts.connections * SAFE_FACTOR ? HELD : 0;
    this.#others = openSockets() ?? 0;
    this.#hold();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#shut();
    await this.#starting;
    await Promise.all(
      [...this.#left, ...(this.#standIn === null ? [] : [this.#standIn])].map((one) => one.stop(graceMs)),
    );
  }

  #look(): void {
    const { connections } = this.#parts;
    if (this.#starting !== null) return;
    const open = this.#count();
    if (this.#standIn !== null) this.#guard(this.#standIn, open);
    else if (open >= connections) this.#change(open);
    else if (this.#leave === undefined) this.#open();
  }

  /** Zero while the process has too few descriptors open for it to matter. */
  #count(): number {
    const { connections } = this.#parts;
    if (this.#standIn === null && openDescriptors() - this.#held.length < connections) return 0;
    const sockets = openSockets();
    return sockets === undefined ? connections : sockets - this.#others;
  }

  /** While node:http takes new connections: what the engine still has counts too. */
  #guard(standIn: Stand, open: number): void {
    const { connections } = this.#parts;
    standIn.bound(Math.max(STAND_IN_MIN, connections - Math.max(0, open - standIn.count())));
    this.#calm = open < connections / 2 ? this.#calm + 1 : 0;
    if (this.#calm < CALM_LOOKS) return;
    this.#left.add(standIn);
    standIn.leave(() => this.#left.delete(standIn));
    this.#standIn = null;
    this.#open();
  }

  #change(open: number): void {
    const { standIn, onCrowded, onFault } = this.#parts;
    if (this.#leave !== undefined)
      onCrowded(`${open} connections are open; until there are fewer, the least active are closed (http.connections)`);
    this.#shut();
    this.#calm = 0;
    this.#starting = standIn(STAND_IN_MIN)
      .then((stand) => {
        this.#standIn = stand;
      }, onFault)
      .finally(() => {
        this.#starting = null;
      });
  }

  #shut(): void {
    this.#leave?.();
    this.#leave = undefined;
    for (const fd of this.#held) closeSync(fd);
    this.#held = [];
  }

  /** The next look tries again when it fails. */
  #open(): void {
    this.#leave = this.#parts.open();
    if (this.#leave !== undefined) this.#hold();
  }

  #hold(): void {
    try {
      while (this.#held.length < this.#heldCount) this.#held.push(openSync('/dev/null', 'r'));
    } catch {
      // None are left: there will be when the gate opens the next time.
    }
  }
}
