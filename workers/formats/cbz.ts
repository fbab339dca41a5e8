// cbz: a zip archive of images.
import { leftOut, pagesAmong } from '../../core/model/page-names.js';
import { archiveFrontPages, chooseTexts, readArchiveMetadata, readOnce } from '../metadata/archive.js';
import type { Container, OpenContext } from './format.js';
import { mayBePages, showsPicture } from './unnamed-pages.js';
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

/** By their names, else by their bytes. */
const pagesOf = (archive: ZipArchive, files: readonly ZipEntry[], check: () => void): readonly ZipEntry[] => {
  const named = pagesAmong(files);
  if (named.length > 0) return named;
  return mayBePages(files).filter((entry) => {
    check();
    return showsPicture(archive.page(entry), archive.head);
  });
};

/** A zip archive whose images are the pages. */
export const imagesOf = (archive: ZipArchive, { limits: { xmlBytes }, check }: OpenContext): Container => {
  const files = archive.entries.filter((entry) => !entry.isFolder);
  const { texts: chosen, notes } = chooseTexts(files, xmlBytes);
  const texts = readOnce(chosen.map((entry) => ({ name: entry.name, read: () => archive.read(entry, xmlBytes) })));
  const entries = pagesOf(archive, files, check);
  const omitted = leftOut(files, entries);
  return {
    format: 'cbz',
    pages: entries.map(archive.page),
    isOrdered: false,
    pageCount: null,
    outline: null,
    notes: omitted === null ? notes : [...notes, omitted],
    checksums: entries,
    head: archive.head,
    whole: archive.whole,
    frontPages: () => archiveFrontPages({ texts }),
    metadata: () => readArchiveMetadata({ comment: Buffer.from(archive.comment).toString('utf8'), texts }),
  };
};
