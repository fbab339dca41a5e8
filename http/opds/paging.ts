// Parameters of feeds that have pages.
import Type from 'typebox';
import type { Window } from '../../core/model/paging.js';

const SIZE = 50;
const SIZE_MAX = 100;

const whole = (description: string) => Type.Optional(Type.Integer({ expected: 'a whole number', description }));

export const pagingFields = {
  page: whole('The page number, starting at 1; starting at 0 if size is given.'),
  pageSize: whole(`Entries per page, at most ${SIZE_MAX}.`),
  size: whole('The same for clients that count pages from 0.'),
};

interface Asked {
  readonly page?: number;
  readonly pageSize?: number;
  readonly size?: number;
}

/** A number outside the limits is the nearest one inside, and a size below 1 the usual one. */
export const windowOf = ({ page, pageSize, size }: Asked): Window => {
  const asked = pageSize ?? size ?? SIZE;
  const isFromZero = pageSize === undefined && size !== undefined;
  return {
    page: Math.max(1, isFromZero ? (page ?? 0) + 1 : (page ?? 1)),
    pageSize: asked < 1 ? SIZE : Math.min(asked, SIZE_MAX),
  };
};

export const firstFew = (pageSize: number): Window => ({ page: 1, pageSize });
