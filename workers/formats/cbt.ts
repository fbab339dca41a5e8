// cbt: a tar archive of images, which lie in the file as they are. A tar archive has no checksums of its content, so those by which a book is
// recognised are computed.
import { AppError } from '../../core/model/errors.js';
import type { Limits, Note } from '../../core/model/jobs.js';
import { inFile } from '../../core/model/page-address.js';
import { leftOut, pagesAmong } from '../../core/model/page-names.js';
import { METHOD, type PageFault } from '../../core/model/page-table.js';
import { beginsAsTar, hasTarSum, TAR_BLOCK_BYTES } from '../../core/model/tar-header.js';
import type { BookFile } from '../book-file.js';
import { crcOf } from '../hashes.js';
import { archiveFrontPages, chooseTexts, readArchiveMetadata } from '../metadata/archive.js';
import type { Container, Extent, Format, ListedPage, OpenContext, PageHead } from './format.js';
import { listTar, type TarEntry } from './tar.js';
import { mayBePages, showsPicture } from './unnamed-pages.js';

const faultOf = ({ kind, isCut, size }: TarEntry, limits: Limits): PageFault => {
  if (kind === 'special') return 'notAFile';
  if (kind === 'sparse') return 'sparse';
  if (isCut) return 'cutOff';
  if (size === 0) return 'empty';
  return size > limits.entryBytes ? 'tooLarge' : 'none';
};

const pageOf = ({ name, offset, size, ...entry }: TarEntry, limits: Limits): ListedPage => ({
  name,
  address: { in: 'file', offset, headerBytes: 0 },
  packedSize: size,
  size,
  method: METHOD.raw,
  fault: faultOf({ name, offset, size, ...entry }, limits),
  known: null,
});

/** Hard links share their content. */
const withChecksums = (file: BookFile, pages: readonly ListedPage[], check: () => void): readonly ListedPage[] => {
  if (!file.isReadWhole) return pages;
  const known = new Map<number, number>();
  return pages.map((page) => {
    if (page.fault !== 'none') return page;
    const { offset: position } = inFile(page);
    const crc = known.get(position) ?? crcOf(file, { position, length: page.size }, check);
    known.set(position, crc);
    return { ...page, crc };
  });
};

const headOf = (file: BookFile, page: ListedPage, wanted: number): PageHead => {
  const length = Math.min(page.size, wanted);
  return { address: page.address, bytes: file.read(inFile(page).offset, length), isWhole: length === page.size };
};

const wholeOf = (file: BookFile, page: Extent): Buffer => file.read(inFile(page).offset, page.size);

const damageNotes = (damage: string | null): Note[] =>
  damage === null
    ? []
    : [
        {
          type: 'parser',
          message: `The tar archive is incomplete: ${damage}. Pages may be missing; copy or download the file again.`,
        },
      ];

const JOINED: Note = {
  type: 'parser',
  message:
    'The file consists of several tar archives, one after the other. All of them are read; of pages with the same name the last is shown.',
};

const openTar = (file: BookFile, { limits, check }: OpenContext): Container => {
  const { entries, damage, isJoined } = listTar(file, limits.archiveEntries, check);
  const files = entries.filter(({ kind }) => kind !== 'folder');
  const readable = files.filter((entry) => faultOf(entry, limits) === 'none');
  const chosen = chooseTexts(readable, limits.xmlBytes);
  const texts = chosen.texts.map(({ name, offset, size }) => ({ name, read: () => file.read(offset, size) }));
  const head = (page: ListedPage, wanted: number): PageHead => headOf(file, page, wanted);
  const named = pagesAmong(files);
  const unnamed = mayBePages(files, named).filter((entry) => {
    check();
    return showsPicture(pageOf(entry, limits), head);
  });
  const listed = [...named, ...unnamed].map((entry) => pageOf(entry, limits));
  const pages = withChecksums(file, listed, check);
  if (pages.length === 0 && damage !== null)
    throw new AppError('CorruptArchive', `The tar archive is damaged: ${damage}.`);
  const omitted = leftOut(files, pages);
  return {
    format: 'cbt',
    pages,
    isOrdered: false,
    pageCount: null,
    outline: null,
    notes: [
      ...damageNotes(damage),
      ...(isJoined ? [JOINED] : []),
      ...chosen.notes,
      ...(omitted === null ? [] : [omitted]),
    ],
    checksums: pages.map(({ crc = 0, size }) => ({ crc, size })),
    head,
    whole: (page) => wholeOf(file, page),
    frontPages: (names) => archiveFrontPages({ texts }, names),
    metadata: () => readArchiveMetadata({ comment: '', texts }),
  };
};

export const cbt: Format = {
  /** Archives of old programs have no signature, but a checksum. */
  sniff: (head) => {
    const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, TAR_BLOCK_BYTES));
    return beginsAsTar(bytes) || hasTarSum(bytes);
  },
  open: openTar,
};
