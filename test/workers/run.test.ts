// The runner of jobs: order, checks, closing, and what an incomplete job is told.

import { fileURLToPath } from 'node:url';
import { AppError } from '../../core/model/errors.js';
import { CONTROL, CONTROL_BYTES, type StepTime } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { openBookFile } from '../../workers/book-file.js';
import { metered } from '../../workers/metered-file.js';
import { type Control, runJob } from '../../workers/run.js';
import { defineJob, type Run, step } from '../../workers/step.js';
import { assert, block, thrownBy } from '../kit.js';

const control = (cancelled = 0, deadlineMs = monotonicMs() + 10_000, isPatient = false): Control => {
  const shared = new SharedArrayBuffer(CONTROL_BYTES);
  new Int32Array(shared)[CONTROL.cancel] = cancelled;
  return { control: shared, deadlineMs, isPatient };
};

/** A step that registers something to close, then does what it is told. */
const closing = (name: string, log: string[], act: (run: Run) => void = () => undefined) =>
  step({
    name,
    needs: ['path'],
    gives: [],
    run: (_bag, run) => {
      run.onClose(() => log.push(`close ${name}`));
      log.push(name);
      act(run);
      return {};
    },
  });

const job = (steps: readonly ReturnType<typeof closing>[]) =>
  defineJob({ name: 'test', starts: ['path'], start: (path: string) => ({ path }), steps, finish: ({ path }) => path });

block('runner', (check) => {
  check('compiled code never gets more time than the image library takes, and always some', async () => {
    const left: number[] = [];
    for (const deadlineMs of [monotonicMs() + 10 * 3_600_000, monotonicMs() + 100]) {
      const one = closing('one', [], (run) => left.push(run.secondsLeft()));
      await runJob(job([one]), 'in', control(0, deadlineMs), []);
    }
    assert.equal(left, [3600, 1]);
  });
  check('the time in which a job waited for memory does not count towards its deadline', async () => {
    const late = control(0, monotonicMs() - 1000);
    const timeout = (await thrownBy(() => runJob(job([closing('one', [])]), 'in', late, []))) as AppError;
    assert.is(timeout.kind, 'Timeout');
    new Int32Array(late.control)[CONTROL.waitedMs] = 60_000;
    assert.is(await runJob(job([closing('one', [], (run) => run.check())]), 'in', late, []), 'in');
  });
  check('a step that needs what no step provides is refused when the job is defined', async () => {
    const greedy = step({ name: 'greedy', needs: ['image'], gives: [], run: () => ({}) });
    assert.match(
      String(await thrownBy(() => job([greedy]))),
      /job test: step greedy needs image, which no earlier step provides/,
    );
  });
  check('steps run in order, are timed, and what they opened is closed in reverse order', async () => {
    const log: string[] = [];
    const times: StepTime[] = [];
    assert.is(await runJob(job([closing('a', log), closing('b', log)]), 'in', control(), times), 'in');
    assert.equal(
      [log, times.map((time) => time.step)],
      [
        ['a', 'b', 'close b', 'close a'],
        ['a', 'b'],
      ],
    );
  });
  check('a failing step is named, nothing runs after it, and all is closed', async () => {
    const log: string[] = [];
    const fail = closing('bad', log, () => {
      throw new TypeError('unforeseen');
    });
    assert.match(
      String(await thrownBy(() => runJob(job([closing('a', log), fail, closing('never', log)]), 'in', control(), []))),
      /step bad failed: TypeError: unforeseen/,
    );
    assert.equal(log, ['a', 'bad', 'close bad', 'close a']);
  });
  for (const [fact, given, kind] of [
    ['a job told to stop', control(1), 'Cancelled'],
    ['a job past its deadline', control(0, monotonicMs() - 1), 'Timeout'],
  ] as const) {
    check(`${fact} does not begin its next step`, async () => {
      const log: string[] = [];
      const thrown = await thrownBy(() => runJob(job([closing('a', log)]), 'in', given, []));
      assert.equal([thrown instanceof AppError && thrown.kind, log], [kind, []]);
    });
  }
  check('a job without a waiting caller gets the time that reading takes, another does not', async () => {
    const steps = (allowed: number) => [
      closing('wait', [], (run) => {
        run.allow(allowed);
        while (monotonicMs() <= deadlineMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        run.check();
      }),
    ];
    let deadlineMs = monotonicMs() + 50;
    assert.is(await runJob(job(steps(1e9)), 'in', control(0, deadlineMs, true), []), 'in');
    for (const [allowed, isPatient] of [
      [0, true],
      [1e9, false],
    ] as const) {
      deadlineMs = monotonicMs() + 50;
      const thrown = await thrownBy(() => runJob(job(steps(allowed)), 'in', control(0, deadlineMs, isPatient), []));
      assert.ok(thrown instanceof AppError && thrown.kind === 'Timeout', String(thrown));
    }
  });
  check('reads that wait together count once', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const inner = openBookFile(fileURLToPath(import.meta.url));
    const later = async (target: Uint8Array): Promise<number> => answered.then(() => target.length);
    let advanced = 0;
    const advance = (): void => {
      advanced += 1;
    };
    const file = metered({ ...inner, readLater: later }, { advance, allow: () => undefined });
    const started = performance.now();
    const reads = Array.from({ length: 50 }, () => file.readLater(Buffer.alloc(100), 0));
    while (performance.now() - started < 20) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    answer();
    await Promise.all(reads);
    const { bytes, ms } = file.reading();
    const passed = performance.now() - started;
    file.close();
    assert.equal([bytes, advanced, ms >= 20 && ms <= passed], [5000, 50, true], `${ms} of ${passed} ms`);
  });
  check('reading a file counts as progress', () => {
    let steps = 0;
    let allowed = 0;
    const path = fileURLToPath(import.meta.url);
    const file = metered(openBookFile(path), {
      advance: () => {
        steps += 1;
      },
      allow: (bytes) => {
        allowed += bytes;
      },
    });
    file.read(0, 10);
    file.readInto(Buffer.alloc(10), 0);
    file.readInto(Buffer.alloc(10), file.size);
    file.close();
    assert.equal([steps, allowed], [2, file.size]);
  });
});
