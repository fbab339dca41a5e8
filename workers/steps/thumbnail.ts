// The cover: the first page that decodes.
import { AppError, type ErrorKind } from '../../core/model/errors.js';
import type { Cover, Limits, PageEntry, ThumbnailOptions } from '../../core/model/jobs.js';
import { mediaOf } from '../../core/model/media.js';
import type { BookFile } from '../book-file.js';
import { readZipPage } from '../formats/zip.js';
import { canDecode, renderThumbnail } from '../image.js';
import { type Run, step } from '../step.js';

/** Pages tried before a book is left without a cover. */
const CANDIDATES = 10;
/** A cover is not worth unpacking more than this. */
const PAGE_MAX_BYTES = 128 * 1024 * 1024;

/** Errors of the moment: another page would not help, another attempt may. */
const PASSING: ReadonlySet<ErrorKind> = new Set(['FileUnreadable', 'FileChanged']);

const isCandidate = ({ fault, media, size }: PageEntry): boolean =>
  fault === 0 && size <= PAGE_MAX_BYTES && canDecode(mediaOf(media).name);

const firstCover = async (
  file: BookFile,
  pages: readonly PageEntry[],
  thumbnail: ThumbnailOptions,
  limits: Limits,
  run: Run,
): Promise<Cover | null> => {
  for (const page of pages.filter(isCandidate).slice(0, CANDIDATES)) {
    run.check();
    try {
      return await renderThumbnail(readZipPage(file, page), page, thumbnail, limits.imagePixels);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || PASSING.has(thrown.kind)) throw thrown;
    }
  }
  return null;
};

export const thumbnail = step({
  name: 'thumbnail',
  needs: ['file', 'measured', 'thumbnail', 'limits'],
  gives: ['cover'],
  run: async ({ file, measured, thumbnail: options, limits }, run) => ({
    cover: await firstCover(file, measured, options, limits, run),
  }),
});

export const coverOfPages = step({
  name: 'cover',
  needs: ['file', 'pages', 'thumbnail', 'limits'],
  gives: ['cover'],
  run: async ({ file, pages, thumbnail: options, limits }, run) => ({
    cover: await firstCover(file, pages, options, limits, run),
  }),
});
