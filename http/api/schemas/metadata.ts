// Schemas of metadata bodies: every field is optional, and null clears it. Blank text counts as null.
import Type, { type TSchema } from 'typebox';
import { FACT_LIMITS } from '../../../core/model/fact-limits.js';
import { AUTHOR_ROLES } from '../../../core/model/metadata.js';

const INT32_MAX = 2 ** 31 - 1;

const nullable = <S extends TSchema>(schema: S, expected: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { expected: `${expected}, or null` }));

export const textField = (maxLength: number) =>
  nullable(Type.String({ maxLength }), `text of at most ${maxLength} characters`);

export const wholeField = (minimum: number, maximum: number = INT32_MAX) =>
  nullable(Type.Integer({ minimum, maximum }), `a whole number from ${minimum} to ${maximum}`);

export const numberField = () => nullable(Type.Number({ minimum: 0, maximum: 1e9 }), 'a number of at least 0');

export const booleanField = () => nullable(Type.Boolean(), 'true or false');

export const wordField = <const W extends string>(words: readonly W[]) =>
  nullable(Type.Enum([...words]), `one of ${words.join(', ')}`);

export const customField = () => nullable(Type.Record(Type.String(), Type.Unknown()), 'an object');

const NAME_MAX = FACT_LIMITS.name;
const name = Type.String({ minLength: 1, maxLength: NAME_MAX, pattern: '\\S' });

export const authorsField = () =>
  nullable(
    Type.Array(
      Type.Object({
        name,
        role: Type.Enum([...AUTHOR_ROLES]),
        sortName: Type.Optional(Type.Union([Type.String({ maxLength: NAME_MAX }), Type.Null()])),
      }),
      { maxItems: FACT_LIMITS.authors },
    ),
    `a list of at most ${FACT_LIMITS.authors} authors, each with name and role (${AUTHOR_ROLES.join(', ')})`,
  );

export const awardsField = () =>
  nullable(
    Type.Array(
      Type.Object({
        name,
        won: Type.Boolean(),
        category: Type.Optional(Type.Union([Type.String({ maxLength: NAME_MAX }), Type.Null()])),
        year: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 9999 }), Type.Null()])),
      }),
      { maxItems: FACT_LIMITS.awards },
    ),
    `a list of at most ${FACT_LIMITS.awards} awards, each with name and won`,
  );

export const textsField = () =>
  nullable(
    Type.Array(Type.String({ maxLength: NAME_MAX }), { maxItems: FACT_LIMITS.subjects }),
    `a list of at most ${FACT_LIMITS.subjects} texts of at most ${NAME_MAX} characters`,
  );

const flag = Type.Optional(Type.Boolean({ expected: 'true or false' }));

/** Lock flags: absent keeps, true locks, false unlocks. */
export const flags = (names: readonly string[]) =>
  Type.Object(Object.fromEntries(names.map((one) => [one, flag])) as Readonly<Record<string, typeof flag>>);

const blankToNull = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  return value.trim() === '' ? null : value.trim();
};

/**
 * The fields of a body that its schema knows (others were not validated), where all texts may be null: trimmed, and null where nothing is
 * left.
 */
export const trimmed = <T extends object>(schema: { readonly properties: object }, body: T): T =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([field]) => Object.hasOwn(schema.properties, field))
      .map(([field, value]) => [field, blankToNull(value)]),
  ) as T;

/** Without the fields that are empty. */
export const present = <T extends object>(change: T): Partial<T> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<T>;

interface AuthorInput {
  readonly name: string;
  readonly role: (typeof AUTHOR_ROLES)[number];
  readonly sortName?: string | null;
}

export const authorsOf = (list: readonly AuthorInput[] | null | undefined) =>
  list?.map(({ name: given, role, sortName }) => ({ name: given.trim(), role, sortName: sortName ?? null })) ??
  (list === undefined ? undefined : null);

interface AwardInput {
  readonly name: string;
  readonly won: boolean;
  readonly category?: string | null;
  readonly year?: number | null;
}

export const awardsOf = (list: readonly AwardInput[] | null | undefined) =>
  list?.map(({ name: given, won, category, year }) => ({
    name: given.trim(),
    won,
    category: category ?? null,
    year: year ?? null,
  })) ?? (list === undefined ? undefined : null);
