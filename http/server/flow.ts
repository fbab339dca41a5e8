// What all replies of one server share, also with the server that stands in for it.
import type { ListenOptions } from './adapter.js';
import { FairQueue } from './fair-queue.js';
import { LiveStreams } from './live-streams.js';
import { Readers } from './slow-readers.js';

export interface Flow extends Pick<ListenOptions, 'handlerMs' | 'refuse' | 'onFault'> {
  readonly readers: Readers;
  readonly queue: FairQueue;
  readonly live: LiveStreams;
  readonly meter: Meter;
}

/** What was sent since the start. */
export interface Meter {
  /** Bytes of bodies that the system has taken, or that were handed over to node:http. */
  sentBytes: number;
}

export const createFlow = ({ bounds, handlerMs, refuse, onFault }: ListenOptions): Flow => {
  const queue = new FairQueue(onFault);
  return {
    readers: new Readers(bounds.answersBytes, bounds.slowMs, queue),
    queue,
    live: new LiveStreams(),
    meter: { sentBytes: 0 },
    handlerMs,
    refuse,
    onFault,
  };
};
