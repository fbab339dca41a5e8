// A budget that callers share: turns of users, and callers who leave.
import { Semaphore } from '../../core/engine/semaphore.js';
import { AppError } from '../../core/model/errors.js';
import { assert, block, thrownBy } from '../kit.js';

/** Work that lasts until it is ended. */
const work = (): { readonly body: () => Promise<void>; readonly end: () => void; readonly begun: Promise<void> } => {
  let [begin, end] = [(): void => undefined, (): void => undefined];
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const body = (): Promise<void> => {
    begin();
    return ended;
  };
  return { body, end: () => end(), begun };
};

block('the semaphore', (check) => {
  check('users take turns', async () => {
    const room = new Semaphore(10, 10);
    const first = work();
    const holding = room.with(10, first.body, { user: 1 });
    const order: string[] = [];
    const noting = (what: string, user: number): Promise<void> =>
      room.with(10, async () => void order.push(what), { user });
    const all = [noting('1a', 1), noting('1b', 1), noting('2', 2)];
    first.end();
    await Promise.all([holding, ...all]);
    assert.equal(order, ['1a', '2', '1b']);
  });
  check('who leaves gives up the place, and those behind it need not wait', async () => {
    const room = new Semaphore(10, 10);
    const first = work();
    const holding = room.with(6, first.body);
    const leaving = new AbortController();
    let hasRun = false;
    const large = room.with(
      8,
      async () => {
        hasRun = true;
      },
      { user: 1, signal: leaving.signal },
    );
    const small = work();
    const behind = room.with(4, small.body, { user: 2 });
    leaving.abort();
    const thrown = await thrownBy(() => large);
    assert.ok(thrown instanceof AppError && thrown.kind === 'Cancelled');
    await small.begun;
    small.end();
    first.end();
    await Promise.all([holding, behind]);
    assert.not.ok(hasRun);
    await room.with(10, async () => undefined);
  });
  check('who has left before takes nothing', async () => {
    const room = new Semaphore(10, 10);
    const asker = { user: 1, signal: AbortSignal.abort() };
    const thrown = await thrownBy(() => room.with(10, async () => undefined, asker));
    assert.ok(thrown instanceof AppError && thrown.kind === 'Cancelled');
    await room.with(10, async () => undefined);
  });
});
