// The turns that streams take among other clients: a long one goes on after answers that begin, a live one among them.
import type { ListenOptions } from '../../http/server/adapter.js';
import { createFlow } from '../../http/server/flow.js';
import { type Outlet, Streaming } from '../../http/server/streams.js';
import { assert, block } from '../kit.js';

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

const optionsFor = (onFault: (thrown: unknown) => void): ListenOptions =>
  ({ bounds: { answersBytes: 1e6, slowMs: 30_000 }, handlerMs: 10_000, onFault }) as ListenOptions;

/** What happens in which order while two crowds, A and B, begin one answer after the other, each of which takes a whole turn. */
const orderOf = async (isLive: boolean): Promise<string> => {
  const faults: unknown[] = [];
  const flow = createFlow(optionsFor((thrown) => faults.push(thrown)));
  const order: string[] = [];
  let isOver = false;
  const crowd = (name: string, address: string) => {
    const begin = (): void => {
      order.push(name);
      busy(10);
      if (!isOver) flow.queue.later(address, 'start', begin);
    };
    flow.queue.later(address, 'start', begin);
  };
  crowd('A', '10.0.0.1');
  crowd('B', '10.0.0.2');
  const outlet: Outlet = {
    peer: '10.0.0.3',
    path: '/',
    head: () => undefined,
    write: (piece) => {
      order.push(String(piece));
      return true;
    },
    whenWritable: (resume) => resume(),
    end: () => {
      isOver = true;
    },
    cut: () => undefined,
    refuse: () => undefined,
  };
  const open = async function* (): AsyncGenerator<string> {
    yield* ['1', '2', '3'];
  };
  new Streaming({ kind: 'stream', isLive, open }, outlet, flow).start();
  for (let turn = 0; turn < 1000 && !isOver; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(faults, []);
  return order.slice(0, order.indexOf('3')).join('');
};

block('turns of streams', (check) => {
  check('begin among other answers, and continue with one piece a turn', async () => {
    assert.is(await orderOf(false), 'AB1AB2A');
  });

  check('come among answers that begin, as long as they are live', async () => {
    assert.is(await orderOf(true), 'AB1ABA2BAB');
  });
});
