// Pages whose names do not say that they are images: another extension, an odd one, or none. Their bytes decide. In an archive that has other
// pages, only what lies in a folder with pages is looked at, so that ordinary archives need no further reads.
import { AppError } from '../../core/model/errors.js';
import { otherImageType } from '../../core/model/image-names.js';
import { isJunkPath } from '../../core/model/junk.js';
import type { MediaName } from '../../core/model/media.js';
import { endsLikeImage, hasOddExtension, isHidden, isText, plainName, stemOf } from '../../core/model/page-names.js';
import { mediaOfBytes, sizeOfBytes } from '../image-head.js';
import type { ListedPage, PageHead } from './format.js';

/** An archive of many thousands of other files is not a comic. */
const ENTRIES_MAX = 2000;

/** Types that are written to be shown as pages, and whose first bytes are like those of nothing else. */
const TYPES: ReadonlySet<MediaName> = new Set(['jpeg', 'png', 'gif', 'webp', 'avif', 'bmp', 'tiff', 'jp2', 'jxl']);

const isPicture = (bytes: Uint8Array): boolean => {
  const media = mediaOfBytes(bytes);
  return media !== undefined && TYPES.has(media) && (media === 'jpeg' || sizeOfBytes(bytes, media) !== undefined);
};

const isWorthALook = ({ name, size }: Entry): boolean => size > 0 && !isText(name) && !isJunkPath(name);

/** Earlier versions of files, and thumbnails made by cameras. */
const COPY = /(?:\.(?:thm|thumb|bak|old|orig)|~)$/i;

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1);

interface Entry {
  readonly name: string;
  readonly size: number;
}

/** What lies in a folder with pages, and is not another version of one of them: `02.jpg_large`, but not `02.jpg.tmp` if there is `02.jpg`. */
const siblingsOfPages = <T extends Entry>(entries: readonly T[], named: readonly T[]): T[] => {
  const others = entries
    .filter(
      (entry) => !endsLikeImage(entry.name) && isWorthALook(entry) && !COPY.test(entry.name) && !isHidden(entry.name),
    )
    .filter(({ name }) => otherImageType(name) === undefined);
  if (others.length === 0) return [];
  const names = named.map(({ name }) => plainName(name));
  const folders = new Set(names.map(folderOf));
  const stems = new Set(names.map(stemOf));
  return others.filter((entry) => {
    const name = plainName(entry.name);
    return folders.has(folderOf(name)) && !stems.has(stemOf(name));
  });
};

/** The entries whose bytes are worth a look, beside those whose names say that they are pages. */
export const mayBePages = <T extends Entry>(entries: readonly T[], named: readonly T[]): T[] => {
  if (entries.length === named.length) return [];
  const some = named.length === 0 ? entries.filter(isWorthALook) : siblingsOfPages(entries, named);
  return some.length > ENTRIES_MAX ? [] : some;
};

const HEAD_BYTES = 64 * 1024;

const isUnreadable = (thrown: unknown): boolean =>
  thrown instanceof AppError && ['CorruptPage', 'CorruptArchive', 'EncryptedArchive'].includes(thrown.kind);

type Head<T> = (page: ListedPage, wanted: number) => T;

/**
 * An unreadable entry counts as an image only if its name says so, so that it is listed with its fault: `02.jpg_large`, encrypted or damaged.
 */
const countsUnread = ({ name, fault }: ListedPage): boolean => fault !== 'empty' && hasOddExtension(name);

export const showsPicture = (page: ListedPage, head: Head<PageHead>): boolean => {
  if (page.fault !== 'none') return countsUnread(page);
  try {
    return isPicture(head(page, HEAD_BYTES).bytes);
  } catch (thrown) {
    if (isUnreadable(thrown)) return countsUnread(page);
    throw thrown;
  }
};

/** The same where the beginning of a page may come later. */
export const showsPictureLater = async (
  page: ListedPage,
  head: Head<PageHead | Promise<PageHead>>,
): Promise<boolean> => {
  if (page.fault !== 'none') return countsUnread(page);
  try {
    return isPicture((await head(page, HEAD_BYTES)).bytes);
  } catch (thrown) {
    if (isUnreadable(thrown)) return countsUnread(page);
    throw thrown;
  }
};
