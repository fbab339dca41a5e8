// Answers that go on until their clients leave end earlier when their callers would no longer be let in.
import type { Caller } from '../../core/access/caller.js';
import type { LiveCallers } from '../../core/access/live-callers.js';
import type { Reply, StreamBody } from '../server/adapter.js';

type Hold = (end: () => void) => () => void;

async function* held(body: StreamBody, left: AbortSignal, hold: Hold): AsyncGenerator<Uint8Array | string> {
  const ended = new AbortController();
  const release = hold(() => ended.abort());
  try {
    for await (const piece of body.open(AbortSignal.any([left, ended.signal]))) {
      if (ended.signal.aborted) return;
      yield piece;
    }
  } finally {
    release();
  }
}

/** The same reply; with a body that goes on, one that ends when `permit` refuses its caller or they are not let in any more. */
export const whileLetIn = (
  reply: Reply,
  callers: LiveCallers,
  caller: Caller,
  permit: (now: Caller) => void,
): Reply => {
  const { body } = reply;
  if (body.kind !== 'stream' || !body.isLive) return reply;
  const open: StreamBody['open'] = (signal) => held(body, signal, (end) => callers.hold(caller, permit, end));
  return { ...reply, body: { ...body, open } };
};
