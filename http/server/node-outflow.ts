// The part of a reply over node:http that has been handed over: when the socket takes more, and who reads slowly.
import type { ServerResponse } from 'node:http';
import { AppError } from '../../core/model/errors.js';
import type { Flow, Meter } from './flow.js';
import type { NodeExchange } from './node-request.js';
import type { Readers } from './slow-readers.js';

/** True while the socket takes no more. Checked now, not by the result of `write`: it may have drained since. */
export const isWaited = (response: ServerResponse): boolean => response.destroyed || response.writableNeedDrain;

/** Resolves when the socket takes more; rejects when it closes, or has already closed. */
export const drained = ({ message, response }: NodeExchange): Promise<void> =>
  new Promise((resolve, reject) => {
    const { socket } = message;
    if (response.destroyed || socket.destroyed) {
      reject(new AppError('Cancelled'));
      return;
    }
    const done = (act: () => void) => (): void => {
      response.off('drain', onDrain);
      socket.off('close', onClose);
      act();
    };
    const onDrain = done(resolve);
    const onClose = done(() => reject(new AppError('Cancelled')));
    response.on('drain', onDrain);
    socket.on('close', onClose);
  });

/**
 * Bytes that the system has not taken. node:http counts a piece as held until all of it is gone, and a page is one piece: by that count a
 * slow but steady reader of a page takes nothing. What libuv still holds of it is exact, as pieces are written one at a time.
 */
const heldFor = ({ writableLength, socket }: ServerResponse): number => {
  const handle = (socket as { readonly _handle?: { readonly writeQueueSize?: number } | null } | null)?._handle;
  return Math.min(writableLength, handle?.writeQueueSize ?? writableLength);
};

/** Counts a reader as slow from the first piece that its socket did not take at once until the reply is over. */
export class Outflow {
  readonly #response: ServerResponse;
  readonly #readers: Readers;
  readonly #meter: Meter;
  readonly #held: Uint8Array | null;
  #written = 0;
  #isWatched = false;

  constructor(response: ServerResponse, { readers, meter }: Pick<Flow, 'readers' | 'meter'>, held: Uint8Array | null) {
    this.#response = response;
    this.#readers = readers;
    this.#meter = meter;
    this.#held = held;
  }

  /** `taken` is called when the system has the whole piece; never if the connection ends first. */
  write(piece: Uint8Array, taken?: () => void): void {
    if (this.#response.destroyed) return; // it would report the write as an error
    this.#response.write(piece, (error) => {
      if (!error) taken?.();
    });
    this.note(piece.byteLength);
  }

  end(piece: Uint8Array): void {
    this.#response.end(piece);
    this.note(piece.byteLength);
  }

  /** So many bytes were handed over. */
  note(bytes: number): void {
    this.#written += bytes;
    this.#meter.sentBytes += bytes;
    const response = this.#response;
    if (this.#isWatched || response.writableLength === 0) return;
    this.#isWatched = true;
    const reader = {
      bytes: this.#held,
      taken: () => this.#written - heldFor(response),
      close: () => void response.destroy(),
    };
    response.once('close', () => this.#readers.remove(reader));
    this.#readers.add(reader);
  }
}
