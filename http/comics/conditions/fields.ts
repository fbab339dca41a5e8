// The fields of conditions, and the fields of core that they stand for.
import type { BookField, SeriesField } from '../../../core/catalog/conditions/fields.js';
import type { Readings } from './grammar.js';
import { equal, idOf, is, text, word, yesNo } from './operators.js';

export const READ_STATUSES = { UNREAD: is('unread'), IN_PROGRESS: is('in_progress'), READ: is('read') };

const SERIES_STATUSES = {
  ONGOING: is('ongoing'),
  ENDED: is('ended'),
  HIATUS: is('hiatus'),
  ABANDONED: is('abandoned'),
};

export const SERIES: Readings<SeriesField> = {
  libraryId: idOf('libraryId'),
  title: text('name'),
  titleSort: text('titleSort'),
  publisher: equal('publisher'),
  language: equal('language'),
  genre: equal('genre'),
  tag: equal('tag'),
  sharingLabel: equal('sharingTag'),
  readStatus: word('readStatus', READ_STATUSES),
  seriesStatus: word('status', SERIES_STATUSES),
  complete: yesNo('completion'),
};

export const BOOKS: Readings<BookField> = {
  libraryId: idOf('libraryId'),
  seriesId: idOf('seriesId'),
  title: text('title'),
  tag: equal('tag'),
  readStatus: word('readStatus', READ_STATUSES),
};
