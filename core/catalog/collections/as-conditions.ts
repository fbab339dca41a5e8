// Collections with a condition have no stored members: where a condition asks for such a collection, it asks for what the condition passes.
import type { Reads } from '../../store/db.js';
import { type AppSeriesField, SERIES_FIELDS } from '../conditions/fields.js';
import { parseCondition, STORED } from '../conditions/parse.js';
import { type Condition, opposite } from '../conditions/tree.js';

const idsIn = (condition: Condition<AppSeriesField>): readonly string[] => {
  if ('allOf' in condition) return condition.allOf.flatMap(idsIn);
  if ('anyOf' in condition) return condition.anyOf.flatMap(idsIn);
  const { field, test } = condition;
  return field === 'collectionId' && test.kind === 'ids' ? test.values : [];
};

type Stored = ReadonlyMap<string, Condition<AppSeriesField>>;

const replaced = (condition: Condition<AppSeriesField>, stored: Stored): Condition<AppSeriesField> => {
  if ('allOf' in condition) return { allOf: condition.allOf.map((part) => replaced(part, stored)) };
  if ('anyOf' in condition) return { anyOf: condition.anyOf.map((part) => replaced(part, stored)) };
  const { field, test, negated } = condition;
  if (field !== 'collectionId' || test.kind !== 'ids') return condition;
  const found = test.values.flatMap((id) => stored.get(id.replaceAll('-', '')) ?? []);
  if (found.length === 0) return condition;
  const any: Condition<AppSeriesField> = { anyOf: [{ field, test, negated: false }, ...found] };
  return negated ? opposite(any) : any;
};

/** The same condition, if it asks for no such collection. */
export const withAutomatic = async (
  db: Reads,
  condition: Condition<AppSeriesField>,
): Promise<Condition<AppSeriesField>> => {
  const ids = idsIn(condition);
  if (ids.length === 0) return condition;
  const rows = await db.all<{ hex: string; condition: string }>(
    `SELECT lower(hex(l.uuid)) AS hex, l.condition FROM json_each(?) j CROSS JOIN collection l ON l.uuid = unhex(j.value)
     WHERE l.condition IS NOT NULL`,
    [JSON.stringify(ids.map((id) => id.replaceAll('-', '')))],
  );
  const stored = rows.map(
    (row) => [row.hex, parseCondition(JSON.parse(row.condition), SERIES_FIELDS, STORED)] as const,
  );
  return replaced(condition, new Map(stored));
};
