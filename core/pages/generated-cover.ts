// The cover that is made from the file of a book, whatever was uploaded for it: its image, and how large that is.
import { faultOf, KINDS } from '../model/errors.js';
import type { Asking } from './asker.js';
import type { Content } from './content.js';
import type { Pages } from './pages.js';
import { bytesOfContent } from './whole-content.js';

interface Wanted extends Asking {
  /** Lower-case uuid. */
  readonly bookId: string;
}

export interface GeneratedCover {
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
}

/** The frame header of a JPEG that this server encoded (ITU T.81, B.2.2). */
const sizeOfJpeg = (bytes: Buffer): { readonly width: number; readonly height: number } => {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return { width: 0, height: 0 };
};

export const generatedImage = (
  pages: Pages,
  wanted: Wanted,
  has: (tag: string) => boolean,
): Content | Promise<Content> => pages.cover({ ...wanted, has, isFromFile: true });

/** Undefined while it cannot be made: another time it may be. */
export const generatedCover = async (pages: Pages, wanted: Wanted): Promise<GeneratedCover | undefined> => {
  try {
    const bytes = Buffer.from(await bytesOfContent(await generatedImage(pages, wanted, () => false)));
    return { bytes: bytes.length, ...sizeOfJpeg(bytes) };
  } catch (thrown) {
    const { kind } = faultOf(thrown);
    const { blame, retry } = KINDS[kind];
    // The file may be gone, damaged, or have no turn now: uploaded covers are there all the same.
    if (kind !== 'NotFound' && blame !== 'book' && !retry) throw thrown;
    return undefined;
  }
};
