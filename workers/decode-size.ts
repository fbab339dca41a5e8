// How much memory an image takes while it is decoded. Most are decoded line by line and take little; some kinds only as a whole.
import type { MediaName } from '../core/model/media.js';
import { imageTurn, mediaOfBytes, sizeOfBytes } from './image-head.js';
import type { PageSource } from './page-source.js';

/** Bytes a pixel of what is decoded as a whole; the last two by a reader that makes a copy. */
const WHOLE: Partial<Record<MediaName, number>> = { webp: 4, gif: 5, tiff: 4, avif: 8, heif: 8, jp2: 8, bmp: 8 };
/** Coefficients of all passes are kept, in two bytes each, with half or all of the colour. */
const PROGRESSIVE_BYTES = 5;
const INTERLACED_BYTES = 4;
/** Turning needs all lines at once. */
const TURNED_BYTES = 3;

const INTERLACED_AT = 28;
const SOF = { first: 0xc0, progressive: 0xc2, last: 0xcf };
/** In the same range as the beginnings of frames, and none. */
const NO_FRAME: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** By the marker of its frame, which stands behind the other segments. */
const isProgressive = (bytes: Uint8Array): boolean => {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= SOF.first && marker <= SOF.last && !NO_FRAME.has(marker)) return marker === SOF.progressive;
    at += marker === 0xff ? 1 : 2 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
  }
  return false;
};

const bytesPerPixel = (bytes: Uint8Array, media: MediaName): number => {
  if (media === 'png') return bytes[INTERLACED_AT] === 1 ? INTERLACED_BYTES : 0;
  if (media === 'jpeg')
    return (isProgressive(bytes) ? PROGRESSIVE_BYTES : 0) + (imageTurn(bytes) > 1 ? TURNED_BYTES : 0);
  return WHOLE[media] ?? 0;
};

/** Zero for what is decoded line by line or already, and for what no decoder reads. */
export const decodeBytesOf = (source: PageSource): number => {
  if (source.kind === 'pixels') return 0;
  const { bytes } = source;
  const media = mediaOfBytes(bytes);
  const size = media === undefined ? undefined : sizeOfBytes(bytes, media);
  return size === undefined ? 0 : size.width * size.height * bytesPerPixel(bytes, size.media);
};
