// The page wrapper: what surrounds the rows of a list. Page numbers start at 0 here.
import { totalPagesOf } from '../../../core/model/paging.js';

export interface Wrapped {
  /** Starts at 0. */
  readonly page: number;
  readonly size: number;
  /** How many rows this page has. */
  readonly count: number;
  readonly total: number;
  readonly isSorted: boolean;
}

/** Clients read counts as integers of 32 bits. */
const COUNT_MAX = 2 ** 31 - 1;

const sortView = (sorted: boolean) => ({ sorted, unsorted: !sorted, empty: !sorted });

/** Without its rows. The list of rows comes first, so that it can be filled in. */
export const pageView = ({ page, size, count, total, isSorted }: Wrapped) => {
  const [sort, totalPages] = [sortView(isSorted), totalPagesOf(total, size)];
  return {
    content: [],
    pageable: {
      sort,
      pageNumber: page,
      pageSize: size,
      offset: Math.min(page * size, COUNT_MAX),
      paged: true,
      unpaged: false,
    },
    sort,
    totalElements: Math.min(total, COUNT_MAX),
    totalPages,
    last: page + 1 >= totalPages,
    first: page === 0,
    number: page,
    numberOfElements: count,
    size,
    empty: count === 0,
  };
};
