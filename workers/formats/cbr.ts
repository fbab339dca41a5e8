// cbr: a RAR archive of images. Stored entries are read by position; packed ones are unpacked once, in one pass over the archive, which
// also verifies every checksum.
import { AppError } from '../../core/model/errors.js';
import type { Limits, Note } from '../../core/model/jobs.js';
import { isTooLargePacked } from '../../core/model/large-pages.js';
import { inArchive } from '../../core/model/page-address.js';
import type { Checksum } from '../../core/model/page-hashes.js';
import { inPageOrder, leftOut, pagesAmong } from '../../core/model/page-names.js';
import { METHOD, type PageFault } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';
import { crcOf } from '../hashes.js';
import { archiveFrontPages, chooseTexts, readArchiveMetadata } from '../metadata/archive.js';
import { Captured, type CaptureRequest } from './capture.js';
import type { Container, Extent, Format, ListedPage, OpenContext, PageHead } from './format.js';
import { mayBePages, showsPicture } from './unnamed-pages.js';
import { listRar, type RarArchive, type RarEntry, unpackRar } from './unrar.js';

const SIGNATURE = [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07];
/** Below this a high ratio is harmless: a blank page compresses well. */
const RATIO_FROM_BYTES = 16 * 1024 * 1024;

const faultOf = (entry: RarEntry, limits: Limits): PageFault => {
  if (entry.isEncrypted) return 'encrypted';
  if (entry.isLink) return 'notAFile';
  if (entry.size === 0) return 'empty';
  const isBomb = entry.size > RATIO_FROM_BYTES && entry.size > entry.packedSize * limits.entryRatio;
  return isBomb || entry.size > limits.entryBytes ? 'tooLarge' : 'none';
};

/** The position of an entry is derived from the reader's seeks, so it is trusted only when the bytes there have the right checksum. */
const liesRaw = (file: BookFile, entry: RarEntry, check: () => void): boolean =>
  entry.isStored &&
  !entry.isEncrypted &&
  entry.packedSize === entry.size &&
  entry.offset >= SIGNATURE.length &&
  entry.offset + entry.size <= file.size &&
  crcOf(file, { position: entry.offset, length: entry.size }, check) === entry.crc;

const pageOf = (file: BookFile, archive: RarArchive, entry: RarEntry, { limits, check }: OpenContext): ListedPage => {
  const fault = faultOf(entry, limits);
  const isRaw = fault === 'none' && liesRaw(file, entry, check);
  const packed = archive.isSolid ? METHOD.solid : METHOD.rar;
  const method = isRaw ? METHOD.raw : packed;
  const { packedSize, size } = entry;
  return {
    name: entry.name,
    address: isRaw ? { in: 'file', offset: entry.offset, headerBytes: 0 } : { in: 'archive', entry: entry.index },
    packedSize,
    size,
    method,
    crc: entry.crc,
    fault: fault === 'none' && isTooLargePacked({ method, packedSize, size }) ? 'tooLarge' : fault,
    known: null,
  };
};

const FIRST_PAGES = 3;

/** What the pass must keep: the beginning of every packed page, the first pages whole (one becomes the cover), and metadata files. */
const captureRequests = (pages: readonly ListedPage[], texts: readonly RarEntry[]): CaptureRequest[] => {
  const packed = pages.filter(({ method, fault }) => method !== METHOD.raw && fault === 'none');
  const first = new Set(inPageOrder(packed).slice(0, FIRST_PAGES));
  return [
    ...packed.map((page) => ({ index: inArchive(page).entry, size: page.size, isWhole: first.has(page) })),
    ...texts.map(({ index, size }) => ({ index, size, isWhole: true })),
  ];
};

const damageNotes = ({ damage }: RarArchive): Note[] =>
  damage === null ? [] : [{ type: 'parser', message: `${damage.message} Pages may be missing at its end.` }];

/** Pages that take too much memory are left out; if those are all, the book is refused for that reason. */
const withoutRefused = (pages: readonly ListedPage[], captured: Captured): { pages: ListedPage[]; notes: Note[] } => {
  let first: AppError | null = null;
  const left = pages.map((page): ListedPage => {
    const refusal = page.address.in === 'archive' ? captured.refusal(page.address.entry) : null;
    first ??= refusal;
    return refusal === null ? page : { ...page, fault: 'tooLarge' };
  });
  const why = first as AppError | null;
  if (why === null) return { pages: left, notes: [] };
  if (left.every(({ fault }) => fault !== 'none')) throw why;
  return { pages: left, notes: [{ type: 'parser', message: why.message }] };
};

const headOf = (file: BookFile, captured: Captured, { address, size }: ListedPage, wanted: number): PageHead => {
  if (address.in !== 'file') return { address, ...captured.head(inArchive({ address }).entry) };
  const length = Math.min(size, wanted);
  return { address, bytes: file.read(address.offset, length), isWhole: length === size };
};

/** Pages without the names of images are as good for recognising a book as others. */
const checksumsOf = (named: readonly RarEntry[], unnamed: readonly ListedPage[]): readonly Checksum[] => [
  ...named.map(({ crc, size, isEncrypted }) => ({ crc: isEncrypted ? 0 : crc, size })),
  ...unnamed.map(({ crc = 0, size }) => ({ crc, size })),
];

const openRar = async (file: BookFile, context: OpenContext): Promise<Container> => {
  const { limits, check } = context;
  const archive = await listRar(file, limits.archiveEntries, check);
  if (archive.entries.length === 0) throw new AppError('CorruptArchive', 'The RAR archive is damaged: it is cut off.');
  const entries = archive.entries.filter((entry) => !entry.isFolder);
  const named = pagesAmong(entries);
  const listed = [...named, ...mayBePages(entries, named)].map((entry) => pageOf(file, archive, entry, context));
  const readable = entries.filter((entry) => faultOf(entry, limits) === 'none');
  const { texts, notes } = chooseTexts(readable, limits.xmlBytes);
  const captured = new Captured(captureRequests(listed, texts));
  await captured.fill(file, check);
  const found = withoutRefused(listed, captured);
  const head = (page: ListedPage, wanted: number): PageHead => headOf(file, captured, page, wanted);
  const unnamed = found.pages.slice(named.length).filter((page) => showsPicture(page, head));
  const pages = [...found.pages.slice(0, named.length), ...unnamed];
  if (pages.length === 0 && archive.damage !== null) throw archive.damage;
  const omitted = leftOut(entries, pages);
  return {
    format: 'cbr',
    pages,
    isOrdered: false,
    pageCount: null,
    outline: null,
    notes: [...damageNotes(archive), ...found.notes, ...notes, ...(omitted === null ? [] : [omitted])],
    checksums: checksumsOf(named, unnamed),
    head,
    whole: (page) =>
      page.address.in === 'file'
        ? file.read(page.address.offset, page.size)
        : (captured.whole(inArchive(page).entry) ?? readRarPage(file, page, check)),
    frontPages: (names) =>
      archiveFrontPages(
        { texts: texts.map(({ name, index }) => ({ name, read: () => captured.whole(index) ?? null })) },
        names,
      ),
    metadata: () =>
      readArchiveMetadata({
        comment: archive.comment,
        texts: texts.map(({ name, index }) => ({ name, read: () => captured.whole(index) ?? null })),
      }),
  };
};

/** One entry by its number. Unpacks the entries before it only when the archive is solid. */
export const readRarPage = async (file: BookFile, page: Extent, check: () => void): Promise<Uint8Array> => {
  const { entry } = inArchive(page);
  const bytes = Buffer.allocUnsafeSlow(page.size);
  let length = 0;
  let failed = null as AppError | null;
  let found = false;
  await unpackRar(
    file,
    {
      choose: ({ index, size, packedSize }) => {
        if (index > entry) return 'stop';
        if (index < entry) return 'skip';
        found = size === page.size && packedSize === page.packedSize;
        if (!found) return 'stop';
        return (part) => {
          if (length + part.length > bytes.length) return false;
          bytes.set(part, length);
          length += part.length;
          return true;
        };
      },
      done: (_, error) => {
        failed = error;
      },
    },
    check,
  );
  if (!found) throw new AppError('FileChanged');
  if (failed?.kind === 'LimitExceeded') throw failed;
  if (failed !== null || length !== page.size)
    throw new AppError(
      'CorruptPage',
      'The page is damaged: its compressed data does not match its checksum.',
      null,
      failed,
    );
  return bytes;
};

export const cbr: Format = {
  sniff: (head) => SIGNATURE.every((byte, at) => head[at] === byte),
  open: openRar,
};

/** A self-extracting archive begins with a program; unrar itself looks for the archive in the first megabytes. */
const SFX_MAX_BYTES = 2 * 1024 * 1024;

export const isSelfExtracting = (file: BookFile): boolean =>
  file.read(0, Math.min(file.size, SFX_MAX_BYTES)).includes(Buffer.from(SIGNATURE));
