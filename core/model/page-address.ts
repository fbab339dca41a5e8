// Where the content of a page lies in its book: a place in the file, an entry of an archive, or a page of a document.
import { AppError } from './errors.js';

/** From `offset` on: a header of `headerBytes` (0 where there is none), then the content. Bytes. */
export interface FileAddress {
  readonly in: 'file';
  readonly offset: number;
  readonly headerBytes: number;
}

/** An entry (0-based) that only the reader of the archive can take out of it. */
export interface ArchiveAddress {
  readonly in: 'archive';
  readonly entry: number;
}

/** A page (0-based) of a PDF document; `object` is the number of the image it consists of, 0 where the page has to be drawn. */
export interface DocumentAddress {
  readonly in: 'document';
  readonly page: number;
  readonly object: number;
}

export type PageAddress = FileAddress | ArchiveAddress | DocumentAddress;

interface Addressed {
  readonly address: PageAddress;
}

const wrongPlace = ({ address }: Addressed, wanted: string): AppError =>
  new AppError('Internal', `A page in the ${address.in} was read as one in the ${wanted}.`);

export const inFile = (page: Addressed): FileAddress => {
  if (page.address.in !== 'file') throw wrongPlace(page, 'file');
  return page.address;
};

export const inArchive = (page: Addressed): ArchiveAddress => {
  if (page.address.in !== 'archive') throw wrongPlace(page, 'archive');
  return page.address;
};

export const inDocument = (page: Addressed): DocumentAddress => {
  if (page.address.in !== 'document') throw wrongPlace(page, 'document');
  return page.address;
};
