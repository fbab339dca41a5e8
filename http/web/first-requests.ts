// What each screen requests before it can show anything: with these in the head of its page, a browser requests them together with the
// scripts, not after it has run them. Written exactly as the client's generated functions write them; a test compares the two.
import type { ScreenName } from './addresses.js';

/** Below the address of the API; `{id}` is that of the page. */
const FIRST_REQUESTS: Partial<Record<ScreenName, readonly string[]>> = {
  home: ['books/in-progress?pageSize=24', 'books/on-deck?pageSize=24', 'books/recently-added?pageSize=24'],
  libraries: ['libraries?pageSize=500'],
  library: ['libraries/{id}', 'series?page=1&pageSize=120&sort=name%2Casc&libraryId={id}'],
  browse: ['series?page=1&pageSize=120&sort=name%2Casc'],
  series: ['series/{id}?full=true', 'series/{id}/books'],
  book: ['books/{id}', 'books/{id}/adjacent'],
  read: ['books/{id}', 'books/{id}/pages', 'user/reader-profiles?pageSize=500&bookId={id}'],
  wanted: ['want-to-read?sort=newest'],
  collections: ['collections?page=1&pageSize=500'],
  collection: ['collections/{id}'],
  readLists: ['readlists?page=1&pageSize=500'],
  readList: ['readlists/{id}'],
};

/** Screens that request the same whatever their query is: on the others, it is a choice of what is shown. */
const WITH_ANY_QUERY: ReadonlySet<ScreenName> = new Set(['home', 'series', 'read', 'collection', 'readList']);

/** As the value of a header (RFC 8288), or null. `at` leads from the page to the root of this server. */
export const firstRequests = (name: ScreenName, at: string, id: string, query: string): string | null => {
  const paths = query === '' || WITH_ANY_QUERY.has(name) ? (FIRST_REQUESTS[name] ?? []) : [];
  if (paths.length === 0) return null;
  return paths
    .map(
      (path) => `<${at}api/v1/${path.replaceAll('{id}', encodeURIComponent(id))}>; rel=preload; as=fetch; crossorigin`,
    )
    .join(', ');
};
