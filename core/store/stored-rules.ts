// Which version of each rule produced the rows, and how far recomputing them has come. Written in the transaction that makes the rows.
import { STORED_RULES, type StoredRule } from '../model/stored-rules.js';
import type { Db, Tx } from './db.js';
import { ASPECTS, updated } from './feed.js';

interface Row {
  readonly name: string;
  readonly number: number;
}

const RULES_CHANGED = updated('server', 'all', ASPECTS.details);

/** Rules whose rows were made by an older version. A database without any rows has nothing that is older. */
export const outdatedRules = async (db: Db): Promise<ReadonlySet<StoredRule>> => {
  const rules = Object.entries(STORED_RULES) as [StoredRule, number][];
  const rows = await db.all<Row>('SELECT name, number FROM stored_rule');
  if (rows.length === 0) {
    await db.write('background', async (tx) => {
      await tx.run('INSERT INTO stored_rule (name, number) SELECT key, value FROM json_each(?)', [
        JSON.stringify(STORED_RULES),
      ]);
      tx.report(RULES_CHANGED);
    });
    return new Set();
  }
  const numbers = new Map(rows.map(({ name, number }) => [name, number]));
  return new Set(rules.filter(([rule, number]) => numbers.get(rule) !== number).map(([rule]) => rule));
};

/** The last row key that was recomputed; 0 when this rule was not begun, or was begun for another version of it. */
export const reachedBy = async (tx: Tx, rule: StoredRule): Promise<number> => {
  const [row] = await tx.all<{ reached: number }>('SELECT reached FROM stored_rule WHERE name = ? AND target = ?', [
    rule,
    STORED_RULES[rule],
  ]);
  return row?.reached ?? 0;
};

/** `number` stays at the old value until all rows are recomputed. */
export const noteReached = async (tx: Tx, rule: StoredRule, reached: number): Promise<void> => {
  await tx.run(
    `INSERT INTO stored_rule (name, number, target, reached) VALUES (?, 1, ?, ?)
     ON CONFLICT (name) DO UPDATE SET target = excluded.target, reached = excluded.reached`,
    [rule, STORED_RULES[rule], reached],
  );
  tx.report(RULES_CHANGED);
};

export const noteMade = async (tx: Tx, rule: StoredRule): Promise<void> => {
  await tx.run('UPDATE stored_rule SET number = target, target = NULL, reached = 0 WHERE name = ?', [rule]);
  tx.report(RULES_CHANGED);
};
