// How many connections uWebSockets.js takes. This build tells of no connection before its first request and can close none of them, so at the
// bound the server stops listening until there is room: connections that are open go on, those that send nothing are closed by the engine
// after ten seconds, and new ones are refused by the system at once.
import { closeSync, openSync } from 'node:fs';
import { descriptorLimit, openDescriptors } from './descriptors.js';
import type { ListenSocket, Uws, UwsApp } from './uws-binary.js';

const LOOK_EVERY_MS = 200;
/** Listening begins again when this share of the bound is in use. */
const REOPEN_AT = 0.9;
/** Descriptors held for the moment in which connections have taken all others between two looks. */
const HELD = 96;
/** Above this many times the bound, no burst between two looks comes near the limit of the system. */
const SAFE_FACTOR = 8;

interface GateParts {
  readonly uws: Uws;
  readonly app: UwsApp;
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly onCrowded: (sentence: string) => void;
}

export class Gate {
  readonly #parts: GateParts;
  readonly #others: number;
  readonly #heldCount: number;
  #socket: ListenSocket | null;
  #held: number[] = [];
  #timer: NodeJS.Timeout | null;

  /** Takes over a socket that listens. */
  constructor(parts: GateParts, socket: ListenSocket) {
    this.#parts = parts;
    this.#socket = socket;
    this.#heldCount = descriptorLimit() < parts.connections * SAFE_FACTOR ? HELD : 0;
    this.#others = openDescriptors();
    this.#hold();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#shut();
  }

  #look(): void {
    const open = openDescriptors() - this.#others - this.#held.length;
    const { connections, onCrowded } = this.#parts;
    if (this.#socket !== null && open >= connections) {
      this.#shut();
      onCrowded(`${open} connections are open; new ones are refused until there are fewer (http.connections)`);
    } else if (this.#socket === null && open < connections * REOPEN_AT) this.#open();
  }

  #shut(): void {
    if (this.#socket !== null) this.#parts.uws.us_listen_socket_close(this.#socket);
    this.#socket = null;
    for (const fd of this.#held) closeSync(fd);
    this.#held = [];
  }

  /** Another program may have taken the port meanwhile: the next look tries again. */
  #open(): void {
    const { app, host, port } = this.#parts;
    app.listen(host, port, (socket) => {
      if (socket === false) return;
      if (this.#timer === null) {
        this.#parts.uws.us_listen_socket_close(socket);
        return;
      }
      this.#socket = socket;
      this.#hold();
    });
  }

  #hold(): void {
    try {
      while (this.#held.length < this.#heldCount) this.#held.push(openSync('/dev/null', 'r'));
    } catch {
      // None are left: the next time the gate opens there will be.
    }
  }
}
