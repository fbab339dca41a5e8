// cbz: a zip archive of images.
import { readArchiveMetadata } from '../metadata/archive.js';
import type { Container, Format } from './format.js';
import { isPageName } from './page-names.js';
import { openZip, type ZipArchive } from './zip.js';

const startsWith = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

const METADATA_NAME = /\.xml$/i;

/** A zip archive whose images are the pages. */
export const imagesOf = (archive: ZipArchive, xmlBytes: number): Container => {
  const files = archive.entries.filter((entry) => !entry.isFolder);
  return {
    format: 'cbz',
    pages: files.filter(({ name }) => isPageName(name)).map(archive.page),
    isOrdered: false,
    pageCount: null,
    outline: null,
    notes: [],
    head: archive.head,
    whole: archive.whole,
    metadata: () =>
      readArchiveMetadata({
        comment: Buffer.from(archive.comment).toString('utf8'),
        texts: files
          .filter(({ name }) => METADATA_NAME.test(name))
          .map((entry) => ({ name: entry.name, read: () => archive.read(entry, xmlBytes) })),
      }),
  };
};

export const cbz: Format = {
  format: 'cbz',
  sniff: (head) => startsWith(head, 0x50, 0x4b, 0x03, 0x04) || startsWith(head, 0x50, 0x4b, 0x05, 0x06),
  open: (file, { limits }) => imagesOf(openZip(file, limits), limits.xmlBytes),
};
