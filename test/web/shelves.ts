// Visits of somebody who is signed in to a server with a few books, for tests of browsing.

import { type Visit, Visits } from './browser.js';
import { type Bookcase, bookcase, type More, type Side } from './reader/bookcase.js';

const ACCOUNT = { username: 'ann', password: 'Fog over the harbour 7!', cookie: true };
const PAGE: Side = [120, 180];

export interface Shelves extends Pick<Bookcase, 'api' | 'bookOf' | 'program' | 'folder' | 'close'> {
  /** Opens a path in a fresh profile that is signed in. */
  at(path: string, use: (visit: Visit) => Promise<void>, options?: Parameters<Visits['at']>[3]): Promise<void>;
}

/** `books`: by their path, without the ending; each has two small pages. `fixtures`: books of the fixtures, each in a series of its own. */
export const shelves = async (
  books: readonly string[],
  fixtures: readonly string[] = [],
  more: Omit<More, 'fixtures'> = {},
): Promise<Shelves> => {
  const { api, bookOf, program, folder, close } = await bookcase(
    Object.fromEntries(books.map((path) => [path, [PAGE, PAGE]])),
    { ...more, fixtures },
  );
  let visits: Visits | undefined;
  return {
    api,
    bookOf,
    program,
    folder,
    at: async (path, use, options = {}) => {
      visits ??= new Visits();
      const open = async (visit: Visit): Promise<void> => {
        visit.expects('401'); // the first page asks who is signed in
        await visit.context.request.post(`${program.address}/api/v1/auth/login`, { data: ACCOUNT });
        await visit.page.goto(program.address + path);
        await use(visit);
      };
      await visits.at(program.address, '/sign-in', open, options);
    },
    close: async () => {
      await close();
    },
  };
};
