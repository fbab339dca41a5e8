// Whether a database consists of exactly what our steps create. A trigger, a view or an index too many would be run, and one too few missed,
// by the program and by later steps. The expected schema is that of an empty database, brought to the same version by the same steps.
import { join } from 'node:path';
import { type Reader, withConnection } from '../store/connection.js';
import { migrate, UPGRADE_TABLE } from '../store/migrate.js';
import { MIGRATIONS } from '../store/migrations/index.js';
import type { Step } from '../store/schema-step.js';

interface Part {
  readonly type: string;
  readonly name: string;
  readonly of: string;
  readonly sql: string | null;
}

/** What SQLite adds by itself, for the planner and for AUTOINCREMENT. */
const OF_SQLITE: ReadonlySet<string> = new Set(['sqlite_stat1(tbl,idx,stat)', 'sqlite_sequence(name,seq)']);

/** Without comments, spaces and quotes, which versions of SQLite place differently when they rewrite a statement. */
const plain = (sql: string): string => sql.replaceAll(/--[^\n]*/g, '').replaceAll(/[\s"]+/g, '');

const isOfSqlite = ({ type, name, of, sql }: Part): boolean =>
  type === 'table' && name === of && sql !== null && OF_SQLITE.has(plain(sql).replace(/^CREATETABLE/, ''));

/** Each part by its type and name. A part that is there twice is in none of our schemas. */
const partsOf = async (from: Reader): Promise<ReadonlyMap<string, string>> => {
  const parts = await from.all<Part>('SELECT type, name, tbl_name AS "of", sql FROM sqlite_schema');
  const texts = new Map<string, string>();
  for (const part of parts) {
    if (isOfSqlite(part)) continue;
    const key = `${part.type} ${JSON.stringify(part.name)}`;
    const text = `${part.of} ${part.sql === null ? '' : plain(part.sql)}`;
    texts.set(key, texts.has(key) ? 'twice' : text);
  }
  return texts;
};

const HAS_UPGRADE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_upgrade'";

const madeBy = async (
  path: string,
  steps: readonly Step[],
  isUpgrading: boolean,
): Promise<ReadonlyMap<string, string>> => {
  await migrate(path, '', { steps });
  return withConnection(path, async (connection) => {
    if (isUpgrading) await connection.exec(UPGRADE_TABLE);
    return partsOf(connection);
  });
};

const differenceOf = (found: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string | undefined => {
  for (const [key, text] of found) {
    if (!wanted.has(key)) return `the ${key} is not part of it`;
    if (wanted.get(key) !== text) return `the ${key} differs`;
  }
  for (const key of wanted.keys()) if (!found.has(key)) return `the ${key} is missing`;
  return undefined;
};

/**
 * What is unlike that schema; undefined if nothing is. Reads the list of parts alone, which runs none of them. `folder` is a private one. An
 * interrupted upgrade may have created what its next step begins with.
 */
export const unlikeSchema = async (database: string, schema: number, folder: string): Promise<string | undefined> => {
  const [found, isUpgrading] = await withConnection(database, async (connection) => {
    await connection.exec('PRAGMA trusted_schema=OFF');
    return [await partsOf(connection), (await connection.all(HAS_UPGRADE)).length > 0] as const;
  });
  const steps = MIGRATIONS.slice(0, schema);
  const difference = differenceOf(found, await madeBy(join(folder, 'expected.db'), steps, isUpgrading));
  const next = MIGRATIONS[schema];
  const begun = typeof next === 'object' ? next.first : undefined;
  if (difference === undefined || !isUpgrading || begun === undefined) return difference;
  const begunParts = await madeBy(join(folder, 'begun.db'), [...steps, begun], true);
  return differenceOf(found, begunParts) === undefined ? undefined : difference;
};
