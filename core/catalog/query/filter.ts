// The part of a filter that an index walk can do by itself, apart from the rest: a library or a series, however it was asked for.
import { bytesOfUuid } from '../../model/ids.js';
import type { Db } from '../../store/db.js';
import type { Clause, Condition } from '../conditions/tree.js';
import { isKept } from '../removing.js';
import type { ListScope } from './list-scope.js';

export interface Filter<F extends string> {
  readonly scope: ListScope;
  /** What is left of the condition; undefined when nothing is. */
  readonly rest: Condition<F> | undefined;
}

interface FilterParts {
  readonly db: Db;
  /** Keys of libraries that are being removed: nothing of them is in any list. */
  readonly removing?: ReadonlySet<number>;
}

interface Asked {
  readonly libraryId?: string | undefined;
  readonly seriesId?: string | undefined;
}

const FOUND = {
  library: 'SELECT id FROM library WHERE uuid = ? AND removing = 0',
  series: `SELECT s.id FROM series s WHERE s.uuid = ? AND ${isKept('s')}`,
} as const;

const keyOf = async (db: Db, table: 'library' | 'series', id: string): Promise<number | undefined> => {
  const [row] = await db.all<{ id: number }>(FOUND[table], [bytesOfUuid(id)]);
  return row?.id;
};

/** Groups of one part are that part; a group of nothing that must be met is no condition. */
const bare = <F extends string>(condition: Condition<F>): Condition<F> | undefined => {
  if ('allOf' in condition && condition.allOf.length === 0) return undefined;
  const parts = 'allOf' in condition ? condition.allOf : 'anyOf' in condition ? condition.anyOf : [];
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? bare(only) : condition;
};

const oneId = <F extends string>(condition: Condition<F> | undefined, field: string): string | undefined => {
  if (condition === undefined || !('field' in condition)) return undefined;
  const { test, negated, field: named }: Clause<string> = condition;
  return named === field && !negated && test.kind === 'ids' && test.values.length === 1 ? test.values[0] : undefined;
};

/** Undefined when it names a library or series that does not exist: then nothing matches. */
export const filterOf = async <F extends string>(
  { db, removing }: FilterParts,
  condition: Condition<F>,
  asked: Asked,
): Promise<Filter<F> | undefined> => {
  const whole = bare(condition);
  const libraryId = asked.libraryId ?? oneId(whole, 'libraryId');
  const seriesId = asked.seriesId ?? oneId(whole, 'seriesId');
  const library = libraryId === undefined ? undefined : await keyOf(db, 'library', libraryId);
  const series = seriesId === undefined ? undefined : await keyOf(db, 'series', seriesId);
  if ((libraryId !== undefined && library === undefined) || (seriesId !== undefined && series === undefined))
    return undefined;
  const taken =
    (asked.libraryId === undefined && oneId(whole, 'libraryId') !== undefined) ||
    (asked.seriesId === undefined && oneId(whole, 'seriesId') !== undefined);
  const isNarrow = library !== undefined || series !== undefined;
  const except = isNarrow || removing === undefined || removing.size === 0 ? undefined : [...removing];
  return { scope: { library, series, except }, rest: taken ? undefined : whole };
};
