// Limits the connections of uWebSockets.js. This build does not report a connection before its first request and cannot close an idle one.
// So at the limit it stops listening, and node:http accepts new connections on the same port and closes the least active. Existing
// connections continue; the engine closes silent ones after ten seconds. When the number has fallen, the engine listens again.
import { closeSync, openSync } from 'node:fs';
import type { Listening } from './adapter.js';
import { descriptorLimit, openDescriptors, openSockets } from './descriptors.js';

/** Something that accepts connections on one port. */
export interface Stand {
  /** Connections it has now, and how many more it may accept. */
  count(): number;
  bound(connections: number): void;
  /** Stops accepting; existing connections continue, and `gone` is called when the last has ended. */
  leave(gone: () => void): void;
  readonly stop: Listening['stop'];
}

interface GateParts {
  readonly connections: number;
  /** Listens with the engine and returns a function that stops it; undefined when the port is taken. */
  readonly open: () => (() => void) | undefined;
  /** Listens with node:http instead. */
  readonly standIn: (connections: number) => Promise<Stand>;
  readonly onCrowded: (sentence: string) => void;
  readonly onFault: (thrown: unknown) => void;
}

const LOOK_EVERY_MS = 200;
/** While few connections are open, and more descriptors are left than connections can be made meanwhile. A check wakes an idle server. */
const CALM_LOOK_EVERY_MS = 1000;
const CALM_DESCRIPTORS = 16_384;
/** The engine listens again after this many checks with less than half of the limit in use. */
const CALM_LOOKS = 25;
const STAND_IN_MIN = 16;
/**
 * The engine hands over when one place in this many is left: with fewer places, newcomers would evict each other before sending a request.
 */
const STAND_IN_SHARE = 4;
/** Spare descriptors for when connections take all others between two checks. */
const HELD = 96;
/** With a descriptor limit above this multiple of the connection limit, no burst between two checks comes near it. */
const SAFE_FACTOR = 8;

export class Gate {
  readonly #parts: GateParts;
  readonly #others: number;
  readonly #limit: number;
  readonly #heldCount: number;
  /** What node:http may accept when connections of the engine hold all the rest. */
  readonly #share: number;
  readonly #left = new Set<Stand>();
  #leave: (() => void) | undefined;
  #standIn: Stand | null = null;
  #starting: Promise<void> | null = null;
  #held: number[] = [];
  #calm = 0;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  /** `leave` stops the current listener. */
  constructor(parts: GateParts, leave: () => void) {
    this.#parts = parts;
    this.#leave = leave;
    this.#limit = descriptorLimit();
    this.#heldCount = this.#limit < parts.connections * SAFE_FACTOR ? HELD : 0;
    this.#share = Math.floor(parts.connections / STAND_IN_SHARE);
    this.#others = openSockets() ?? 0;
    this.#hold();
    this.#lookLater(LOOK_EVERY_MS);
  }

  /** Undefined where the system does not tell. */
  connections(): number | undefined {
    const sockets = openSockets();
    return sockets === undefined ? undefined : Math.max(0, sockets - this.#others);
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isStopped = true;
    this.#shut();
    await this.#starting;
    await Promise.all(
      [...this.#left, ...(this.#standIn === null ? [] : [this.#standIn])].map((one) => one.stop(graceMs)),
    );
  }

  #lookLater(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#lookLater(this.#look() ? CALM_LOOK_EVERY_MS : LOOK_EVERY_MS), ms);
    this.#timer.unref();
  }

  /** True while the number of connections does not matter. */
  #look(): boolean {
    const { connections } = this.#parts;
    if (this.#starting !== null) return false;
    const open = this.#count();
    if (this.#standIn !== null) this.#guard(this.#standIn, open);
    else if (open >= connections - this.#share) this.#change(open);
    else if (this.#leave === undefined) this.#open();
    return open === 0 && this.#leave !== undefined && this.#limit - openDescriptors() > CALM_DESCRIPTORS;
  }

  /** Zero while too few descriptors are open to matter. */
  #count(): number {
    const { connections } = this.#parts;
    if (this.#standIn === null && openDescriptors() - this.#held.length < connections - this.#share) return 0;
    const sockets = openSockets();
    return sockets === undefined ? connections : sockets - this.#others;
  }

  /** While node:http accepts new connections, those of the engine count too. */
  #guard(standIn: Stand, open: number): void {
    const { connections } = this.#parts;
    standIn.bound(Math.max(STAND_IN_MIN, this.#share, connections - Math.max(0, open - standIn.count())));
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
    this.#starting = standIn(Math.max(STAND_IN_MIN, this.#share))
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

  /** If it fails, the next check tries again. */
  #open(): void {
    this.#leave = this.#parts.open();
    if (this.#leave !== undefined) this.#hold();
  }

  #hold(): void {
    try {
      while (this.#held.length < this.#heldCount) this.#held.push(openSync('/dev/null', 'r'));
    } catch {
      // No descriptors are left; there will be some when the gate opens next time.
    }
  }
}
