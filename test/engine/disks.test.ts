// Several disks that hang at once keep no other disk from answering.
import { Disks } from '../../core/engine/disks.js';
import { assert, block } from '../kit.js';

/** What the smallest machine starts with. */
const THREADS = 12;
const CALLS = 10;

const hang = (): void => undefined;

block('disks', (check) => {
  check('two that hang leave calls to a third', async () => {
    const disks = new Disks(THREADS);
    for (const root of ['/first', '/second']) for (let n = 0; n < CALLS; n += 1) disks.of(root).ask(hang).catch(hang); // nobody waits for these
    const answers = Array.from({ length: CALLS }, (_, n) =>
      disks.of('/third').ask<number>((done) => setImmediate(done, null, n)),
    );
    assert.equal(
      await Promise.all(answers),
      Array.from({ length: CALLS }, (_, n) => n),
    );
    assert.ok(disks.running < THREADS - THREADS / 3, 'and one to a fourth');
  });

  check('a single one uses half of all calls', () => {
    const disks = new Disks(THREADS);
    for (let n = 0; n < CALLS; n += 1) disks.of('/only').ask(hang).catch(hang); // nobody waits for these
    assert.is(disks.running, disks.diskMax);
  });
});
