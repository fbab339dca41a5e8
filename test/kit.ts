// The only importer of uvu. Closes its holes: a block always runs, set-up and tear-down failures fail the run, everything is
// counted here and not by the runner, and a fact that hangs fails at its deadline.
import { exec, suite } from 'uvu';
import * as assert from 'uvu/assert';

export { assert };

type Body = () => void | Promise<void>;

interface Hooks {
  /** Runs first, as a fact of its own: when it fails the run fails. */
  readonly before?: Body;
  /** Runs last, as a fact of its own, even when others failed. */
  readonly after?: Body;
  /** Seconds one fact may take; 60 unless told. */
  readonly deadlineS?: number;
}

export interface Check {
  (fact: string, body: Body): void;
  /** Registers a fact that cannot be tried on this machine, with the reason; it is printed and counted. */
  skip(fact: string, reason: string): void;
}

export interface Skipped {
  readonly block: string;
  readonly fact: string;
  readonly reason: string;
}

/** What run-files.ts reads: what was registered while a file was loaded, and how it went. */
export const tally = { blocks: 0, passed: 0, failed: 0, skipped: [] as Skipped[], seconds: new Map<string, number>() };

const counted = (name: string, body: Body, deadlineS: number): Body => {
  return async () => {
    const started = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${deadlineS} s`)), deadlineS * 1000);
    });
    try {
      await Promise.race([body(), late]);
      tally.passed += 1;
    } catch (thrown) {
      tally.failed += 1;
      throw thrown instanceof Error ? thrown : new Error(String(thrown));
    } finally {
      clearTimeout(timer);
      tally.seconds.set(name, (tally.seconds.get(name) ?? 0) + (performance.now() - started) / 1000);
    }
  };
};

/** The longest tests try more in a full run: `.ci/run full` sets LONGBOX_TEST_FULL=1. */
export const IS_FULL = process.env.LONGBOX_TEST_FULL === '1';

/**
 * Deadlines of tests are for hangs alone. On a machine that does other work at the same time LONGBOX_TEST_PATIENCE makes them as many times
 * longer.
 */
export const PATIENCE = Math.max(1, Number(process.env.LONGBOX_TEST_PATIENCE ?? 1));

/** A group of facts. `body` registers them with `check(fact, body)`; the group runs when every file is loaded. */
export const block = (name: string, body: (check: Check) => void, hooks: Hooks = {}): void => {
  tally.blocks += 1;
  const deadlineS = (hooks.deadlineS ?? 60) * PATIENCE;
  const test = suite(name);
  const add = (fact: string, run: Body): void => {
    test(fact, counted(name, run, deadlineS));
  };
  if (hooks.before !== undefined) add('(set-up)', hooks.before);
  const skip = (fact: string, reason: string): void => {
    tally.skipped.push({ block: name, fact, reason });
  };
  body(Object.assign(add, { skip }));
  if (hooks.after !== undefined) add('(tear-down)', hooks.after);
  test.run();
};

/** Runs everything that was registered. */
export const runAll = async (): Promise<void> => {
  await exec(false);
};

/** Runs `body` and returns what it threw; fails when it threw nothing. */
export const thrownBy = async (body: () => unknown): Promise<unknown> => {
  try {
    await body();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('Expected a throw, got none.');
};
