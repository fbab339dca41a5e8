// The paging envelope and its links, from the root of the host that clients ask; every other parameter of the request is kept.
import { type PageOf, totalPagesOf } from '../../../core/model/paging.js';
import type { Reply } from '../../server/adapter.js';
import { json } from '../../surface/reply.js';
import type { Ctx } from '../../surface/route.js';

type Asked = Pick<Ctx<unknown>, 'request' | 'settings'>;

/** The address of any page of the list. Most requests have no parameters, and parsing none takes as long as all the rest of a short answer. */
const addressesOf = ({ request, settings }: Asked, pageSize: number): ((page: number) => string) => {
  const { query } = request;
  const path = settings.subPath + request.path;
  if (query === '') return (page) => `${path}?page=${page}&pageSize=${pageSize}`;
  const parameters = new URLSearchParams(query);
  parameters.delete('page_size');
  parameters.set('page', '1');
  parameters.set('pageSize', String(pageSize));
  return (page) => {
    parameters.set('page', String(page));
    return `${path}?${parameters.toString()}`;
  };
};

interface Links {
  readonly self: string;
  readonly first: string;
  readonly last: string;
  readonly prev: string | null;
  readonly next: string | null;
}

const linksOf = (asked: Asked, { page, pageSize, total }: PageOf<unknown>): Links => {
  const totalPages = totalPagesOf(total, pageSize);
  const last = Math.max(1, totalPages);
  const to = addressesOf(asked, pageSize);
  return {
    self: to(page),
    first: to(1),
    last: to(last),
    prev: page > 1 ? to(Math.min(page - 1, last)) : null,
    next: page < totalPages ? to(page + 1) : null,
  };
};

const link = (address: string | null, rel: string): string => (address === null ? '' : `, <${address}>; rel="${rel}"`);

/** The links for clients that read headers (RFC 8288). */
const linkHeader = ({ self, first, last, prev, next }: Links): readonly [string, string] => [
  'Link',
  `<${self}>; rel="self"${link(first, 'first')}${link(last, 'last')}${link(prev, 'prev')}${link(next, 'next')}`,
];

/** PaginatedResponse; the Link header carries the same information. */
export const pageReply = <T, V>(asked: Asked, found: PageOf<T>, view: (item: T) => V): Reply => {
  const { page, pageSize, total } = found;
  const links = linksOf(asked, found);
  const body = { data: found.items.map(view), page, pageSize, total, totalPages: totalPagesOf(total, pageSize), links };
  return json(200, body, [linkHeader(links)]);
};

/** A page as a plain array; the Link header says what else there is. */
export const arrayReply = <T, V>(asked: Asked, found: PageOf<T>, view: (item: T) => V): Reply =>
  json(200, found.items.map(view), [linkHeader(linksOf(asked, found))]);

/** A page as items, with the total count. */
export const itemsReply = <T, V>(asked: Asked, found: PageOf<T>, view: (item: T) => V): Reply =>
  json(200, { items: found.items.map(view), total: found.total }, [linkHeader(linksOf(asked, found))]);
