// Covers of the comic-server API: those that were uploaded or made of a page, and of books the one from the file.
import { record, text, whole, word, yes } from '../../surface/wire.js';
import { id } from './fields.js';

const fields = {
  id: id(),
  type: word(['USER_UPLOADED', 'GENERATED'], 'Of books, the one from the file is listed as well.'),
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
