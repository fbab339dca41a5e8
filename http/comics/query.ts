// What requests of the comic-server API ask for in their addresses: a page, an order, filters. Names and sorts that are not known are ignored.
import Type, { type Static } from 'typebox';
import type { Window } from '../../core/model/paging.js';
import { foreignId, listOf } from '../surface/schemas.js';

const SIZE = 20;
export const SIZE_MAX = 500;
const PAGE_MAX = Math.floor((2 ** 31 - 1) / SIZE_MAX);

const yesNo = Type.Optional(Type.Boolean({ expected: 'true or false' }));
const wholeNumber = (description: string) => Type.Optional(Type.Integer({ expected: 'a whole number', description }));

export const pagingFields = {
  page: wholeNumber('The number of the page, starting at 0.'),
  size: wholeNumber(`Number of items per page: ${SIZE} by default, at most ${SIZE_MAX}.`),
  unpaged: Type.Optional(Type.Boolean({ expected: 'true or false', description: 'Whether to return everything.' })),
};

/** `sort=a,desc`, repeated, or several in one text: `a,descb,asc`. */
export const sortField = { sort: Type.Optional(listOf(Type.String({ maxLength: 500 }), { commas: false })) };

const listed = (whole: boolean) => (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { commas: true, whole, maxItems: 1000, description }));

export const values = listed(false);

/** A name may contain commas. */
export const names = listed(true);

export const oneId = Type.Optional(foreignId);
export const ids = Type.Optional(listOf(foreignId, { commas: true }));

export const words = <const W extends string>(allowed: readonly W[]) =>
  Type.Optional(listOf(Type.Enum([...allowed]), { commas: true }));

export const flag = yesNo;

type Paging = { readonly [K in 'page' | 'size' | 'unpaged']?: number | boolean | undefined } & Static<
  ReturnType<typeof Type.Object<typeof pagingFields>>
>;

export interface RequestedPage {
  readonly window: Window;
  /** Everything on one page. */
  readonly isWhole: boolean;
}

/** Pages of core start at 1. */
export const requestedPage = ({ page = 0, size = SIZE, unpaged = false }: Paging): RequestedPage => ({
  window: {
    page: Math.max(0, Math.min(page, PAGE_MAX)) + 1,
    pageSize: size < 1 ? SIZE : Math.min(size, SIZE_MAX),
  },
  isWhole: unpaged,
});

interface Wish {
  readonly key: string;
  readonly descending: boolean;
}

/** A name without a comma, and perhaps a direction; the next may follow without a separator. */
const ONE = /^([^,]{1,100})(?:,(asc|desc))?,?/i;

const wishesIn = (text: string): Wish[] => {
  const found: Wish[] = [];
  let rest = text;
  for (let match = ONE.exec(rest); match !== null; match = ONE.exec(rest)) {
    const [all, key = '', direction = 'asc'] = match;
    found.push({ key: key.trim(), descending: direction.toLowerCase() === 'desc' });
    rest = rest.slice(all.length);
  }
  return found;
};

/** The first order that is known: ours already order ties by row, and further ones would only order them differently. */
export const orderIn = <S extends string>(
  { sort = [] }: { readonly sort?: readonly string[] },
  known: Readonly<Record<string, S>>,
): { readonly sort: S; readonly descending: boolean } | undefined => {
  for (const { key, descending } of sort.flatMap(wishesIn)) {
    const found = Object.hasOwn(known, key) ? known[key] : undefined;
    if (found !== undefined) return { sort: found, descending };
  }
  return undefined;
};
