// What clients ask most, on a library of small books: first pages, a filter, a search, one book.
import type { Running } from './program.js';

export interface AskedCase {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly body?: string;
  /** Lists of fifty rows, whose rate should not depend on the size of the library. */
  readonly isList: boolean;
}

export const askedCases = async (program: Running): Promise<readonly AskedCase[]> => {
  const { data } = await program.call('GET', '/books?pageSize=1');
  return [
    { id: 'books', name: 'first page of books', path: '/books', isList: true },
    { id: 'series', name: 'first page of series', path: '/series', isList: true },
    { id: 'on-deck', name: 'on deck', path: '/books/on-deck', isList: true },
    {
      id: 'filter',
      name: 'a filter',
      path: '/books/list',
      body: JSON.stringify({ condition: { readStatus: { operator: 'is', value: 'unread' } } }),
      isList: true,
    },
    { id: 'search', name: 'a full-text search', path: '/books/list', body: '{"fullTextSearch":"00007"}', isList: true },
    { id: 'book', name: 'book detail', path: `/books/${data[0].id}`, isList: false },
  ];
};

const BEGUN = 20;

/** Some series are begun, so that there is something on deck: as many in any library, since it is the reader who begins them. */
export const readSome = async (program: Running): Promise<void> => {
  const { data } = await program.call('GET', `/series?pageSize=${BEGUN}`);
  for (const { id } of data as readonly { readonly id: string }[]) {
    const books = await program.call('GET', `/series/${id}/books`);
    await program.call('POST', `/books/${books[0].id}/read`);
  }
};
