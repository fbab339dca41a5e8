// Genres and tags as answers show them: both are alike.
import Type from 'typebox';
import { id, orNull, record, text, time, whole } from '../../surface/wire.js';
import { pageOf } from './paging.js';

/** GenreDto and TagDto. */
export const Term = record('Term', {
  id: id(),
  name: text('Adventure'),
  seriesCount: orNull(whole(7, 'How many series have it; null where they are not counted.')),
  createdAt: time(),
});

export const TermPage = pageOf('TermPage', Term);

/** The list has the name of its kind. */
export const TERM_LISTS = {
  genre: record('GenreList', { genres: Type.Array(Term) }),
  tag: record('TagList', { tags: Type.Array(Term) }),
};

export const Cleanup = record('Cleanup', {
  deletedCount: whole(1),
  deletedNames: Type.Array(text('Adventure')),
});
