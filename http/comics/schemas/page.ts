// A page of a list, as clients of Spring Data read it.
import Type, { type TSchema } from 'typebox';
import { record, whole, yes } from '../../surface/wire.js';

const Sort = record('ComicSort', { sorted: yes(true), unsorted: yes(false), empty: yes(false) });

const Pageable = record('ComicPageable', {
  sort: Sort,
  pageNumber: whole(0, 'Starts at 0.'),
  pageSize: whole(20),
  offset: whole(0),
  paged: yes(true),
  unpaged: yes(false),
});

export const pageOf = <S extends TSchema>(component: string, row: S) =>
  record(component, {
    content: Type.Array(row),
    pageable: Pageable,
    sort: Sort,
    totalElements: whole(134),
    totalPages: whole(7),
    last: yes(false),
    first: yes(true),
    number: whole(0),
    numberOfElements: whole(20),
    size: whole(20),
    empty: yes(false),
  });
