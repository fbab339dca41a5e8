// Collections and read lists of the comic-server API.
import Type from 'typebox';
import { record, text, yes } from '../../surface/wire.js';
import { id, moment } from './fields.js';
import { pageOf } from './page.js';

/** A uuid without hyphens, or the queue of what the user wants to read. */
const listId = () => Type.String({ pattern: '^(?:[0-9a-f]{32}|want-to-read)$', examples: ['want-to-read'] });

const common = {
  id: listId(),
  name: text('Favourites'),
  ordered: yes(true),
  createdDate: moment(),
  lastModifiedDate: moment(),
  filtered: yes(false, 'Always false: the truth would reveal that something is hidden.'),
};

export const Collection = record('ComicCollection', { ...common, seriesIds: Type.Array(id()) });
export const ReadList = record('ComicReadList', { ...common, summary: text(''), bookIds: Type.Array(id()) });
export const CollectionPage = pageOf('ComicCollectionPage', Collection);
export const ReadListPage = pageOf('ComicReadListPage', ReadList);
