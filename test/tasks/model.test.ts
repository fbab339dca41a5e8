// The task runner against a plain model: tasks are added, end, fail and are cancelled at random, while the server stops, starts and
// crashes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import { type Db, openDb } from '../../core/store/db.js';
import { migrate } from '../../core/store/migrate.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import type { TaskContext, TaskState } from '../../core/tasks/task.js';
import { STARTS_MAX, taskById } from '../../core/tasks/task-rows.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const LANES = { narrow: 1, wide: 2 } as const;
const TYPES: Readonly<Record<string, keyof typeof LANES>> = { scan: 'narrow', remove: 'narrow', analyse: 'wide' };

/** Pseudo-random numbers, the same in every run. */
const randomOf = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

interface Expected {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly priority: number;
  readonly order: number;
  state: TaskState;
  starts: number;
  checkpoint: unknown;
  result: unknown;
  isAgain: boolean;
}

/** A task function that runs until the test ends it. */
interface Live {
  readonly context: TaskContext;
  finish(result: unknown): void;
  fail(thrown: unknown): void;
}

const TARGETS = Array.from({ length: 3 }, () => uuidOfHex(newId(1)));

class World {
  readonly #db: Db;
  readonly #random: (below: number) => number;
  readonly expected: Expected[] = [];
  live = new Map<string, Live>();
  faults: unknown[] = [];
  #runner: TaskRunner;
  #process = { isDead: false };

  constructor(db: Db, random: (below: number) => number) {
    this.#db = db;
    this.#random = random;
    this.#runner = this.#newRunner();
  }

  get runner(): TaskRunner {
    return this.#runner;
  }

  start(): void {
    this.#runner.start();
  }

  /** The runner of a process: once the process is dead, nothing it does reaches the database. */
  #newRunner(): TaskRunner {
    const process = { isDead: false };
    this.#process = process;
    const live = new Map<string, Live>();
    this.live = live;
    const db: Db = {
      ...this.#db,
      write: (by, lane, body) => (process.isDead ? new Promise(() => undefined) : this.#db.write(by, lane, body)),
    };
    const runner = new TaskRunner({
      db,
      clock: { now: () => 1000, elapsed: () => 1000 },
      lanes: LANES,
      onFault: (thrown) => this.faults.push(thrown),
    });
    for (const [type, lane] of Object.entries(TYPES)) {
      runner.register(type, {
        lane,
        run: (context) =>
          new Promise((finish, fail) => {
            live.set(context.id, { context, finish, fail });
            context.signal.addEventListener('abort', () => fail(new AppError('Cancelled')));
          }).finally(() => live.delete(context.id)),
      });
    }
    return runner;
  }

  /** Starts the next tasks, as far as lanes have room. */
  settle(): void {
    for (;;) {
      const room = (lane: keyof typeof LANES): boolean =>
        this.expected.filter(({ state, type }) => state === 'running' && TYPES[type] === lane).length < LANES[lane];
      const [next] = this.expected
        .filter(({ state, type }) => state === 'pending' && room(TYPES[type] ?? 'narrow'))
        .sort((a, b) => b.priority - a.priority || a.order - b.order);
      if (next === undefined) return;
      next.state = 'running';
      next.starts += 1;
    }
  }

  some(...states: readonly TaskState[]): Expected | undefined {
    const all = this.expected.filter(({ state }) => states.includes(state));
    return all[this.#random(all.length)];
  }

  liveOf({ id }: Expected): Live {
    const one = this.live.get(id);
    if (one === undefined) throw new Error(`the task ${id} is not running`);
    return one;
  }

  /** A task told to end no longer runs, even when the same task is run once more. */
  take(one: Expected): Live {
    const live = this.liveOf(one);
    this.live.delete(one.id);
    return live;
  }

  async enqueue(): Promise<void> {
    const type = Object.keys(TYPES)[this.#random(3)] ?? 'scan';
    const at = this.#random(4);
    const target = TARGETS[at] === undefined ? null : ({ kind: 'library', id: TARGETS[at] } as const);
    const parameters = { n: this.#random(2) };
    const priority = this.#random(3);
    const name = `${type} ${at} ${parameters.n}`;
    const open = this.expected.find((one) => one.name === name && ['pending', 'running'].includes(one.state));
    const id = await this.#runner.enqueue(type, target, parameters, { priority });
    if (open !== undefined) {
      assert.is(id, open.id);
      open.isAgain = open.state === 'running';
    } else {
      assert.not(this.expected.some((one) => one.id === id));
      const order = this.expected.length;
      const fresh = { starts: 0, checkpoint: null, result: null, isAgain: false };
      this.expected.push({ id, name, type, priority, order, state: 'pending', ...fresh });
    }
  }

  #end(one: Expected, state: TaskState): void {
    const isAgain = one.isAgain && state !== 'cancelled';
    one.state = isAgain ? 'pending' : state;
    if (isAgain && state === 'completed') one.checkpoint = null;
    if (one.state !== 'completed') one.result = null;
    one.isAgain = false;
    one.starts = one.state === 'pending' ? Math.max(0, one.starts - 1) : Math.max(1, one.starts);
  }

  finish(): void {
    const one = this.some('running');
    if (one === undefined) return;
    one.result = { n: this.#random(100) };
    this.take(one).finish(one.result);
    this.#end(one, 'completed');
  }

  fail(): void {
    const one = this.some('running');
    if (one === undefined) return;
    this.take(one).fail(new AppError('FileUnreadable'));
    this.#end(one, 'failed');
  }

  async checkpoint(): Promise<void> {
    const one = this.some('running');
    if (one === undefined) return;
    const checkpoint = { at: this.#random(3) };
    if (JSON.stringify(one.checkpoint) !== JSON.stringify(checkpoint)) one.starts = 0;
    one.checkpoint = checkpoint;
    await this.liveOf(one).context.checkpoint(one.checkpoint);
  }

  async cancel(): Promise<void> {
    const one = this.some('pending', 'running');
    if (one === undefined) return;
    await this.#runner.cancel(one.id);
    if (one.state === 'pending') one.state = 'cancelled';
    else this.#end(one, 'cancelled');
  }

  async restart(): Promise<void> {
    await this.#runner.stop();
    assert.is(this.live.size, 0, 'a stopped runner runs nothing');
    for (const one of this.expected) if (one.state === 'running') this.#end(one, 'pending');
    this.#runner = this.#newRunner();
    this.#runner.start();
  }

  async crash(): Promise<void> {
    this.#process.isDead = true;
    for (const one of this.expected) {
      one.isAgain = false;
      if (one.state === 'running') one.state = one.starts >= STARTS_MAX ? 'failed' : 'pending';
    }
    this.#runner = this.#newRunner();
    this.#runner.start();
  }

  async check(): Promise<void> {
    this.settle();
    const running = this.expected.filter(({ state }) => state === 'running');
    const names = (): string => [...this.live.keys()].sort().join();
    const wanted = running
      .map(({ id }) => id)
      .sort()
      .join();
    await until('what should run runs, and nothing else', () => names() === wanted);
    const differs = async (): Promise<string[]> => {
      const wrong: string[] = [];
      for (const { id, name, state, starts, checkpoint, result } of this.expected) {
        const task = await taskById(this.#db, id);
        const [is, should] = [
          [task.state, task.starts, task.checkpoint, task.result],
          [state, starts, checkpoint, result],
        ].map((one) => JSON.stringify(one));
        if (is !== should) wrong.push(`${name} ${id}: ${is}, not ${should}`);
      }
      return wrong;
    };
    let wrong: string[] = [];
    await until('the rows say so', async () => {
      wrong = await differs();
      return wrong.length === 0;
    }).catch((thrown: unknown) => {
      throw new Error(wrong.join('\n'), { cause: thrown });
    });
    for (const one of running) assert.equal(this.liveOf(one).context.reached(), one.checkpoint);
  }
}

const STEPS = 150;

const tryOut = async (seed: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-tasks-'));
  const path = join(folder, 'longbox.db');
  await migrate(path, folder);
  const db = await openDb({ path, readers: 1, readDeadlineMs: 10_000, queueLength: 100 });
  try {
    const random = randomOf(seed);
    const world = new World(db, random);
    world.start();
    const steps: readonly (readonly [number, () => void | Promise<void>])[] = [
      [8, () => world.enqueue()],
      [4, () => world.finish()],
      [1, () => world.fail()],
      [2, () => world.checkpoint()],
      [2, () => world.cancel()],
      [1, () => world.restart()],
      [2, () => world.crash()],
    ];
    const choice = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
    for (let n = 0; n < STEPS; n += 1) {
      await choice[random(choice.length)]?.();
      await world.check();
    }
    await world.runner.stop();
    assert.equal(world.faults, []);
    const states = new Set(world.expected.map(({ state }) => state));
    for (const state of ['completed', 'failed', 'cancelled'] as const) assert.ok(states.has(state), state);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

block('tasks against a model', (check) => {
  for (const seed of [1, 2, 3]) check(`random work, stops and crashes, seed ${seed}`, () => tryOut(seed));
});
