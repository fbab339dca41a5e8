// What all replies of one server share, also with the server that stands in for it.
import type { ListenOptions } from './adapter.js';
import { FairQueue } from './fair-queue.js';
import { LiveStreams } from './live-streams.js';
import { Readers } from './slow-readers.js';

export interface Flow extends Pick<ListenOptions, 'handlerMs' | 'refuse' | 'onFault'> {
  readonly readers: Readers;
  readonly queue: FairQueue;
  readonly live: LiveStreams;
}

export const createFlow = ({ bounds, handlerMs, refuse, onFault }: ListenOptions): Flow => {
  const queue = new FairQueue(onFault);
  return {
    readers: new Readers(bounds.answersBytes, bounds.slowMs, queue),
    queue,
    live: new LiveStreams(),
    handlerMs,
    refuse,
    onFault,
  };
};
