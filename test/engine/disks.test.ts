// Disks that hang: several at once keep no other from answering, and what was to be closed on one is closed later.
import { closeSync, fstatSync, openSync } from 'node:fs';
import { Disks } from '../../core/engine/disks.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

/** What the smallest machine starts with. */
const THREADS = 12;
const CALLS = 10;

const hang = (): void => undefined;

const isOpen = (fd: number): boolean => {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
};

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

  check('a close that waited when the disk fell silent is made when it answers again', async () => {
    const disks = new Disks(THREADS, 1);
    const disk = disks.of('/dev');
    const answers: (() => void)[] = [];
    for (let n = 0; n < CALLS; n += 1) disk.ask<void>((done) => answers.push(() => done(null))).catch(hang); // they are late
    const fd = openSync('/dev/null', 'r');
    disk.close(fd);
    await until('it is silent', () => disk.isSilent);
    assert.ok(isOpen(fd));
    for (const answer of answers) answer();
    await until('it is closed', () => !isOpen(fd)).catch((thrown: unknown) => {
      closeSync(fd);
      throw thrown;
    });
  });
});
