// Pages whose names do not say that they are images: another extension, or none. They only count in an archive without any other page, so
// that the bytes of all entries are not read for each book.
import { AppError } from '../../core/model/errors.js';
import type { MediaName } from '../../core/model/media.js';
import { isJunkPath } from '../../core/model/page-names.js';
import { mediaOfBytes, sizeOfBytes } from '../image-head.js';
import type { ListedPage, PageHead } from './format.js';

/** An archive of many thousands of other files is not a comic. */
const ENTRIES_MAX = 2000;

/** Files of text, which comics often contain. */
const TEXT = /\.(?:txt|nfo|xml|json|html?|xhtml|css|js|opf|ncx|url|ini|db|md|sfv|md5)$/i;

/** Types that are written to be shown as pages, and whose first bytes are like those of nothing else. */
const TYPES: ReadonlySet<MediaName> = new Set(['jpeg', 'png', 'gif', 'webp', 'avif', 'bmp', 'tiff', 'jp2', 'jxl']);

const isPicture = (bytes: Uint8Array): boolean => {
  const media = mediaOfBytes(bytes);
  return media !== undefined && TYPES.has(media) && (media === 'jpeg' || sizeOfBytes(bytes, media) !== undefined);
};

/** The entries whose bytes are worth a look. */
export const mayBePages = <T extends { readonly name: string; readonly size: number }>(entries: readonly T[]): T[] => {
  const some = entries.filter(({ name, size }) => size > 0 && !TEXT.test(name) && !isJunkPath(name));
  return some.length > ENTRIES_MAX ? [] : some;
};

const HEAD_BYTES = 64 * 1024;

/** What cannot be read cannot be told from other files. */
export const showsPicture = (page: ListedPage, head: (page: ListedPage, wanted: number) => PageHead): boolean => {
  if (page.fault !== 'none') return false;
  try {
    return isPicture(head(page, HEAD_BYTES).bytes);
  } catch (thrown) {
    if (thrown instanceof AppError && (thrown.kind === 'CorruptPage' || thrown.kind === 'CorruptArchive')) return false;
    throw thrown;
  }
};
