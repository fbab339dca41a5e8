// Whether the cover that no document of an EPUB shows is the first page over again, smaller or saved anew: converters make covers like that.
import { AppError } from '../../core/model/errors.js';
import type { Limits } from '../../core/model/jobs.js';
import { METHOD } from '../../core/model/page-table.js';
import { decodeBytesOf, readBytesOf } from '../decode-size.js';
import { type ImageHead, mediaOfBytes, sizeOfBytes } from '../image-head.js';
import { canDecode } from '../image-rules.js';
import type { ListedPage } from './format.js';
import type { ZipArchive } from './zip.js';

const HEAD_BYTES = 64 * 1024;
/** By how much proportions differ after sides were rounded. */
const ASPECT_SLACK = 0.02;
/** KCC also cuts margins off the page, but not off the cover. */
const CUT_ASPECT_SLACK = 0.1;
/** KCC makes the cover from the first page, and calls all pages like this. */
const KCC_PAGE = /(?:^|\/)kcc-\d{1,6}-kcc[^/]*$/i;
const SIDE = 32;
/** The same picture in another size and quality correlates at about 0.99, one with a title laid on it at 0.95 or less, mostly. */
const CORRELATION_MIN = 0.98;
const DECODE_MAX_SECONDS = 10;

type Readable = Pick<ZipArchive, 'head' | 'whole'>;

/** Of equal length; 0 where one of them is of one colour. */
const correlation = (one: Uint8Array, other: Uint8Array): number => {
  const meanOf = (values: Uint8Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [oneMean, otherMean] = [meanOf(one), meanOf(other)];
  let [both, oneSquares, otherSquares] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    const [a, b] = [value - oneMean, (other[at] ?? 0) - otherMean];
    both += a * b;
    oneSquares += a * a;
    otherSquares += b * b;
  }
  const spread = Math.sqrt(oneSquares * otherSquares);
  return spread === 0 ? 0 : both / spread;
};

const headOf = (archive: Readable, page: ListedPage): ImageHead | undefined => {
  const { bytes } = archive.head(page, HEAD_BYTES);
  const media = mediaOfBytes(bytes);
  return media === undefined || !canDecode(media) ? undefined : sizeOfBytes(bytes, media);
};

const areAlike = (one: ImageHead, other: ImageHead, slack: number): boolean => {
  const [a, b] = [one.width * other.height, other.width * one.height];
  return Math.abs(a - b) <= slack * Math.max(a, b);
};

/** Null for images that are too large to be decoded only for this. */
const greyOf = async (archive: Readable, page: ListedPage, limits: Limits): Promise<Uint8Array | null> => {
  if (readBytesOf(page) > 0) return null;
  const source = { kind: 'image', bytes: archive.whole(page) } as const;
  if ((await decodeBytesOf(source)) > 0) return null;
  const { renderGrey } = await import('../image-codec.js');
  return renderGrey(source, { width: SIDE, height: SIDE }, { pixels: limits.imagePixels, seconds: DECODE_MAX_SECONDS });
};

const showTheSame = async (
  archive: Readable,
  [cover, first]: readonly [ListedPage, ListedPage],
  limits: Limits,
): Promise<boolean> => {
  const [coverHead, firstHead] = [headOf(archive, cover), headOf(archive, first)];
  if (coverHead === undefined || firstHead === undefined) return false;
  if (KCC_PAGE.test(first.name)) return areAlike(coverHead, firstHead, CUT_ASPECT_SLACK);
  if (!areAlike(coverHead, firstHead, ASPECT_SLACK)) return false;
  const coverGrey = await greyOf(archive, cover, limits);
  const firstGrey = coverGrey === null ? null : await greyOf(archive, first, limits);
  return coverGrey !== null && firstGrey !== null && correlation(coverGrey, firstGrey) >= CORRELATION_MIN;
};

/** `pages` begin with the cover. What cannot be read or decoded is no copy. */
export const isCoverCopied = async (
  archive: Readable,
  [cover, ...pages]: readonly ListedPage[],
  limits: Limits,
): Promise<boolean> => {
  const first = pages.find(({ method }) => method !== METHOD.blank);
  if (cover === undefined || first === undefined || cover.fault !== 'none' || first.fault !== 'none') return false;
  if (cover.size === first.size && cover.crc === first.crc) return true;
  try {
    return await showTheSame(archive, [cover, first], limits);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind !== 'FileUnreadable' && thrown.kind !== 'FileChanged') return false;
    throw thrown;
  }
};
