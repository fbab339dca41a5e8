// Warming up: one step after the other, only in quiet moments, once for each wake, and never a reason to fail.
import { type Step, WarmUp, type WarmUpOptions } from '../../core/engine/warm-up.js';
import { AppError } from '../../core/model/errors.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const asleep = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new AppError('Cancelled')));
  });

interface Made {
  readonly warmUp: WarmUp;
  readonly ran: string[];
  readonly faults: unknown[];
}

const made = (steps: Readonly<Record<string, Step>>, options: Partial<WarmUpOptions> = {}): Made => {
  const [ran, faults]: [string[], unknown[]] = [[], []];
  const quietMs = (): number => Number.POSITIVE_INFINITY;
  const warmUp = new WarmUp({ quietMs, onFault: (thrown) => faults.push(thrown), pauseMs: 1, ...options });
  warmUp.steps = () =>
    Promise.resolve(
      Object.entries(steps).map(
        ([name, step]): Step =>
          (signal) => {
            ran.push(name);
            return step(signal);
          },
      ),
    );
  return { warmUp, ran, faults };
};

const fine: Step = () => Promise.resolve();
const failing: Step = () => Promise.reject(new Error('unreadable'));
const refused: Step = () => Promise.reject(new AppError('Cancelled'));

block('warming up', (check) => {
  check('an error is reported once, ends that warm-up, and is reported again only after one without', async () => {
    let isBroken = true;
    const { warmUp, ran, faults } = made({ one: (signal) => (isBroken ? failing : fine)(signal), two: fine });
    const warm = (): Promise<void> => {
      warmUp.wake();
      return warmUp.done();
    };
    await warm();
    await warm();
    assert.equal(ran, ['one', 'one']);
    assert.is(faults.length, 1);
    isBroken = false;
    await warm();
    isBroken = true;
    await warm();
    assert.is(faults.length, 2);
  });
  check('steps that cannot even be listed are a fault like others', async () => {
    const { warmUp, faults } = made({});
    warmUp.steps = () => Promise.reject(new Error('unreadable'));
    warmUp.wake();
    await warmUp.done();
    assert.is(faults.length, 1);
  });
  check('a step that gave way is left out, and no fault', async () => {
    const { warmUp, ran, faults } = made({ one: refused, two: fine });
    warmUp.wake();
    await warmUp.done();
    assert.equal(ran, ['one', 'two']);
    assert.equal(faults, []);
  });
  check('a stop ends the step that runs, and nothing runs afterwards', async () => {
    const { warmUp, ran, faults } = made({ one: asleep, two: fine });
    warmUp.wake();
    await until('the first step runs', () => ran.length === 1);
    await warmUp.stop();
    warmUp.wake();
    await warmUp.done();
    assert.equal(ran, ['one']);
    assert.equal(faults, []);
  });
  check('what takes too long is left to the requests', async () => {
    const { warmUp, ran, faults } = made({ one: asleep, two: fine }, { longestMs: 400 });
    warmUp.wake();
    await warmUp.done();
    assert.equal(ran, ['one']);
    assert.equal(faults, []);
  });
  check('nothing runs while lists are being read, and the rest follows when it is quiet', async () => {
    let [quietMs, looks] = [0, 0];
    const { warmUp, ran } = made(
      { one: fine, two: fine },
      {
        quietMs: () => {
          looks += 1;
          return quietMs;
        },
      },
    );
    warmUp.wake();
    await until('it has looked more than once', () => looks > 2);
    assert.equal(ran, []);
    quietMs = 1e9;
    await warmUp.done();
    assert.equal(ran, ['one', 'two']);
  });
  check('steps run one after the other, once for each wake; wakes during a warm-up count as one', async () => {
    let [open, most] = [0, 0];
    const step: Step = async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
    };
    const first: Step = async (signal) => {
      await step(signal);
      if (ran.length === 1) {
        warmUp.wake();
        warmUp.wake();
      }
    };
    const { warmUp, ran } = made({ one: first, two: step });
    warmUp.wake();
    await warmUp.done();
    assert.equal(ran, ['one', 'two', 'one', 'two']);
    assert.is(most, 1);
  });
});
