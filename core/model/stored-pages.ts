// Page tables that were stored under an older rule, by the one of today: in its order, without what is no page any more. Needs no book.
import type { NamedPage } from './jobs.js';
import { inPageOrder, isPageName } from './page-names.js';
import { encodePageTable, PageTable } from './page-table.js';

export const pagesOf = (table: PageTable): readonly NamedPage[] =>
  table.names().flatMap((name, index) => {
    const entry = table.entry(index);
    return entry === undefined ? [] : [{ ...entry, name }];
  });

/** Documents have an order of their own; archives of images that of their names. The same bytes when nothing is to be changed. */
export const remadePageTable = (blob: Uint8Array): Uint8Array => {
  const table = new PageTable(blob);
  if (table.format === 'epub' || table.format === 'pdf') return blob;
  const names = table.names().map((name, index) => ({ name, index }));
  const wanted = inPageOrder(names.filter(({ name }) => isPageName(name)));
  if (wanted.length === names.length && wanted.every(({ index }, at) => index === at)) return blob;
  const pages = pagesOf(table);
  return encodePageTable(
    table.format,
    wanted.flatMap(({ index }) => pages[index] ?? []),
  );
};
