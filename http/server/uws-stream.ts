// The outlet of a stream over uWebSockets.js, with `write`, which frames chunks and keeps what the socket does not take.
import type { Outlet } from './streams.js';
import type { Exchange } from './uws-exchange.js';

/** `head` writes status and headers; this engine sends them with the first chunk, and cannot send them alone. */
export const streamTo = (exchange: Exchange, { head, refuse }: Pick<Outlet, 'head' | 'refuse'>): Outlet => {
  const { response } = exchange;
  exchange.watch();
  let resume: (() => void) | null = null;
  let start: (() => void) | null = null;
  const begin = (): void => {
    start?.();
    start = null;
  };
  return {
    peer: exchange.remoteAddress,
    path: exchange.path,
    head: () => {
      start = head;
    },
    write: (piece) => {
      let goesOn = false;
      response.cork(() => {
        begin();
        goesOn = response.write(piece);
      });
      return goesOn;
    },
    whenWritable: (act) => {
      const isFirst = resume === null;
      resume = act;
      if (isFirst)
        response.onWritable(() => {
          resume?.();
          return true;
        });
    },
    // Without its second argument, which would write a header into the body.
    end: () => {
      response.cork(() => {
        begin();
        response.end();
      });
      exchange.finish();
    },
    cut: () => exchange.break(),
    refuse,
  };
};
