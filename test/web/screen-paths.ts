// The addresses of every screen of the web client, on a server that is used: books begun and read, lists, keys.
import { ADDRESSES, type ScreenName } from '../../http/web/addresses.js';
import { assert } from '../kit.js';
import type { Shelves } from './shelves.js';

export const LONG = 'The Most Extraordinary and Entirely Unabridged Chronicles of Captain Comet';
export const UNBROKEN = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

interface Listed {
  readonly id: string;
  readonly seriesId: string;
  readonly libraryId: string;
}

interface Used {
  readonly books: readonly Listed[];
  readonly readListId: string;
  readonly collectionId: string;
}

/** As a server looks after weeks of use. */
export const use = async (on: Shelves): Promise<Used | null> => {
  const api = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const { status, json } = await on.api(method, path, body);
    assert.ok(status < 300, `${method} ${path} answered ${status}: ${JSON.stringify(json)}`);
    return json;
  };
  const { data: books } = (await api('GET', '/books?pageSize=100')) as { readonly data: readonly Listed[] };
  for (const name of [LONG, UNBROKEN]) {
    await api('POST', '/collections', { name: `${name} collection` });
    await api('POST', '/readlists', { name: `${name} list` });
    await api('POST', '/api-keys', { name, permissions: ['BooksRead'] });
  }
  if (books.length === 0) return null;
  const list = (await api('POST', '/readlists', { name: `${LONG}, in the order of ${UNBROKEN}` })) as Listed;
  const group = (await api('POST', '/collections', { name: `${UNBROKEN} and others` })) as Listed;
  await api('POST', `/readlists/${list.id}/books`, { bookIds: books.slice(0, 12).map(({ id }) => id) });
  const seriesIds = [...new Set(books.map((book) => book.seriesId))];
  await api('POST', `/collections/${group.id}/series`, { seriesIds });
  for (const { id } of books.slice(0, 9)) {
    await api('PUT', `/books/${id}/progress`, { currentPage: 1 });
    await api('POST', '/want-to-read', { bookId: id });
  }
  for (const { id } of books.slice(9, 11)) await api('POST', `/books/${id}/read`);
  return { books, readListId: list.id, collectionId: group.id };
};

/** A token of a mail that nobody sent. */
const TOKEN = `#token=${'x'.repeat(43)}`;

/** Screens for those who are not signed in; the one that creates the first account is there only before. */
export const SIGNED_OUT_PATHS = {
  signIn: ['/sign-in'],
  register: ['/register'],
  forgotPassword: ['/forgot-password'],
  verifyEmail: [`/auth/verify-email${TOKEN}`],
  resetPassword: [`/auth/reset-password${TOKEN}`, '/auth/reset-password'],
  signedOn: ['/auth/sign-on?refused=no-account', '/auth/sign-on?refused=failed'],
} as const satisfies Partial<Record<ScreenName, readonly string[]>>;

export const SET_UP_PATHS = { setUp: ['/setup'] } as const satisfies Partial<Record<ScreenName, readonly string[]>>;

type SignedIn = Exclude<ScreenName, keyof typeof SIGNED_OUT_PATHS | keyof typeof SET_UP_PATHS>;

/** Screens for users. A screen of the client's table that is missing here does not compile. */
const signedInPaths = (used: Used | null): Readonly<Record<SignedIn, readonly string[]>> => {
  const [first, last] = used === null ? [] : [used.books[0], used.books.at(-1)];
  const ends = first === undefined || last === undefined ? [] : [first, last];
  return {
    home: ['/'],
    libraries: ['/libraries'],
    newLibrary: ['/libraries/new'],
    library: first === undefined ? [] : [`/libraries/${first.libraryId}`],
    unreadable: ['/unreadable'],
    browse: ['/browse', '/browse?of=books'],
    series: ends.map(({ seriesId }) => `/series/${seriesId}`),
    book: ends.map(({ id }) => `/books/${id}`),
    read: first === undefined ? [] : [`/read/${first.id}`],
    wanted: ['/want-to-read'],
    collections: ['/collections'],
    collection: used === null ? [] : [`/collections/${used.collectionId}`],
    readLists: ['/readlists'],
    readList: used === null ? [] : [`/readlists/${used.readListId}`],
    search: ['/search', `/search?q=${encodeURIComponent('captain comet')}`, `/search?q=${UNBROKEN.slice(0, 30)}`],
    settings: ['/settings'],
    apps: ['/settings/apps'],
  };
};

export const pathsOf = (used: Used | null): readonly string[] => Object.values(signedInPaths(used)).flat();

/** The screens of the client's table that none of these paths leads to. */
export const screensMissing = (paths: readonly string[]): readonly string[] => {
  const names = Object.keys(ADDRESSES) as ScreenName[];
  const patternOf = (name: ScreenName): RegExp => new RegExp(`^${ADDRESSES[name].replace('{id}', '[^/]+')}$`);
  const walked = paths.map((path) => names.find((name) => patternOf(name).test(path.replace(/[?#].*/, ''))));
  return names.filter((name) => !walked.includes(name));
};
