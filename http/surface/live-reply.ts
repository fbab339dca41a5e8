// Long-lived responses, such as event streams, end when their callers would no longer be authorised.
import type { Caller } from '../../core/access/caller.js';
import type { LiveCallers } from '../../core/access/live-callers.js';
import type { Reply, StreamBody } from '../server/adapter.js';

interface Held {
  readonly callers: LiveCallers;
  readonly caller: Caller;
  readonly permit: (now: Caller) => void;
}

/** A stream may end before its caller was checked again, since both follow from the same change. */
async function* held(body: StreamBody, left: AbortSignal, { callers, caller, permit }: Held) {
  const ended = new AbortController();
  const release = callers.hold(caller, permit, () => ended.abort());
  try {
    for await (const piece of body.open(AbortSignal.any([left, ended.signal]))) {
      if (ended.signal.aborted) break;
      yield piece;
    }
    if (body.farewell === undefined || left.aborted) return;
    if (ended.signal.aborted || !(await callers.isLetIn(caller, permit))) yield body.farewell;
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
  const open: StreamBody['open'] = (signal) => held(body, signal, { callers, caller, permit });
  return { ...reply, body: { ...body, open } };
};
