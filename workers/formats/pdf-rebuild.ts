// A PDF document that was cut off before its page tree: its pages are found among its objects. Only the document in memory is changed.
import type { BookFile } from '../book-file.js';

/** What is used of an object of the PDF reader, which itself uses this file. */
interface PdfObject {
  isIndirect(): boolean;
  isNull(): boolean;
  isDictionary(): boolean;
  isArray(): boolean;
  isStream(): boolean;
  asIndirect(): number;
  asName(): string;
  readonly length: number;
  get(key: string | number): PdfObject;
  getInheritable(key: string): PdfObject;
  forEach(each: (value: PdfObject) => void): void;
  put(key: string, value: unknown): unknown;
  push(value: unknown): unknown;
  destroy(): void;
}

interface Document {
  wasRepaired(): boolean;
  countObjects(): number;
  getTrailer(): PdfObject;
  newIndirect(number: number): PdfObject;
  newArray(): PdfObject;
  newDictionary(): PdfObject;
  newName(name: string): PdfObject;
}

const CHUNK_BYTES = 256 * 1024;
/** More than any book has; looking at so many takes two seconds. */
const OBJECTS_MAX = 300_000;
/** Longer than the number of an object and its generation. */
const HEADER_BYTES = 24;
const HEADER = /(?:^|[^\d])(\d{1,7})\s{1,4}\d{1,5}\s{1,4}$/;
const FIRST_HEADER = /^\s{0,8}(\d{1,7})\s{1,4}\d{1,5}\s{1,4}obj/;
const TABLE = Buffer.from('startxref');
/** The PDF reader looks no further. */
const TABLE_WITHIN_BYTES = 4096;
const START = Buffer.from('obj');
const END = Buffer.from('endobj');

/** How far from the end of the file: dictionaries are seldom larger, and damage within a stream does not make a document unreadable. */
const END_WITHIN_BYTES = 4 * 1024 * 1024;

/** Where the last complete object ends. Undefined when there is none near the end of the file. */
export const lastObjectEnd = (file: BookFile): number | undefined => {
  const first = Math.max(0, file.size - END_WITHIN_BYTES);
  for (let end = file.size; end > first; end -= CHUNK_BYTES) {
    const start = Math.max(first, end - CHUNK_BYTES);
    const chunk = file.read(start, Math.min(end + END.length, file.size) - start);
    const at = chunk.lastIndexOf(END);
    if (at >= 0) return start + at + END.length;
  }
  return undefined;
};

/** Where the end of the file begins, which says where the table of objects is. */
export const mentionOfTable = (file: BookFile): number | undefined => {
  const start = Math.max(0, file.size - TABLE_WITHIN_BYTES);
  const at = file.read(start, file.size - start).lastIndexOf(TABLE);
  return at < 0 ? undefined : start + at;
};

/** True when the table of objects can be read, but does not list the page tree or any of its parts. */
export const lacksListedPages = (document: Document): boolean => {
  if (document.wasRepaired()) return false;
  const root = document.getTrailer().get('Root');
  if (!root.isDictionary() || !root.get('Pages').isDictionary()) return true;
  const parts = root.get('Pages').get('Kids');
  if (!parts.isArray() || parts.length === 0) return false;
  for (let at = 0; at < parts.length; at += 1) if (parts.get(at).isDictionary()) return false;
  return true;
};

/** The numbers of the objects in the order of the file. Of one that is there twice, the last counts. */
const objectOrder = (file: BookFile): Map<number, number> => {
  const order = new Map<number, number>();
  for (let start = 0; start < file.size; start += CHUNK_BYTES) {
    const before = Math.min(start, HEADER_BYTES);
    const end = Math.min(start + CHUNK_BYTES + START.length - 1, file.size);
    const chunk = file.read(start - before, end - start + before);
    for (let at = chunk.indexOf(START, before); at >= 0; at = chunk.indexOf(START, at + 1)) {
      const number = HEADER.exec(chunk.toString('latin1', Math.max(0, at - HEADER_BYTES), at))?.[1];
      if (number !== undefined && order.size < OBJECTS_MAX) order.set(Number(number), start - before + at);
    }
  }
  return order;
};

const isPage = (document: Document, number: number): boolean => {
  const object = document.newIndirect(number);
  try {
    return object.get('Type').asName() === 'Page';
  } catch {
    return false; // this object is damaged; others may be pages
  } finally {
    object.destroy();
  }
};

const pageNumbers = (document: Document, file: BookFile): number[] => {
  const count = Math.min(document.countObjects(), OBJECTS_MAX);
  const pages = Array.from({ length: count }, (_, number) => number).filter((number) => isPage(document, number));
  if (pages.length === 0) return pages;
  const order = objectOrder(file);
  // Objects that are compressed together have no place of their own: they follow by number.
  const placeOf = (number: number): number => order.get(number) ?? file.size;
  return pages.sort((one, other) => placeOf(one) - placeOf(other) || one - other);
};

const addPageTree = (document: Document, pages: readonly number[]): void => {
  const kids = document.newArray();
  for (const number of pages) kids.push(document.newIndirect(number));
  const tree = document.newDictionary();
  tree.put('Type', document.newName('Pages'));
  tree.put('Count', pages.length);
  tree.put('Kids', kids);
  // Not objects of their own: these would get the numbers of lost ones, to which pages refer.
  const root = document.getTrailer().get('Root');
  if (root.isDictionary()) {
    root.put('Pages', tree);
    return;
  }
  const catalog = document.newDictionary();
  catalog.put('Type', document.newName('Catalog'));
  catalog.put('Pages', tree);
  document.getTrailer().put('Root', catalog);
};

/** Gives a repaired document that has no page tree one of all the pages in it, in the order of the file. */
export const rebuildPageTree = (document: Document, file: BookFile): void => {
  if (!document.wasRepaired()) return;
  const root = document.getTrailer().get('Root');
  if (root.isDictionary() && root.get('Pages').isDictionary()) return;
  const pages = pageNumbers(document, file);
  if (pages.length > 0) addPageTree(document, pages);
};

/** The number of the object in which the file ends: it is there only in part. */
export const cutObject = (file: BookFile): number | undefined => {
  const end = lastObjectEnd(file) ?? file.size;
  const rest = file.read(end, Math.min(file.size - end, HEADER_BYTES * 2)).toString('latin1');
  const number = FIRST_HEADER.exec(rest)?.[1];
  return number === undefined ? undefined : Number(number);
};

const all = (values: PdfObject): PdfObject[] => {
  const found: PdfObject[] = [];
  values.forEach((value) => {
    found.push(value);
  });
  return found;
};

const isMissing = (object: PdfObject): boolean => object.isIndirect() && !object.isDictionary() && !object.isArray();

const lacksStreams = (contents: PdfObject, cut: number | undefined): boolean =>
  (contents.isArray() ? all(contents) : [contents]).some((part) => isMissing(part) || part.asIndirect() === cut);

/** True when a page of a document that was cut off lacks some of its content, all of its images, or what it had from the page tree. */
export const hasLostContent = (page: PdfObject, cut: number | undefined): boolean => {
  const contents = page.get('Contents');
  if (isMissing(contents) || lacksStreams(contents, cut) || page.getInheritable('MediaBox').isNull()) return true;
  const resources = page.getInheritable('Resources');
  if (!resources.isDictionary()) return !contents.isNull();
  const images = resources.get('XObject');
  const others = images.isDictionary() ? all(images) : [];
  return isMissing(images) || (others.length > 0 && others.every(isMissing));
};
