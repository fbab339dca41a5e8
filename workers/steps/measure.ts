// Puts pages into reading order and reads the size of each from its header, without decoding it. A bad page gets a fault, the rest goes on.
import { blankPage, blankSize } from '../../core/model/blank-page.js';
import { AppError } from '../../core/model/errors.js';
import type { Limits, NamedPage } from '../../core/model/jobs.js';
import { type MediaName, mediaNumber } from '../../core/model/media.js';
import type { PageAddress } from '../../core/model/page-address.js';
import { inPageOrder } from '../../core/model/page-names.js';
import { faultNumber, METHOD, type PageFault } from '../../core/model/page-table.js';
import { isRefusedLab } from '../decode-error.js';
import type { Container, ListedPage, PageHead } from '../formats/format.js';
import { headRange } from '../formats/zip.js';
import { inSecondRoom } from '../formats/zip-fallback.js';
import { END_BYTES, endsEarly, isShorterThanDeclared } from '../image-end.js';
import { type ImageHead, isForIos, mayBeTurned, mediaOfBytes, sizeOfBytes, spaceBefore } from '../image-head.js';
import { inPageRoom } from '../page-room.js';
import type { AheadFile } from '../read-ahead.js';
import { type Run, step } from '../step.js';

/** Sizes tried one after the other: most headers are in the first few kilobytes, some after colour profiles and previews. */
const HEADS = [4096, 64 * 1024, 1024 * 1024] as const;
/** A page whose header no parser understands is decoded to find its size, unless it is larger than this. */
const DECODE_MAX_BYTES = 64 * 1024 * 1024;

interface Measured {
  readonly address: PageAddress;
  readonly media: MediaName;
  readonly width: number;
  readonly height: number;
  readonly fault: PageFault;
  /** Less than that of the entry, if white space precedes the image. */
  readonly size?: number;
  /** The image ends too early; what there is of it is shown. */
  readonly isCut: boolean;
}

const unmeasured = (fault: PageFault, address: PageAddress, media: MediaName = 'unknown'): Measured => ({
  isCut: false,
  address,
  media,
  width: 0,
  height: 0,
  fault,
});

const sized = (address: PageAddress, { media, width, height }: ImageHead, limits: Limits, isCut: boolean): Measured => {
  const tooMany = width * height > limits.imagePixels;
  return { isCut, address, media, width, height, fault: tooMany ? 'tooManyPixels' : 'none' };
};

/** The size according to the decoder; undefined when it cannot read the page, or the page is too large to try. */
const decodedSize = async ({ container, run }: Reading, page: ListedPage): Promise<ImageHead | undefined> => {
  if (page.size > DECODE_MAX_BYTES) return undefined;
  const { headByDecoder } = await import('../image-codec.js');
  const decoded = async () => headByDecoder(await container.whole(page));
  return page.method === METHOD.deflated ? inPageRoom(run, page, decoded) : decoded();
};

/** The beginning of the page that follows in the file, with its header: mostly it is measured next. */
const NEXT_BYTES = HEADS[0] + 1024;

/** The last bytes of a page, where they cost neither unpacking nor waiting. */
const lastBytes = (file: AheadFile, { method, size }: ListedPage, head: PageHead): Uint8Array => {
  const { bytes, isWhole, address } = head;
  if (isWhole) return bytes.subarray(-END_BYTES);
  const isPlain = method === METHOD.stored || method === METHOD.raw;
  if (!isPlain || file.isSlow || address.in !== 'file') return new Uint8Array();
  return file.readOn(address.offset + address.headerBytes + size - END_BYTES, END_BYTES, NEXT_BYTES);
};

const isCut = (file: AheadFile, page: ListedPage, head: PageHead, media: MediaName): boolean => {
  if (isShorterThanDeclared(media, head.bytes, page.size)) return true;
  const end = lastBytes(file, page, head);
  return end.length > 0 && endsEarly(media, end);
};

/** What is read to measure the pages of a book. */
interface Reading {
  readonly file: AheadFile;
  readonly container: Container;
  readonly limits: Limits;
  readonly run: Run;
}

const isStoredPlain = ({ method }: ListedPage): boolean => method === METHOD.stored || method === METHOD.raw;

/**
 * An image after white space, as faulty scripts write it. The page is the image alone if it lies in the file as it is. Undefined if these bytes
 * do not have its size.
 */
const measureSpaced = (reading: Reading, page: ListedPage, head: PageHead): Measured | undefined => {
  const space = spaceBefore(head.bytes);
  const image = { ...head, bytes: head.bytes.subarray(space) };
  const size = page.size - space;
  const media = mediaOfBytes(image.bytes);
  const found = media === undefined ? undefined : sizeOfBytes(image.bytes, media);
  const { address } = head;
  if (media === undefined || media === 'svg') return unmeasured('notAnImage', address, media);
  if (found === undefined) return undefined;
  if (!isStoredPlain(page) || address.in !== 'file')
    return sized(address, { ...found, media: 'spaced' }, reading.limits, false);
  const { offset, headerBytes } = address;
  const moved =
    page.method === METHOD.raw
      ? ({ in: 'file', offset: offset + space, headerBytes } as const)
      : ({ in: 'file', offset, headerBytes: headerBytes + space } as const);
  const shown = { ...page, address: moved, size, packedSize: size };
  const isShort = isCut(reading.file, shown, { ...image, address: moved }, media);
  return { ...sized(moved, found, reading.limits, isShort), size };
};

const measureOne = async (reading: Reading, page: ListedPage): Promise<Measured> => {
  const { file, container, limits } = reading;
  if (page.fault !== 'none') return unmeasured(page.fault, page.address);
  if (page.known !== null) return { address: page.address, ...page.known, fault: 'none', isCut: false };
  let { address } = page;
  let media: MediaName | undefined;
  for (const wanted of HEADS) {
    const head = await container.head(page, wanted);
    address = head.address;
    media = mediaOfBytes(head.bytes);
    if (media === undefined && spaceBefore(head.bytes) > 0) {
      const spaced = measureSpaced(reading, page, head);
      if (spaced === undefined) continue;
      return spaced;
    }
    if (media === undefined) return unmeasured('notAnImage', address);
    if (media === 'svg') return unmeasured('notAnImage', address, media);
    const found = sizeOfBytes(head.bytes, media);
    if (found === undefined && !head.isWhole) continue;
    const isPlain = found !== undefined && !mayBeTurned(head.bytes, media);
    const shown = isPlain ? found : ((await decodedSize(reading, page)) ?? found);
    if (shown === undefined) return unmeasured('damaged', address, media);
    const stored = isForIos(head.bytes) ? { ...shown, media: 'cgbi' as const } : shown;
    return sized(address, stored, limits, isCut(file, page, head, media));
  }
  const decoded = await decodedSize(reading, page);
  if (decoded === undefined) return unmeasured('damaged', address, media);
  return sized(address, decoded, limits, false);
};

/** The page that the second reader of zip archives unpacked stays in memory until its size is known. */
const measureInRoom = (reading: Reading, page: ListedPage): Promise<Measured> =>
  inSecondRoom(reading.run, page, () => measureOne(reading, page).finally(() => reading.container.forget?.()));

/** An error caused by a page's own bytes is its fault; anything else ends the job. */
const measurePage = async (reading: Reading, page: ListedPage): Promise<Measured> =>
  measureInRoom(reading, page).catch((thrown: unknown) => {
    if (thrown instanceof AppError && thrown.kind === 'EncryptedArchive') return unmeasured('encrypted', page.address);
    if (thrown instanceof AppError && (thrown.kind === 'CorruptPage' || thrown.kind === 'CorruptArchive'))
      return unmeasured(isRefusedLab(thrown) ? 'lab' : 'damaged', page.address);
    throw thrown;
  });

const entryOf = (page: ListedPage, found: Measured): NamedPage => {
  const { name, method, crc = 0 } = page;
  const { address, width, height, size = page.size } = found;
  const packedSize = found.size ?? page.packedSize;
  return {
    name,
    address,
    packedSize,
    size,
    method,
    media: mediaNumber(found.media),
    width,
    height,
    fault: faultNumber(found.fault),
    check: crc & 0xff,
  };
};

const inReadingOrder = ({ isOrdered, pages }: Container): readonly ListedPage[] =>
  isOrdered ? pages : inPageOrder(pages);

/** Pages whose beginnings are read at once, where the disk is slow. They take at most 8 MiB. */
const PAGES_AHEAD = 64;

const readHeadsAhead = async (file: AheadFile, pages: readonly ListedPage[]): Promise<void> => {
  if (!file.isSlow) return;
  const ranges = pages
    .filter(({ fault, known }) => fault === 'none' && known === null)
    .map((page) => headRange(page, HEADS[0]));
  await file.readAhead(ranges.filter((range) => range !== null));
};

/** A blank page is as large as the nearest page before it, or else after it. */
const withBlankSizes = (pages: readonly NamedPage[], check: () => void): readonly NamedPage[] => {
  const bytesOf = new Map<string, number>();
  const isSized = ({ method, width, height }: NamedPage): boolean => method !== METHOD.blank && width > 0 && height > 0;
  let neighbour = pages.find(isSized);
  return pages.map((page) => {
    if (isSized(page)) neighbour = page;
    if (page.method !== METHOD.blank || page.fault !== 0) return page;
    const size = blankSize(neighbour);
    const key = `${size.width}x${size.height}`;
    const length = bytesOf.get(key) ?? blankPage(size).length;
    bytesOf.set(key, length);
    check();
    return { ...page, ...size, size: length, packedSize: length };
  });
};

export const measure = step({
  name: 'measure',
  needs: ['file', 'container', 'limits'],
  gives: ['measured', 'cutPages'],
  run: async ({ file, container, limits }, run) => {
    if (container === null) return { measured: [], cutPages: [] };
    const measured: NamedPage[] = [];
    const cutPages: number[] = [];
    const pages = inReadingOrder(container);
    for (let at = 0; at < pages.length; at += PAGES_AHEAD) {
      const some = pages.slice(at, at + PAGES_AHEAD);
      await readHeadsAhead(file, some);
      for (const page of some) {
        run.check();
        const found = await measurePage({ file, container, limits, run }, page);
        measured.push(entryOf(page, found));
        if (found.isCut) cutPages.push(measured.length);
      }
    }
    return { measured: withBlankSizes(measured, run.check), cutPages };
  },
});
