// Collections and read lists of the comic-server API, with the ids of what is in them.
import Type from 'typebox';
import { record, text, yes } from '../../surface/wire.js';
import { id, moment } from './fields.js';

const listFields = {
  ordered: yes(false),
  createdDate: moment(),
  lastModifiedDate: moment(),
  filtered: yes(false, 'Always false: whether something is hidden is not told.'),
};

export const Collection = record('ComicCollection', {
  id: id(),
  name: text('Fog and sea'),
  seriesIds: Type.Array(id()),
  ...listFields,
});

export const ReadList = record('ComicReadList', {
  id: id(),
  name: text('Fog and sea'),
  summary: text('What to read in November'),
  bookIds: Type.Array(id()),
  ...listFields,
});
