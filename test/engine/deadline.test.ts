// The deadline of a job, and the time that does not count towards it.
import { setTimeout as delay } from 'node:timers/promises';
import { Deadline } from '../../core/engine/deadline.js';
import { newControl } from '../../core/engine/pool-entry.js';
import { CONTROL } from '../../core/model/jobs.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const begun = (waitedMs: number) => {
  const control = newControl();
  new Int32Array(control)[CONTROL.waitedMs] = waitedMs;
  const deadline = new Deadline({ control, limitMs: 20, isPatient: false, onKill: () => undefined });
  return { deadline, isStopped: () => new Int32Array(control)[CONTROL.cancel] === 1 };
};

block('deadline', (check) => {
  check('a job past its deadline is asked to stop, unless it waited for memory that long', async () => {
    const [plain, waited] = [begun(0), begun(3_600_000)];
    await until('the first one is stopped', () => plain.isStopped());
    await delay(50);
    assert.equal([plain.deadline.hasPassed, waited.deadline.hasPassed, waited.isStopped()], [true, false, false]);
    plain.deadline.clear();
    waited.deadline.clear();
  });
  check('afterwards it has the time that is left', async () => {
    const short = begun(40);
    await until('it is stopped', () => short.isStopped());
    short.deadline.clear();
  });
});
