// The names and descriptions of sharing tags and access groups: which are valid, and that names are unique. Both are stored alike.
import { cleanName, INVISIBLE } from '../model/clean-name.js';
import { AppError } from '../model/errors.js';
import { listNameKey } from '../model/name-key.js';
import type { Tx } from '../store/db.js';

export type NamedTable = 'sharing_tag' | 'access_group';

export const WORDS = { sharing_tag: 'sharing tag', access_group: 'access group' } as const satisfies Record<
  NamedTable,
  string
>;

export const NAME_MAX = 255;
export const DESCRIPTION_MAX = 2000;
/** Of each kind. All tags of a person become part of one statement. */
export const NAMED_MAX = 1000;

const refused = (message: string): AppError =>
  new AppError('BadRequest', `The name ${message}.`, [{ path: 'name', message }]);

/** Emoji may carry them; without, they look the same or plainer. */
const VARIATION = /[\uFE0E\uFE0F]/g;

export const checkedName = (given: string): string => {
  const plain = given.replaceAll(VARIATION, '');
  if (INVISIBLE.test(plain)) throw refused('must not contain control characters or invisible ones');
  const name = cleanName(plain);
  if (name !== '' && [...name].length <= NAME_MAX) return name;
  throw refused(`must have 1 to ${NAME_MAX} characters`);
};

export const checkedDescription = (given: string | null | undefined): string | null => {
  const text = given?.toWellFormed().trim() ?? '';
  return text === '' ? null : text;
};

/** Throws when another of this kind has the name; `ownKey` is the one that may have it. */
export const refuseTaken = async (tx: Tx, table: NamedTable, name: string, ownKey = 0): Promise<void> => {
  const [other] = await tx.all<{ name: string }>(`SELECT name FROM ${table} WHERE name_key = ? AND id <> ?`, [
    listNameKey(name),
    ownKey,
  ]);
  if (other === undefined) return;
  throw new AppError(
    'Conflict',
    `There is already ${table === 'access_group' ? 'an' : 'a'} ${WORDS[table]} with the name "${other.name}".`,
    [{ path: 'name', message: 'is taken' }],
  );
};

export const refuseTooMany = async (tx: Tx, table: NamedTable): Promise<void> => {
  const [count] = await tx.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`);
  if ((count?.n ?? 0) >= NAMED_MAX)
    throw new AppError('Conflict', `There are already ${NAMED_MAX} ${WORDS[table]}s. Delete one first.`);
};

export const unknown = (table: NamedTable): AppError =>
  new AppError('NotFound', `There is no ${WORDS[table]} with this id.`);
