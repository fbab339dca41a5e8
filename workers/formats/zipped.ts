// A zip archive is an EPUB book or a set of images: the content decides, not the name.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { imagesOf } from './cbz.js';
import { isEpub, openEpub, refuseWithoutContainer } from './epub.js';
import { describePackage } from './foreign.js';
import type { BookContext, Container, Format } from './format.js';
import { openZip, type ZipArchive } from './zip.js';

const startsWith = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

/** Names that no archive of images has; the others are not looked through. */
const MAY_BE_PACKAGE = /^(?:\[content_types\]\.xml|meta-inf\/manifest\.xml|mimetype|androidmanifest\.xml)$/i;

const containerOf = async (archive: ZipArchive, file: BookFile, context: BookContext): Promise<Container> => {
  if (isEpub(archive)) return openEpub(archive, context);
  const container = await imagesOf(archive, file, context);
  const isEmpty = container.pages.length === 0;
  if (isEmpty || archive.entries.some(({ name }) => MAY_BE_PACKAGE.test(name))) {
    const other = describePackage(
      archive.entries.map(({ name }) => name),
      isEmpty,
    );
    if (other !== undefined) throw other;
  }
  if (isEmpty) refuseWithoutContainer(archive);
  return container;
};

/**
 * What remains of an archive without its directory: worth having when something can be read, else the fault of the directory is reported.
 */
const salvaged = async (
  archive: ZipArchive,
  refused: AppError,
  file: BookFile,
  context: BookContext,
): Promise<Container> => {
  let container: Container;
  try {
    container = await containerOf(archive, file, context);
  } catch (thrown) {
    throw thrown instanceof AppError && thrown.kind === 'CorruptArchive' ? refused : thrown;
  }
  if (container.pages.length === 0 && container.pageCount === null) throw refused;
  const message = `${refused.message} The entries that could be found without it are shown; pages at the end may be missing. Copy or download the file again.`;
  return { ...container, notes: [...container.notes, { type: 'parser', message }] };
};

export const zipped: Format = {
  sniff: (head) => startsWith(head, 0x50, 0x4b, 0x03, 0x04) || startsWith(head, 0x50, 0x4b, 0x05, 0x06),
  open: (file: BookFile, context: BookContext) => {
    const archive = openZip(file, context);
    return archive.refused === null
      ? containerOf(archive, file, context)
      : salvaged(archive, archive.refused, file, context);
  },
};
