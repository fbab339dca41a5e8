// Values that a field of a filter can have, as the library knows them.
import { genresList, languagesList, peopleList, publishersList, tagsList } from './api.js';
import { type FieldName, isRoleField, ROLE_OF, type RoleField, type WallOf } from './filters.js';
import type { RequestOptions } from './lists.js';

const FOUND_MAX = 50;
const ALL_MAX = 500;

interface Named {
  readonly name: string;
}

type Source = (text: string, opts: RequestOptions, of: WallOf) => Promise<{ readonly data: readonly Named[] }>;

/** Authors without a more specific role count as writers. */
const rolesOf = (field: RoleField) => (field === 'writer' ? (['writer', 'author'] as const) : [ROLE_OF[field]]);

/** Books may have values that their series do not. */
const queryFor = (search: string, of: WallOf) => ({
  pageSize: FOUND_MAX,
  search,
  ...(of === 'books' ? { includeBooks: true } : {}),
});

/** Of lists that the server does not search. */
const containing = (text: string, { data }: { readonly data: readonly Named[] }) => {
  const folded = text.toLowerCase();
  return { data: data.filter(({ name }) => name.toLowerCase().includes(folded)) };
};

const SOURCES: Readonly<Partial<Record<FieldName, Source>>> = {
  genre: async (text, opts) => containing(text, await genresList({ pageSize: ALL_MAX }, opts)),
  tag: async (text, opts) => containing(text, await tagsList({ pageSize: ALL_MAX }, opts)),
  author: (search, opts) => peopleList({ pageSize: FOUND_MAX, search }, opts),
  publisher: (search, opts, of) => publishersList(queryFor(search, of), opts),
  language: (search, opts, of) => languagesList(queryFor(search, of), opts),
};

const sourceOf = (field: FieldName): Source | undefined =>
  isRoleField(field)
    ? (search, opts) => peopleList({ pageSize: FOUND_MAX, search, role: [...rolesOf(field)] }, opts)
    : SOURCES[field];

/** Names that match what was typed. */
export const valuesFor = async (
  of: WallOf,
  field: FieldName,
  text: string,
  opts: RequestOptions,
): Promise<readonly string[]> => {
  const source = sourceOf(field);
  if (source === undefined) return [];
  const { data } = await source(text.trim(), opts, of);
  return data.map(({ name }) => name).slice(0, FOUND_MAX);
};
