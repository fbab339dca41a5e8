// Where a catalogue is: the addresses of its feeds and files as the client reaches them, and those of the same feed's other pages.
import { totalPagesOf } from '../../core/model/paging.js';
import type { Ctx } from '../surface/route.js';
import type { Page } from './feed.js';

export interface Place {
  /** Of the catalogue, without a slash at its end. */
  readonly root: string;
  /** Of the server. */
  readonly server: string;
}

/** Relative to the root of the host when nothing tells the host. */
export const placeOf = ({ base, prefix, settings }: Pick<Ctx<unknown>, 'base' | 'prefix' | 'settings'>): Place => {
  const known = base();
  const server = known === '' ? settings.subPath : known;
  return { server, root: server + prefix };
};

/** The native API, below the address of the server. */
export const NATIVE = '/api/v1';

const withQuery = (path: string, parameters: URLSearchParams): string => {
  const query = parameters.toString();
  return query === '' ? path : `${path}?${query}`;
};

/** The path of a request below the root of its catalogue, with its query. */
export const ownPath = ({ request, prefix }: Pick<Ctx<unknown>, 'request' | 'prefix'>): string =>
  withQuery(request.path.slice(prefix.length), new URLSearchParams(request.query));

/** The same path without some parameters, for others to be added. */
export const pathWithout = (path: string, names: readonly string[]): ((added: string) => string) => {
  const [bare = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  for (const name of names) parameters.delete(name);
  const others = parameters.toString();
  const start = others === '' ? bare : `${bare}?${others}`;
  return (added) => (added === '' ? start : `${start}${others === '' ? '?' : '&'}${added}`);
};

export interface PageLinks {
  readonly first: string | null;
  readonly previous: string | null;
  readonly next: string | null;
  readonly last: string | null;
}

const NONE: PageLinks = { first: null, previous: null, next: null, last: null };

/** Only where there is more than one page. */
export const pageLinks = (path: string, page: Page | null): PageLinks => {
  if (page === null) return NONE;
  const last = totalPagesOf(page.total, page.pageSize);
  if (last <= 1 && page.page === 1) return NONE;
  const others = pathWithout(path, ['page', 'pageSize', 'size']);
  const to = (number: number): string => others(`page=${number}&pageSize=${page.pageSize}`);
  return {
    first: to(1),
    previous: page.page > 1 ? to(Math.max(1, Math.min(page.page - 1, last))) : null,
    next: page.page < last ? to(page.page + 1) : null,
    last: to(Math.max(1, last)),
  };
};
