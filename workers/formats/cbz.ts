// cbz: a zip archive of images.
import { isPageName } from '../../core/model/page-names.js';
import { archiveFrontPages, chooseTexts, readArchiveMetadata, readOnce } from '../metadata/archive.js';
import type { Container } from './format.js';
import type { ZipArchive } from './zip.js';

/** A zip archive whose images are the pages. */
export const imagesOf = (archive: ZipArchive, xmlBytes: number): Container => {
  const files = archive.entries.filter((entry) => !entry.isFolder);
  const { texts: chosen, notes } = chooseTexts(files, xmlBytes);
  const texts = readOnce(chosen.map((entry) => ({ name: entry.name, read: () => archive.read(entry, xmlBytes) })));
  return {
    format: 'cbz',
    pages: files.filter(({ name }) => isPageName(name)).map(archive.page),
    isOrdered: false,
    pageCount: null,
    outline: null,
    notes,
    checksums: files.filter(({ name }) => isPageName(name)),
    head: archive.head,
    whole: archive.whole,
    frontPages: () => archiveFrontPages({ texts }),
    metadata: () => readArchiveMetadata({ comment: Buffer.from(archive.comment).toString('utf8'), texts }),
  };
};
