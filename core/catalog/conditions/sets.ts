// Which sets of rows a condition needs, and how they combine: plain data. Pure.
import type { BookFormat } from '../../model/formats.js';
import type { AuthorRole } from '../../model/metadata.js';
import type { Scope } from '../../model/viewer.js';
import type { ColumnPlace, Fields, Mark, MembersPlace, Place } from './fields.js';
import { passes } from './operators.js';
import type { Condition, Test, TextTest } from './tree.js';

/** What a user has read, is reading, has begun, or has any record of. */
type ProgressWord = 'read' | 'in_progress' | 'begun' | 'any';

/** A set of rows, identified by what is in it: everything a database needs to find them. */
export type RowSet =
  | (ColumnPlace & { readonly test: Test })
  | MembersPlace
  | { readonly in: 'marked'; readonly mark: Mark }
  | { readonly in: 'credits'; readonly name: string | null; readonly roles: readonly AuthorRole[] | null }
  /** Rows with these public ids. */
  | { readonly in: 'own'; readonly ids: readonly string[] }
  /** Members of lists with these public ids. */
  | { readonly in: 'listed'; readonly table: MembersPlace['table']; readonly ids: readonly string[] }
  | { readonly in: 'parent'; readonly parent: 'library' | 'series'; readonly test: Test }
  | { readonly in: 'terms'; readonly kind: 'genre' | 'tag'; readonly isOwn?: true; readonly test: Test }
  | { readonly in: 'authors'; readonly roles: readonly AuthorRole[] | null; readonly test: Test }
  | { readonly in: 'inherited'; readonly column: 'publisher' | 'language'; readonly test: Test }
  | { readonly in: 'sharingTags' | 'completion' | 'firstRelease'; readonly test: Test }
  | { readonly in: 'progress'; readonly word: ProgressWord; readonly user: number }
  /** Books in folders that pass one test and whose file names pass another; null: any file name. */
  | { readonly in: 'path'; readonly folder: TextTest; readonly file: TextTest | null }
  | { readonly in: 'key'; readonly of: 'library' | 'series'; readonly key: number }
  | { readonly in: 'scope'; readonly scope: Scope }
  /** What a search finds: an expression for the word index. */
  | { readonly in: 'words'; readonly anyOf: readonly string[] }
  /** Series that have pages, and therefore a cover. */
  | { readonly in: 'pages' }
  /** Series whose sort name begins with this character; '' for those that have none. */
  | { readonly in: 'letter'; readonly letter: string };

export type Sets =
  | { readonly set: RowSet }
  | { readonly all: readonly Sets[] }
  | { readonly any: readonly Sets[] }
  | { readonly not: Sets };

export const ALL: Sets = { all: [] };
export const NOTHING: Sets = { any: [] };

const PRESENT = { kind: 'present' } as const;

const inColumn = (place: ColumnPlace, test: Test): Sets =>
  test.kind === 'present' && place.always === true ? ALL : { set: { ...place, test } };

/** A flag that every row has. */
const flagged = (rows: ColumnPlace | MembersPlace | null, test: Test): Sets => {
  if (test.kind === 'present') return ALL;
  const found = rows === null ? NOTHING : rows.in === 'members' ? { set: rows } : inColumn(rows, PRESENT);
  return test.kind === 'flag' && test.on ? found : { not: found };
};

const lowerCase = ({ kind, value }: TextTest): TextTest => ({ kind, value: value.toLowerCase() });

/** The test is applied to the words. The rarer words are fewer rows to query than the usual one. */
const oneOf = ({ column, words, usual }: Extract<Place, { in: 'oneOf' }>, test: Test): Sets => {
  const wanted = 'value' in test ? lowerCase(test) : undefined;
  const found = words.filter((word) => wanted === undefined || passes(word, wanted));
  const rowsWith = (some: readonly string[]): Sets => ({
    any: some.map((value) => inColumn(column, { kind: 'is', value })),
  });
  return found.includes(usual) ? { not: rowsWith(words.filter((word) => !found.includes(word))) } : rowsWith(found);
};

const progress = (word: ProgressWord, user: number): Sets => ({ set: { in: 'progress', word, user } });

const STATUSES: Readonly<Record<string, (user: number) => Sets>> = {
  read: (user) => progress('read', user),
  in_progress: (user) => progress('in_progress', user),
  unread: (user) => ({ not: progress('begun', user) }),
};

const withStatus = (test: Test, user: number): Sets => {
  if (!('value' in test)) return ALL;
  const wanted = lowerCase(test);
  return { any: Object.entries(STATUSES).flatMap(([word, rows]) => (passes(word, wanted) ? [rows(user)] : [])) };
};

const marked = (mark: Mark): Sets => ({ set: { in: 'marked', mark } });

const markedOr = (mark: Mark, test: Test): Sets => {
  if (test.kind !== 'flag') return ALL;
  return test.on ? marked(mark) : { not: marked(mark) };
};

/** Nearly all books are ready, and made of pictures: the others are listed, and those that are neither. */
const MEDIA_STATUSES: Readonly<Record<string, Sets>> = {
  ready: { not: { any: [marked('failed'), marked('unanalyzed')] } },
  error: { all: [marked('failed'), { not: marked('unsupported') }] },
  unsupported: marked('unsupported'),
  unknown: marked('neverAnalyzed'),
  outdated: { all: [marked('unanalyzed'), { not: marked('neverAnalyzed') }] },
};

const FORMAT: ColumnPlace = { in: 'column', table: 'book', column: 'format', as: 'exact' };
const ofFormat = (value: BookFormat): Sets => ({ set: { ...FORMAT, test: { kind: 'is', value } } });
const [PDF, EPUB] = [ofFormat('pdf'), ofFormat('epub')];

const MEDIA_PROFILES: Readonly<Record<string, Sets>> = {
  pictures: { not: { any: [PDF, EPUB] } },
  epub: EPUB,
  document: PDF,
};

const worded = (words: Readonly<Record<string, Sets>>, test: Test): Sets => {
  if (!('value' in test)) return ALL;
  return { any: Object.entries(words).flatMap(([word, rows]) => (passes(word, lowerCase(test)) ? [rows] : [])) };
};

const FILE_NAME: ColumnPlace = { in: 'column', table: 'book', column: 'file_name', as: 'exact' };

/** A folder ends with a slash and a file name contains none, so the last slash of a value separates the two. */
const atPath = (test: Test): Sets => {
  if (!('value' in test)) return ALL;
  const { kind, value } = test;
  const cut = value.lastIndexOf('/') + 1;
  const [head, tail] = [value.slice(0, cut), value.slice(cut)];
  const within = (folder: TextTest, file: TextTest | null): Sets => ({ set: { in: 'path', folder, file } });
  if (kind === 'is') return within({ kind, value: head }, { kind, value: tail });
  if (kind === 'endsWith' && cut === 0) return inColumn(FILE_NAME, test);
  if (kind === 'endsWith') return within({ kind, value: head }, { kind: 'is', value: tail });
  const folder = kind === 'beginsWith' ? 'is' : 'endsWith';
  const across = within({ kind: folder, value: head }, { kind: 'beginsWith', value: tail });
  const inside = within({ kind, value }, null);
  return { any: [inside, cut === 0 && kind === 'contains' ? inColumn(FILE_NAME, test) : across] };
};

/** Rows whose value passes a positive test. */
const passing = (place: Place, test: Test, user: number): Sets => {
  switch (place.in) {
    case 'column':
      return inColumn(place, test);
    case 'either': {
      const first = inColumn(place.first, test);
      if (test.kind === 'present') return first;
      return { any: [first, { all: [inColumn(place.second, test), { not: inColumn(place.first, PRESENT) }] }] };
    }
    case 'marked':
      return markedOr(place.mark, test);
    case 'own':
      return test.kind === 'ids' ? { set: { in: 'own', ids: test.values } } : ALL;
    case 'listed':
      return test.kind === 'ids'
        ? { set: { ...place, ids: test.values } }
        : { set: { in: 'members', table: place.table } };
    case 'credits':
      return test.kind === 'credit' ? { set: { in: 'credits', name: test.name, roles: test.roles } } : ALL;
    case 'mediaStatus':
      return worded(MEDIA_STATUSES, test);
    case 'mediaProfile':
      return worded(MEDIA_PROFILES, test);
    case 'parent':
      return test.kind === 'present' ? ALL : { set: { ...place, test } };
    case 'authors':
      return { set: { in: 'authors', roles: place.roles, test } };
    case 'terms':
    case 'inherited':
    case 'sharingTags':
    case 'completion':
    case 'firstRelease':
      return { set: { ...place, test } };
    case 'flag':
      return flagged(place.rows, test);
    case 'oneOf':
      return oneOf(place, test);
    case 'progress':
      return withStatus(test, user);
    case 'path':
      return atPath(test);
    case 'nowhere':
      return NOTHING;
  }
};

/** Negation is the same for every field. `user` is the viewer's key. */
export const setsOf = <F extends string>(condition: Condition<F>, fields: Fields<F>, user: number): Sets => {
  if ('allOf' in condition) return { all: condition.allOf.map((part) => setsOf(part, fields, user)) };
  if ('anyOf' in condition) return { any: condition.anyOf.map((part) => setsOf(part, fields, user)) };
  const { field, test, negated } = condition;
  const found = test.kind === 'none' ? NOTHING : passing(fields[field].place, test, user);
  return negated ? { not: found } : found;
};

/** True for a set defined by what is not in it: its rows cannot be listed. */
export const isInverted = (sets: Sets): boolean => {
  if ('set' in sets) return false;
  if ('not' in sets) return !isInverted(sets.not);
  return 'all' in sets ? sets.all.every(isInverted) : sets.any.some(isInverted);
};

/** Public ids of the library and the series a list is limited to. */
export interface ScopeIds {
  readonly libraryId?: string | undefined;
  readonly seriesId?: string | undefined;
}

/** A group of one part becomes that part; an empty group of required parts becomes no condition. */
const bare = <F extends string>(condition: Condition<F>): Condition<F> | undefined => {
  if ('allOf' in condition && condition.allOf.length === 0) return undefined;
  const parts = 'allOf' in condition ? condition.allOf : 'anyOf' in condition ? condition.anyOf : [];
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? bare(only) : condition;
};

/** A condition that is only one library or one series limits the list as a parameter does; no condition remains. */
export const scopeIn = <F extends string>(
  condition: Condition<F>,
  asked: ScopeIds,
): { readonly ids: ScopeIds; readonly rest: Condition<F> | undefined } => {
  const rest = bare<F>(condition);
  if (rest === undefined || !('field' in rest) || rest.negated || rest.test.kind !== 'ids') return { ids: asked, rest };
  const [id, ...others] = rest.test.values;
  const field: string = rest.field;
  const isFree = (field === 'libraryId' || field === 'seriesId') && asked[field] === undefined;
  return isFree && id !== undefined && others.length === 0
    ? { ids: { ...asked, [field]: id }, rest: undefined }
    : { ids: asked, rest };
};
