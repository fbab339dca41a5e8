// Long-lived responses, such as event streams, end when their callers would no longer be authorised.
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

/** The same reply; a long-lived body ends when its caller fails authentication or `permit` refuses them. */
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
