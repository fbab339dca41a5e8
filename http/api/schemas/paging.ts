// Lists in answers: pages with their links, and plain items with a count.
import Type, { type TSchema } from 'typebox';
import { orNull, record, text, whole } from '../../surface/wire.js';

const Links = record('PageLinks', {
  self: text('/api/v1/books?page=2&pageSize=50', 'This page; all links are relative to the root of the server.'),
  first: text('/api/v1/books?page=1&pageSize=50'),
  last: text('/api/v1/books?page=3&pageSize=50'),
  prev: orNull(text('/api/v1/books?page=1&pageSize=50')),
  next: orNull(text('/api/v1/books?page=3&pageSize=50')),
});

/** What surrounds the rows of a page. */
export const pageFields = {
  page: whole(2, 'The number of this page, starting at 1.'),
  pageSize: whole(50),
  total: whole(134, 'The number of items on all pages.'),
  totalPages: whole(3),
  links: Links,
};

/** PaginatedResponse. */
export const pageOf = <S extends TSchema>(component: string, row: S) =>
  record(component, { data: Type.Array(row), ...pageFields });

export const itemsOf = <S extends TSchema>(component: string, row: S) =>
  record(component, { items: Type.Array(row), total: whole(1, 'The number of items in all.') });
