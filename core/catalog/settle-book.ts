// The effective facts of a book, given what its sources say, what is locked and the rules of its library. Pure.
import type { Author } from '../model/metadata.js';
import type { LibraryRules } from '../model/strategies.js';
import { type FilePlace, factsToStore } from './apply-rules.js';
import {
  applyChange,
  authorsIn,
  type BookColumns,
  type BookLock,
  columnsOf,
  FACT_FIELDS,
  type FactChange,
  type FactField,
  fieldsSet,
  isRoleField,
  isSilent,
  NO_FACTS,
  ROLE_FIELD_NAMES,
  type RoleChange,
  type RoleField,
  type StoredFacts,
} from './book-facts.js';
import { type BookState, type Ranks, type ReadSource, type Said, SOURCES, type UserSays } from './sources.js';

type Sources = Pick<BookState, 'user' | 'said'>;

/** A month or day must come from the same source as its year. */
const OF_YEAR: ReadonlySet<FactField> = new Set(['month', 'day']);

/** What the sources that are read say: for each field, the first by rank that has a value. */
const readFacts = (said: BookState['said'], ranks: Ranks): StoredFacts => {
  const only = said.size === 1 ? [...said.values()][0] : undefined;
  if (only !== undefined) return { ...NO_FACTS, ...only.facts };
  const firstSaid = (field: FactField, isHeard: (one: Said) => boolean): unknown => {
    if (field === 'customMetadata') return null;
    const rankOf = (name: string): number => ranks[name]?.fields?.[field] ?? ranks[name]?.rank ?? Number.MAX_VALUE;
    const heard = [...said].filter(([, one]) => isHeard(one) && !isSilent(one.facts[field]));
    const first = heard.sort(([a], [b]) => rankOf(a) - rankOf(b))[0];
    return first?.[1].facts[field] ?? NO_FACTS[field];
  };
  const year = firstSaid('year', () => true);
  const isOfYear = ({ facts }: Said): boolean => year === null || facts.year === year;
  return Object.fromEntries(
    FACT_FIELDS.map((field) => [field, firstSaid(field, OF_YEAR.has(field) ? isOfYear : () => true)]),
  ) as unknown as StoredFacts;
};

/** If a user set the list of all authors, the lists of single roles have no effect, unless it was cleared. */
const settleAuthors = (user: UserSays, read: readonly Author[]): readonly Author[] => {
  if (user.authors !== undefined && user.authors !== null) return user.authors;
  const roles = ROLE_FIELD_NAMES.filter((role) => user[role] !== undefined);
  const others = (user.authors === null ? [] : read).filter((one) => authorsIn([one], roles).length === 0);
  return [...others, ...roles.flatMap((role) => user[role] ?? [])];
};

const settleFacts = ({ user, said }: Sources, ranks: Ranks): StoredFacts => {
  const read = readFacts(said, ranks);
  const set = FACT_FIELDS.filter((field) => user[field] !== undefined);
  return {
    ...read,
    ...(Object.fromEntries(set.map((field) => [field, user[field] ?? NO_FACTS[field]])) as Partial<StoredFacts>),
    authors: settleAuthors(user, read.authors),
  };
};

interface SettledBook {
  readonly facts: StoredFacts;
  /** Title, sort keys and numbers as lists show them. */
  readonly columns: BookColumns;
}

export const settleBook = (
  sources: Sources,
  locks: ReadonlySet<BookLock>,
  rules: LibraryRules,
  place: FilePlace,
  ranks: Ranks = SOURCES,
): SettledBook => {
  const facts = settleFacts(sources, ranks);
  return { facts, columns: columnsOf(facts, locks, factsToStore(rules, place, facts)) };
};

type Field = FactField | RoleField;

const FIELDS: readonly Field[] = [...FACT_FIELDS, ...ROLE_FIELD_NAMES];

const valueIn = (facts: Partial<StoredFacts>, field: Field): unknown =>
  isRoleField(field) ? authorsIn(facts.authors ?? [], [field]) : facts[field];

/** Cleared without a lock: empty until a source says something new. */
const clearedIn = ({ user, locks }: BookState): ReadonlySet<Field> =>
  new Set(FIELDS.filter((field) => user[field] !== undefined && !locks.has(field) && field !== 'customMetadata'));

const userSays = (facts: StoredFacts, locks: ReadonlySet<BookLock>, cleared: ReadonlySet<Field>): UserSays =>
  Object.fromEntries(
    FIELDS.flatMap((field): [Field, unknown][] => {
      const isKept = locks.has(field) || (field === 'customMetadata' && facts.customMetadata !== null);
      if (isKept) return [[field, valueIn(facts, field)]];
      if (!cleared.has(field)) return [];
      return [[field, isRoleField(field) ? [] : null]];
    }),
  );

const isSame = (one: unknown, other: unknown): boolean =>
  (isSilent(one) && isSilent(other)) || JSON.stringify(one) === JSON.stringify(other);

/** A source was read again; null: it no longer says anything. */
export const hear = (state: BookState, source: ReadSource, news: Said | null): BookState => {
  const said = new Map(state.said);
  if (news === null) said.delete(source);
  else said.set(source, news);
  const before = state.said.get(source)?.facts ?? {};
  const heard = (field: Field): boolean => {
    const value = valueIn(news?.facts ?? {}, field);
    return !isSilent(value) && !isSame(value, valueIn(before, field));
  };
  const revived = [...clearedIn(state)].filter(heard);
  if (revived.length === 0) return { ...state, said };
  const user = Object.fromEntries(
    Object.entries(state.user).filter(([field]) => !revived.some((one) => one === field)),
  );
  return { ...state, said, user };
};

/** Drops fields from what a source said, until it is read again. */
const forget = (said: Said, fields: readonly FactField[]): Said => {
  const kept = Object.entries(said.facts).filter(
    ([field, value]) => isSilent(value) || !fields.some((one) => one === field),
  );
  if (kept.length === Object.keys(said.facts).length) return said;
  return { ...said, facts: Object.fromEntries(kept), isComplete: false };
};

/** The change a user requests. */
export interface Edit {
  readonly facts: FactChange;
  readonly roles: RoleChange;
  /** Fields that are null because a replacement did not name them: the next reading of a source fills them again. */
  readonly leftOut: ReadonlySet<string>;
}

/** A user changed the facts: a value locks its field; clearing a field does not change its lock. */
export const edit = (state: BookState, { facts: change, roles, leftOut }: Edit): BookState => {
  const facts = applyChange(state.facts, change, roles);
  const locks = new Set([...state.locks, ...fieldsSet(change, roles)]);
  const forgotten = FACT_FIELDS.filter((field) => leftOut.has(field) && !locks.has(field));
  const said = new Map([...state.said].map(([name, one]): [ReadSource, Said] => [name, forget(one, forgotten)]));
  const read = readFacts(said, SOURCES);
  const asked = { ...change, ...roles };
  const emptied = FIELDS.filter((field) => asked[field] === null && !isSilent(valueIn(read, field)));
  const cleared = [...clearedIn(state)].filter((field) => !leftOut.has(field));
  return { ...state, said, locks, user: userSays(facts, locks, new Set([...cleared, ...emptied])) };
};

/** A source that may have more to say counts as saying the user's values, until it is read again. */
const lend = ({ facts, ...rest }: Said, user: UserSays, fields: readonly Field[]): Said => {
  const lent = fields.filter((field) => isSilent(valueIn(facts, field)) && !isSilent(user[field]));
  const whole = Object.fromEntries(lent.filter((field) => !isRoleField(field)).map((field) => [field, user[field]]));
  // A list of all authors includes those of single roles.
  const people = isSilent(whole.authors) ? lent.filter(isRoleField).flatMap((role) => user[role] ?? []) : [];
  const authors = [...((whole.authors as readonly Author[] | undefined) ?? facts.authors ?? []), ...people];
  return { ...rest, facts: { ...facts, ...whole, ...(authors.length > 0 && { authors }) } };
};

/** A user locked or unlocked fields. An unlocked field has the value the sources give. */
export const relock = (state: BookState, locks: ReadonlySet<BookLock>): BookState => {
  const unlocked = FIELDS.filter((field) => state.locks.has(field) && !locks.has(field) && field !== 'customMetadata');
  const said = [...state.said].map(([name, one]): [ReadSource, Said] => [
    name,
    one.isComplete || unlocked.length === 0 ? one : lend(one, state.user, unlocked),
  ]);
  return { ...state, locks, said: new Map(said), user: userSays(state.facts, locks, clearedIn(state)) };
};
