// Lists of books: filtered, searched, sorted, one page at a time.

import type { PageOf, Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import { type Book, booksByKeys } from './books.js';
import { BOOK_FIELDS, type BookField } from './conditions/fields.js';
import { parseCondition } from './conditions/parse.js';
import type { Condition } from './conditions/tree.js';
import { filterOf, type ListParts, rowsOf } from './query/page.js';
import { BOOKS } from './query/plan.js';
import { matchOf } from './search/words.js';
import type { BookSort, Order } from './sorts.js';

export interface BookListAsk {
  readonly libraryId?: string | undefined;
  readonly seriesId?: string | undefined;
  /** As the client wrote it. */
  readonly condition?: unknown;
  readonly fullTextSearch?: string | null | undefined;
  readonly includeDeleted?: boolean | undefined;
  readonly order: Order<BookSort>;
  readonly window: Window;
}

export const parseBookCondition = (condition: unknown): Condition<BookField> => parseCondition(condition, BOOK_FIELDS);

export const listBooks = async (parts: ListParts, viewer: Viewer, ask: BookListAsk): Promise<PageOf<Book>> => {
  const { libraryId, seriesId, order, window } = ask;
  const condition = parseBookCondition(ask.condition);
  const match = matchOf(ask.fullTextSearch);
  const filter = await filterOf(parts, viewer, BOOK_FIELDS, condition, { libraryId, seriesId });
  if (filter === undefined) return { ...window, items: [], total: 0 };
  const list = { viewer, ...filter, match, includeHidden: ask.includeDeleted ?? false, order, window };
  return rowsOf(parts, BOOKS, list, booksByKeys);
};
