// When memory is freed: after the last thread, and after the last list; never while something runs, and once for each rest.
import { IdleTrimmer } from '../../core/engine/idle-trimmer.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

interface Trimmed {
  readonly trimmer: IdleTrimmer;
  readonly faults: unknown[];
  released: number;
  looks: number;
  isBusy: boolean;
}

const trimmed = (restMs: number): Trimmed => {
  const faults: unknown[] = [];
  const seen = { released: 0, looks: 0, isBusy: false };
  const isBusy = (): boolean => {
    seen.looks += 1;
    return seen.isBusy;
  };
  const release = async (): Promise<void> => {
    seen.released += 1;
  };
  return Object.assign(seen, {
    trimmer: new IdleTrimmer(isBusy, release, (thrown) => faults.push(thrown), restMs),
    faults,
  });
};

block('memory of an idle server', (check) => {
  check(
    'nothing is freed while threads or scans run, though nobody reads lists, but once they have ended',
    async () => {
      const seen = trimmed(1);
      seen.isBusy = true;
      seen.trimmer.listRead();
      await until('it has looked twice', () => seen.looks >= 2);
      assert.is(seen.released, 0);
      seen.isBusy = false;
      await until('it is freed', () => seen.released === 1);
      await seen.trimmer.stop();
    },
  );
  check('a stop waits for a running trim, and no trim starts afterwards', async () => {
    const faults: unknown[] = [];
    let [released, isOpen, hasBegun] = [0, true, false];
    const release = async (): Promise<void> => {
      hasBegun = true;
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (!isOpen) throw new Error('The database is closed.');
      released += 1;
    };
    const trimmer = new IdleTrimmer(
      () => false,
      release,
      (thrown) => faults.push(thrown),
      1,
    );
    trimmer.listRead();
    await until('it begins', () => hasBegun);
    await trimmer.stop();
    isOpen = false;
    trimmer.listRead();
    trimmer.noteFreed();
    // Longer than the delay after the end of a thread.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.equal([released, faults], [1, []]);
  });
  check('what cannot be freed is a fault, and the next rest tries again', async () => {
    const faults: unknown[] = [];
    let released = 0;
    const release = async (): Promise<void> => {
      released += 1;
      throw new Error('unreadable');
    };
    const trimmer = new IdleTrimmer(
      () => false,
      release,
      (thrown) => faults.push(thrown),
      1,
    );
    for (const count of [1, 2]) {
      trimmer.listRead();
      await until('it is told', () => faults.length === count);
    }
    assert.is(released, 2);
  });
  check('lists that end are followed by one trim, and the next ones by another', async () => {
    const seen = trimmed(5);
    for (const count of [1, 2]) {
      for (let list = 0; list < 50; list += 1) seen.trimmer.listRead();
      await until('it is freed', () => seen.released === count);
    }
    assert.is(seen.looks, 2);
    assert.equal(seen.faults, []);
  });
  check('a rest begins with the last list, not with the first', async () => {
    const seen = trimmed(50);
    const endMs = performance.now() + 200;
    let longestMs = 0;
    for (let last = performance.now(); performance.now() < endMs && seen.released === 0; ) {
      seen.trimmer.listRead();
      await new Promise((resolve) => setImmediate(resolve));
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }
    // A machine that stood still for as long as a rest has had one.
    assert.ok(seen.released === 0 || longestMs >= 50);
    await until('it is freed', () => seen.released > 0);
  });
  check('nothing is freed after a stop', async () => {
    const seen = trimmed(1);
    seen.trimmer.listRead();
    await seen.trimmer.stop();
    const other = trimmed(20);
    other.trimmer.listRead();
    await until('a longer rest is over', () => other.released === 1);
    assert.is(seen.looks, 0);
  });
  check('nothing is freed after a stop, though a rest ended after a thread', async () => {
    const seen = trimmed(1);
    seen.trimmer.noteFreed();
    seen.trimmer.listRead();
    await until('the rest is over', () => seen.released === 1);
    await seen.trimmer.stop();
    const other = trimmed(1);
    other.trimmer.noteFreed();
    await until('a later thread is settled', () => other.released === 1);
    assert.is(seen.released, 1);
  });
});
