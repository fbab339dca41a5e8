// By which number of each rule the rows were made (core/model/stored-rules.ts).
import { STORED_RULES, type StoredRule } from '../model/stored-rules.js';
import type { Db, Tx } from './db.js';
import { ASPECTS, SYSTEM, updated } from './feed.js';

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
    await db.write(SYSTEM, 'background', async (tx) => {
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

/** All rows are made by the rule of today. */
export const noteRecomputed = async (tx: Tx, rule: StoredRule): Promise<void> => {
  await tx.run('INSERT OR REPLACE INTO stored_rule (name, number) VALUES (?, ?)', [rule, STORED_RULES[rule]]);
  tx.report(RULES_CHANGED);
};
