// What a path says about a book: title, volume and chapter (strategy `filename`), series name, format. Pure; linear in the length of the name.
import type { BookFormat } from './jobs.js';

const FORMATS: readonly BookFormat[] = ['cbz', 'cbr', 'epub', 'pdf'];

/** Longer names are cut before they are matched; no file system allows more than 255 bytes a part. */
const NAME_MAX = 512;
const ANCHOR = '(?:^|[\\s_\\-\\[(])';
const VOLUME = new RegExp(`${ANCHOR}(?:volume|vol|v)\\.?\\s{0,4}(\\d{1,6})(?![\\d.]*\\.\\d)`, 'i');
const CHAPTER = new RegExp(`${ANCHOR}(?:chapter|ch|c)\\.?\\s{0,4}(\\d{1,6}(?:\\.\\d{1,4})?)`, 'i');

export interface PathFacts {
  readonly title: string;
  readonly volume: number | null;
  readonly chapter: number | null;
}

const lastDot = (fileName: string): number => fileName.lastIndexOf('.');

export const stemOf = (fileName: string): string =>
  lastDot(fileName) > 0 ? fileName.slice(0, lastDot(fileName)) : fileName;

export const formatOf = (fileName: string): BookFormat | undefined => {
  const extension = fileName.slice(lastDot(fileName) + 1).toLowerCase();
  return FORMATS.find((format) => format === extension);
};

const numberIn = (pattern: RegExp, text: string): number | null => {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
};

export const factsOfFileName = (fileName: string): PathFacts => {
  const stem = stemOf(fileName).slice(0, NAME_MAX);
  return { title: stem, volume: numberIn(VOLUME, stem), chapter: numberIn(CHAPTER, stem) };
};

/** The series a file belongs to: the folder that directly contains it, keyed by its path; a file in the root is a series of its own. */
export const seriesOf = (folder: string, fileName: string): { readonly path: string; readonly name: string } => {
  if (folder === '') return { path: fileName, name: stemOf(fileName) };
  return { path: folder, name: folder.slice(folder.lastIndexOf('/') + 1) };
};
