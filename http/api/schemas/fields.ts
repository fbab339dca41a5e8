// Fields that many rows of the API share: paging, sorting, limits, times.
import Type, { type Static } from 'typebox';
import { AppError } from '../../../core/model/errors.js';
import { instantOf } from '../../../core/model/instant.js';

const FIRST_PAGE = 1;
const SIZE = 50;
export const SIZE_MAX = 500;

/**
 * Paging: a number outside the limits is clamped to the nearest allowed one, and a missing size means the default. `otherwise` is our own
 * keyword, the default shown in the API description: a default filled in by validation would hide which of two spellings was sent.
 */
const page = Type.Optional(
  Type.Integer({
    otherwise: FIRST_PAGE,
    expected: 'a whole number',
    description: `The page number, starting at ${FIRST_PAGE}; anything less counts as ${FIRST_PAGE}.`,
  }),
);
const size = (what: string, max: number) =>
  Type.Optional(
    Type.Integer({
      otherwise: SIZE,
      expected: 'a whole number',
      description: `${what}, at most ${max}; more counts as ${max}, less than 1 as ${SIZE}.`,
    }),
  );

/** `page_size` is the older spelling, on GET only; `pageSize` takes precedence when both are present. */
export const pagingFields = {
  page,
  pageSize: size('Number of items per page', SIZE_MAX),
  page_size: size('The older spelling of pageSize, which takes precedence: number of items per page', SIZE_MAX),
};

export const pagingQuery = Type.Object(pagingFields);

const clampSize = (asked = SIZE): number => (asked < 1 ? SIZE : Math.min(asked, SIZE_MAX));

export const windowOf = (
  query: Pick<Static<typeof pagingQuery>, 'page' | 'pageSize' | 'page_size'>,
): { readonly page: number; readonly pageSize: number } => ({
  page: Math.max(query.page ?? FIRST_PAGE, FIRST_PAGE),
  pageSize: clampSize(query.pageSize ?? query.page_size),
});

/** Whether a page is requested. */
export const isPaged = ({ page: asked, pageSize, page_size: older }: Parameters<typeof windowOf>[0]): boolean =>
  asked !== undefined || pageSize !== undefined || older !== undefined;

/** Lists that clients fetch as a whole: everything up to the largest page size, unless a page is requested. */
export const wholeWindow = (query: Parameters<typeof windowOf>[0]): ReturnType<typeof windowOf> =>
  isPaged(query) ? windowOf(query) : { page: FIRST_PAGE, pageSize: SIZE_MAX };

/** Lists that are plain arrays of the first N items. */
export const limitFields = { limit: size('Number of items to return', SIZE_MAX) };

export const firstOf = (query: { readonly limit?: number }): { readonly page: 1; readonly pageSize: number } => ({
  page: FIRST_PAGE,
  pageSize: clampSize(query.limit),
});

/** An RFC 3339 time. */
export const timeField = Type.String({
  maxLength: 40,
  pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:[Zz]|[+-]\\d{2}:\\d{2})$',
  expected: 'a time such as 2026-01-31T12:00:00Z',
});

/** The first of these fields that was sent, in milliseconds; an error names it as it was sent. */
export const timeIn = <F extends string>(
  sent: { readonly [field in F]?: string },
  fields: readonly F[],
): number | undefined => {
  const field = fields.find((one) => sent[one] !== undefined);
  const text = field === undefined ? undefined : sent[field];
  if (field === undefined || text === undefined) return undefined;
  const ms = instantOf(text);
  if (ms !== undefined) return ms;
  throw new AppError('BadRequest', `${field} is not a valid time: ${text}`, [
    { path: field, message: 'must be a valid time' },
  ]);
};

/** Sort names accepted from clients, aliases included, and the order each stands for. */
type SortNames<S extends string> = Readonly<Record<string, S>>;

const listed = (names: SortNames<string>): string => Object.keys(names).join(', ');

const sortOf = <S extends string>(names: SortNames<S>) =>
  Type.Optional(
    Type.String({
      pattern: `^(?:${Object.keys(names).join('|')})(?:,(?:[aA][sS][cC]|[dD][eE][sS][cC]))?$`,
      expected: `one of ${listed(names)}, optionally followed by ,asc or ,desc`,
    }),
  );

/** `sort=field` with `order=asc|desc`, or `sort=field,asc`. */
export const sortFields = <S extends string>(names: SortNames<S>) => ({
  sort: sortOf(names),
  order: Type.Optional(
    Type.String({ pattern: '^(?:[aA][sS][cC]|[dD][eE][sS][cC])$', expected: 'one of asc, desc', maxLength: 4 }),
  ),
});

/** A direction in `sort` takes precedence over `order`. */
export const orderOf = <S extends string>(
  query: { readonly sort?: string; readonly order?: string },
  names: SortNames<S>,
  fallback: S,
): { readonly sort: S; readonly descending: boolean } => {
  const [field = '', direction] = (query.sort ?? '').split(',');
  return { sort: names[field] ?? fallback, descending: (direction ?? query.order ?? 'asc').toLowerCase() === 'desc' };
};
