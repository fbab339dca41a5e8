// How large a compressed page may be. It has to be in memory as a whole, unlike one that is stored uncompressed and sent from the file, and
// a small file can claim any size: pages of real books stay far below this.
import { AppError } from './errors.js';
import type { PageEntry } from './jobs.js';
import { METHOD } from './page-table.js';

/** Packed and unpacked, each. */
export const COMPRESSED_PAGE_MAX_BYTES = 64 * 1024 * 1024;

type Sizes = Pick<PageEntry, 'method' | 'packedSize' | 'size'>;

const isCompressed = ({ method }: Sizes): boolean =>
  method === METHOD.deflated ||
  method === METHOD.deflate64 ||
  method === METHOD.encrypted ||
  method === METHOD.rar ||
  method === METHOD.solid;

export const isTooLargePacked = (page: Sizes): boolean =>
  isCompressed(page) && Math.max(page.size, page.packedSize) > COMPRESSED_PAGE_MAX_BYTES;

/** For tables of an earlier analysis, which had no such limit. */
export const refuseTooLargePacked = (page: Sizes): void => {
  if (isTooLargePacked(page))
    throw new AppError(
      'LimitExceeded',
      `The page is compressed and has more than ${COMPRESSED_PAGE_MAX_BYTES} bytes; store it uncompressed or make it smaller.`,
    );
};
