// The fields of conditions, and the fields of core that they stand for.
import type { AppBookField, AppSeriesField } from '../../../core/catalog/conditions/fields.js';
import { creditReading } from './credit.js';
import type { Readings } from './grammar.js';
import { day, equal, idOf, is, listOf, number, text, word, yesNo } from './operators.js';
import { posterReading } from './poster.js';
import { statusReading } from './status.js';

const READ_STATUSES = { UNREAD: is('unread'), IN_PROGRESS: is('in_progress'), READ: is('read') };

const MEDIA_STATUSES = {
  UNKNOWN: is('unknown'),
  ERROR: is('error'),
  READY: is('ready'),
  UNSUPPORTED: is('unsupported'),
  OUTDATED: is('outdated'),
};

const MEDIA_PROFILES = { DIVINA: is('pictures'), PDF: is('document'), EPUB: is('epub') };

export const SERIES: Readings<AppSeriesField> = {
  libraryId: idOf('libraryId'),
  collectionId: listOf('collectionId'),
  deleted: yesNo('deleted'),
  complete: yesNo('completion'),
  oneShot: yesNo('oneShot'),
  title: text('name'),
  titleSort: text('titleSort'),
  releaseDate: day('released'),
  publisher: equal('publisher'),
  language: equal('language'),
  genre: equal('genre'),
  tag: equal('tag'),
  sharingLabel: equal('sharingTag'),
  ageRating: number('ageRating'),
  author: creditReading,
  readStatus: word('readStatus', READ_STATUSES),
  seriesStatus: statusReading,
};

export const BOOKS: Readings<AppBookField> = {
  libraryId: idOf('libraryId'),
  seriesId: idOf('seriesId'),
  readListId: listOf('readListId'),
  deleted: yesNo('deleted'),
  oneShot: yesNo('oneShot'),
  title: text('title'),
  releaseDate: day('released'),
  numberSort: number('number'),
  tag: equal('ownTag'),
  author: creditReading,
  readStatus: word('readStatus', READ_STATUSES),
  mediaStatus: word('mediaStatus', MEDIA_STATUSES),
  mediaProfile: word('mediaProfile', MEDIA_PROFILES),
  poster: posterReading,
};
