// Work that callers share.
import { SingleFlight } from '../../core/engine/single-flight.js';
import type { Urgency } from '../../core/engine/urgency.js';
import { AppError } from '../../core/model/errors.js';
import { assert, block, thrownBy } from '../kit.js';

const isCancelled = (thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === 'Cancelled';

block('single flight', (check) => {
  check('a caller who has already left starts nothing', async () => {
    const flights = new SingleFlight();
    let started = 0;
    const start = (): Promise<void> => {
      started += 1;
      return new Promise(() => undefined);
    };
    assert.ok(isCancelled(await thrownBy(() => flights.join('k', AbortSignal.abort(), start))));
    assert.equal([started, flights.has('k')], [0, false]);
  });
  check("a caller who has already left does not keep others' work going", async () => {
    const flights = new SingleFlight();
    const only = new AbortController();
    let told: AbortSignal | undefined;
    const start = (signal: AbortSignal): Promise<void> => {
      told = signal;
      return new Promise(() => undefined);
    };
    const waiting = flights.join('k', only.signal, start);
    assert.ok(isCancelled(await thrownBy(() => flights.join('k', AbortSignal.abort(), start))));
    only.abort();
    assert.ok(isCancelled(await thrownBy(() => waiting)));
    assert.is(told?.aborted, true);
  });
  check('callers share one piece of work, and it is cancelled when the last of them leaves', async () => {
    const flights = new SingleFlight();
    const [first, second] = [new AbortController(), new AbortController()];
    let started = 0;
    let told: AbortSignal | undefined;
    const start = (signal: AbortSignal): Promise<void> => {
      started += 1;
      told = signal;
      return new Promise(() => undefined);
    };
    const both = [first, second].map(({ signal }) => flights.join('k', signal, start));
    first.abort();
    assert.ok(isCancelled(await thrownBy(() => both[0])));
    assert.is(told?.aborted, false);
    second.abort();
    assert.ok(isCancelled(await thrownBy(() => both[1])));
    assert.equal([started, told?.aborted, flights.has('k')], [1, true, false]);
  });
  check(
    'what was begun for nobody goes on by itself; once somebody has joined it, it ends with the last who leaves',
    async () => {
      const flights = new SingleFlight();
      const told = new Map<string, AbortSignal>();
      const begin = (key: string): Promise<void> =>
        flights.begin(key, (signal) => {
          told.set(key, signal);
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new AppError('Cancelled')));
          });
        });
      const [left] = [begin('left'), begin('alone')];
      const reader = new AbortController();
      const waiting = flights.join('left', reader.signal, () => Promise.reject(new Error('it was begun')));
      assert.is(told.get('left')?.aborted, false);
      reader.abort();
      assert.ok(isCancelled(await thrownBy(() => waiting)));
      await left;
      assert.equal([told.get('left')?.aborted, told.get('alone')?.aborted], [true, false]);
      assert.equal([flights.has('left'), flights.has('alone')], [false, true]);
    },
  );
  check('who begins to wait makes all work urgent whose key begins like that', () => {
    const flights = new SingleFlight();
    const told = new Map<string, Urgency>();
    for (const key of ['page/1/a', 'page/1/b', 'page/10/a'])
      void flights.begin(key, (_, urgency) => {
        told.set(key, urgency);
        return new Promise(() => undefined);
      });
    flights.raise('page/1/', 7);
    assert.equal(
      [...told].map(([key, { user }]) => [key, user]),
      [
        ['page/1/a', 7],
        ['page/1/b', 7],
        ['page/10/a', undefined],
      ],
    );
  });
});
