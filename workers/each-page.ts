// Decodes some pages of a book one after the other. A page that cannot be decoded is passed over: the others are wanted all the same.
import { AppError, KINDS } from '../core/model/errors.js';
import type { Box, Limits, PageEntry } from '../core/model/jobs.js';
import { decodeBytesOf, drawBytesOf, readBytesOf } from './decode-size.js';
import { readPage } from './formats/read-page.js';
import type { DecodeLimits } from './image-codec.js';
import type { PageSource } from './page-source.js';
import type { AheadFile } from './read-ahead.js';
import { readInRoom } from './read-in-room.js';
import type { Run } from './step.js';

interface Pages {
  readonly file: AheadFile;
  readonly pages: readonly PageEntry[];
  readonly limits: Limits;
  /** As large as a page that has to be drawn is drawn. */
  readonly boxOf: (page: PageEntry) => Box;
}

export interface DecodablePage {
  readonly source: PageSource;
  readonly page: PageEntry;
  /** Of the page among those asked for. */
  readonly index: number;
  readonly decoding: DecodeLimits;
}

/** Another page may be sound. */
export const isOfPage = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && KINDS[thrown.kind].blame === 'book' && !KINDS[thrown.kind].retry;

export const eachPage = async (
  { file, pages, limits, boxOf }: Pages,
  run: Run,
  use: (page: DecodablePage) => Promise<void>,
): Promise<void> => {
  for (const [index, page] of pages.entries()) {
    run.check();
    if (page.fault !== 0) continue;
    const box = boxOf(page);
    const bytes = readBytesOf(page) + drawBytesOf(page, box, null);
    const read = () => readPage(file, page, { limits, box, check: run.check });
    try {
      const source = await readInRoom({ bytes, read, decodeBytesOf }, run);
      await use({ source, page, index, decoding: { pixels: limits.imagePixels, seconds: run.secondsLeft() } });
    } catch (thrown) {
      if (!isOfPage(thrown)) throw thrown;
    } finally {
      run.leaveRoom();
    }
    run.advance();
  }
};
