// Books as entries of feeds. What is known of a book is read once and kept with its row, which is dropped as soon as anything changes.
import { sizeOfRows } from '../../core/catalog/answer-size.js';
import type { Book } from '../../core/catalog/books.js';
import { withSummaries } from '../../core/catalog/long-summaries.js';
import { type Publication, publicationsOf } from '../../core/catalog/publications.js';
import type { Series } from '../../core/catalog/series.js';
import { askerOf, listReads } from '../surface/request-parts.js';
import type { Ctx } from '../surface/route.js';
import type { BookEntry, SeriesEntry } from './feed.js';

const KNOWN = new WeakMap<Book, Publication>();

type Ask = Pick<Ctx<unknown>, 'app' | 'request' | 'viewer'>;

export const published = async (ctx: Ask, books: readonly Book[]): Promise<readonly Publication[]> => {
  const missing = books.filter((book) => !KNOWN.has(book));
  if (missing.length > 0) {
    const read = (): Promise<readonly Publication[]> => publicationsOf(listReads(ctx), missing);
    for (const one of await ctx.app.answers.make(askerOf(ctx), sizeOfRows(missing), read)) KNOWN.set(one.book, one);
  }
  return books.flatMap((book) => KNOWN.get(book) ?? []);
};

export const bookEntries = async (ctx: Ask, books: readonly Book[]): Promise<readonly BookEntry[]> =>
  (await published(ctx, books)).map((publication) => ({ type: 'book', publication }));

export const seriesEntries = async (ctx: Ask, rows: readonly Series[]): Promise<readonly SeriesEntry[]> =>
  (await withSummaries(listReads(ctx), 'series', rows)).map((series) => ({ type: 'series', series }));
