// After an update, recomputes what older rules stored, using rows alone. One task per rule, in batches of row keys; the last key is the
// checkpoint, so a restart continues there. If the file is needed, its book is marked as due, and the task ends by having those books
// analysed.

import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { STORED_RULES, type StoredRule } from '../model/stored-rules.js';
import type { Db, Tx } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { noteRecomputed, outdatedRules } from '../store/stored-rules.js';
import type { TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskParameters } from '../tasks/task.js';
import { REMAKES, type Remake } from './remake-rows.js';
import type { AnalysisRequests } from './requests.js';

export const RULE_LANE = 'rules';
const APPLY_RULE = 'apply_rule';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tasks: TaskRunner;
  readonly analyses: AnalysisRequests;
  readonly onNote: (sentence: string) => void;
}

const RULES = Object.keys(REMAKES) as readonly StoredRule[];

const parametersOf = (rule: StoredRule): TaskParameters => ({ rule, number: STORED_RULES[rule] });

/** Undefined if the task is for a number other than the current one: a later update has created a task of its own. */
const ruleIn = ({ rule, number }: TaskParameters): StoredRule | undefined =>
  RULES.find((one) => one === rule && STORED_RULES[one] === number);

/** The first or last row key of any of these tables beyond `after`. */
const keyBeyond = async (
  from: Pick<Db, 'all'> | Tx,
  which: 'min' | 'max',
  of: Remake['of'],
  after: number,
): Promise<number | undefined> => {
  if (of.length === 0) return undefined;
  const each = of.map((table) => `SELECT ${which}(id) AS id FROM ${table} WHERE id > ?1`).join(' UNION ALL ');
  const [row] = await from.all<{ id: number | null }>(`SELECT ${which}(id) AS id FROM (${each})`, [after]);
  return row?.id ?? undefined;
};

export class Remakes {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.tasks.register(APPLY_RULE, { lane: RULE_LANE, run: (context) => this.#run(context) });
  }

  /** Called once the tasks of an earlier process are taken over: creates a task for each rule whose rows are older. */
  async resume(): Promise<void> {
    const { db, tasks, onNote } = this.#parts;
    const outdated = await outdatedRules(db);
    if (outdated.size === 0) return;
    onNote(`recomputing after an update: ${[...outdated].join(', ')}`);
    for (const rule of RULES) if (outdated.has(rule)) await tasks.resume(APPLY_RULE, null, parametersOf(rule));
  }

  async #run({ parameters, signal, progress, ...context }: TaskContext): Promise<void> {
    const { db, analyses, onNote } = this.#parts;
    const rule = ruleIn(parameters);
    if (rule === undefined) return;
    const { of, marksDue, finish }: Remake = REMAKES[rule];
    const last = (await keyBeyond(db, 'max', of, 0)) ?? 0;
    const before = context.reached();
    let reached: number | undefined = typeof before === 'number' ? before : 0;
    while (reached !== undefined) {
      if (signal.aborted) throw new AppError('Cancelled');
      reached = await this.#batch(rule, reached);
      progress(Math.min(reached ?? last, last), last);
      if (reached !== undefined) await context.checkpoint(reached);
    }
    await finish?.(db);
    onNote(`recomputed after the update: ${rule}`);
    if (marksDue === true) await analyses.readMarked();
  }

  /** Returns the key after which the next batch begins; undefined if this was the last one. */
  #batch(rule: StoredRule, after: number): Promise<number | undefined> {
    const { db, clock } = this.#parts;
    const { of, size, run } = REMAKES[rule];
    return db.write(SYSTEM, 'background', async (tx) => {
      const range = { from: after + 1, to: after + size };
      const reached = (await run(tx, range, clock.now())) ?? range.to;
      const next = await keyBeyond(tx, 'min', of, reached);
      if (next === undefined) await noteRecomputed(tx, rule);
      return next === undefined ? undefined : next - 1;
    });
  }
}
