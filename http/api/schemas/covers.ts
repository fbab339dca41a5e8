// Uploaded and chosen covers, as returned by the API.
import Type, { type TString } from 'typebox';
import { id, record, text, time, whole, yes } from '../../surface/wire.js';

const fields = {
  id: id(),
  source: text('custom', 'custom for an uploaded image, page:N for a copy of a page of the book.'),
  path: text('uploads/0198c7a2-6f3e-7b51-9c0d-2a4e6f8b1d35.jpg', 'The path of the image in the data folder.'),
  isSelected: yes(true),
  width: whole(1400),
  height: whole(2000),
  createdAt: time(),
  updatedAt: time(),
};

export const CoverFields = Type.Object(fields);

/** One cover with the id of its owner, and the list of an owner's covers. */
const coverOf = <Of extends string>(name: string, of: Of) => {
  const owner = { [of]: id() } as Record<Of, TString>;
  const cover = record(`${name}Cover`, { ...fields, ...owner });
  const source = text('custom', 'What is shown: default for the cover from the files, custom, page:N or book:<uuid>.');
  return { cover, covers: record(`${name}Covers`, { covers: Type.Array(cover), source }) };
};

/** BookCoverDto, SeriesCoverDto, and their counterparts for lists. */
export const COVERS = {
  book: coverOf('Book', 'bookId'),
  series: coverOf('Series', 'seriesId'),
  collection: coverOf('Collection', 'collectionId'),
  read_list: coverOf('ReadList', 'readListId'),
};

export const ChosenCover = record('ChosenCover', { source: text('default') });
