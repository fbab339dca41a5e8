// The cover: the first page that decodes. An analysis leaves it for later, so that books can be read soon, unless its page is at hand and would
// be slow to get again.
import { AppError } from '../../core/model/errors.js';
import type { Box, Cover, Limits, PageEntry, ThumbnailOptions } from '../../core/model/jobs.js';
import { mediaOf } from '../../core/model/media.js';
import { METHOD } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';
import { decodeBytesOf, readBytesOf } from '../decode-size.js';
import { isOfPage } from '../each-page.js';
import type { Container } from '../formats/format.js';
import { readPage, withoutSpace } from '../formats/read-page.js';
import { canDecode, STRIP_ASPECT } from '../image-rules.js';
import type { PageSource } from '../page-source.js';
import { readInRoom } from '../read-in-room.js';
import { type Run, step } from '../step.js';

/** Pages tried before a book is left without a cover. */
const CANDIDATES = 10;
/** A larger page is not worth unpacking for a cover. */
const PAGE_MAX_BYTES = 128 * 1024 * 1024;

const isCandidate = ({ fault, media, size, method }: PageEntry): boolean =>
  fault === 0 && method !== METHOD.blank && size <= PAGE_MAX_BYTES && canDecode(mediaOf(media).name);

/** A strip is rendered no longer than this many times its thumbnail: more of a very long one would only shrink to a line. */
const STRIP_SIDES = 16;

/** A thumbnail needs little of a rendered page: it is rendered as large as the thumbnail, or as wide where only its top is kept. */
const boxOf = ({ width, height }: PageEntry, side: number): Box => ({
  width: side,
  height: height > width * STRIP_ASPECT ? side * STRIP_SIDES : side,
});

type Read = (page: PageEntry) => Promise<PageSource>;

/** Null when none decodes; Timeout when one might have with more time, LimitExceeded when one would have with more memory. */
const firstCover = async (
  read: Read,
  pages: readonly PageEntry[],
  thumbnail: ThumbnailOptions,
  limits: Limits,
  run: Run,
): Promise<Cover | null> => {
  const { renderThumbnail } = await import('../image-codec.js');
  let reason: AppError | undefined;
  for (const page of pages.filter(isCandidate).slice(0, CANDIDATES)) {
    run.check();
    try {
      const source = await readInRoom({ bytes: readBytesOf(page), read: () => read(page), decodeBytesOf }, run);
      return await renderThumbnail(source, page, thumbnail, {
        pixels: limits.imagePixels,
        seconds: run.secondsLeft(),
      });
    } catch (thrown) {
      const isLate = thrown instanceof AppError && thrown.kind === 'Timeout';
      if (!isLate && !isOfPage(thrown)) throw thrown;
      if (isLate || (thrown.kind === 'LimitExceeded' && reason === undefined)) reason = thrown;
    } finally {
      run.leaveRoom();
    }
  }
  if (reason !== undefined) throw reason;
  return null;
};

/** A book whose cover takes too long, or too much memory, is complete without it. */
const noneIfLate = (thrown: unknown): null => {
  if (thrown instanceof AppError && (thrown.kind === 'Timeout' || thrown.kind === 'LimitExceeded')) return null;
  throw thrown;
};

const fromFile =
  (file: BookFile, { side }: ThumbnailOptions, limits: Limits, { check }: Run): Read =>
  (page) =>
    readPage(file, page, { limits, check, box: boxOf(page, side) });

/** Rendering may take any time, and must not cost the book its pages: such a cover is a job of its own. */
const isDrawn = ({ method }: PageEntry): boolean => method === METHOD.pdf;

/** The container already has the first pages of a packed archive. */
const fromContainer =
  (container: Container): Read =>
  async (page) => ({ kind: 'image', bytes: withoutSpace(await container.whole(page)) });

/** The pass over a packed archive has unpacked its first pages. */
const isUnpacked = ({ method }: PageEntry): boolean => method === METHOD.rar || method === METHOD.solid;

export const thumbnail = step({
  name: 'thumbnail',
  needs: ['container', 'measured', 'front', 'thumbnail', 'withCover', 'limits'],
  gives: ['cover', 'isCoverDue'],
  run: async ({ container, measured, front, thumbnail: options, withCover, limits }, run) => {
    const marked = front === null ? undefined : measured[front];
    const ordered = marked === undefined ? measured : [marked, ...measured.filter((page) => page !== marked)];
    const first = ordered.find(isCandidate);
    if (container === null || first === undefined) return { cover: null, isCoverDue: false };
    // A cover of another page may be in the cache, made before the mark was read: it is replaced at once.
    if (isDrawn(first) || !(withCover || isUnpacked(first) || marked !== undefined))
      return { cover: null, isCoverDue: true };
    const pages = ordered.filter((page) => !isDrawn(page));
    const cover = await firstCover(fromContainer(container), pages, options, limits, run).catch(noneIfLate);
    return { cover, isCoverDue: false };
  },
});

export const coverOfPages = step({
  name: 'cover',
  needs: ['file', 'pages', 'thumbnail', 'limits'],
  gives: ['cover'],
  run: async ({ file, pages, thumbnail: options, limits }, run) => ({
    cover: await firstCover(fromFile(file, options, limits, run), pages, options, limits, run),
  }),
});
