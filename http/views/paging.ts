// The paging envelope and its links: relative to the server's root, with every other parameter of the request kept.
import { type PageOf, totalPagesOf } from '../../core/catalog/paging.js';
import type { Reply, Request } from '../adapter.js';
import { json } from '../reply.js';

const linkTo = (request: Request, page: number, pageSize: number): string => {
  const query = new URLSearchParams(request.query);
  query.delete('page_size');
  query.set('page', String(page));
  query.set('pageSize', String(pageSize));
  return `${request.path}?${query.toString()}`;
};

/** PaginatedResponse; the Link header says the same for clients that read headers (RFC 8288). */
export const pageReply = <T, V>(request: Request, found: PageOf<T>, view: (item: T) => V): Reply => {
  const { page, pageSize, total } = found;
  const totalPages = totalPagesOf(total, pageSize);
  const last = Math.max(1, totalPages);
  const to = (number: number): string => linkTo(request, number, pageSize);
  const links = {
    self: to(page),
    first: to(1),
    last: to(last),
    prev: page > 1 ? to(Math.min(page - 1, last)) : null,
    next: page < totalPages ? to(page + 1) : null,
  };
  const header = Object.entries(links)
    .filter(([, address]) => address !== null)
    .map(([rel, address]) => `<${address}>; rel="${rel}"`)
    .join(', ');
  return json(200, { data: found.items.map(view), page, pageSize, total, totalPages, links }, [['Link', header]]);
};
