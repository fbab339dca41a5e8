// Covers that were uploaded or made of a page, of the comic-server API.
import { record, text, whole, word, yes } from '../../surface/wire.js';
import { id } from './fields.js';

const fields = {
  id: id(),
  type: word(['USER_UPLOADED'], 'Those from the files are not listed.'),
  selected: yes(true),
  mediaType: text('image/jpeg'),
  fileSize: whole(48_213),
  width: whole(1280),
  height: whole(1920),
};

export const COVERS = {
  book: record('ComicBookCover', { ...fields, bookId: id() }),
  series: record('ComicSeriesCover', { ...fields, seriesId: id() }),
  collection: record('ComicCollectionCover', { ...fields, collectionId: id() }),
  read_list: record('ComicReadListCover', { ...fields, readListId: id() }),
} as const;
