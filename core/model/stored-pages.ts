// Converts page tables stored under an older rule to the current one: re-sorted, without entries that no longer count as pages. Needs no
// book.
import type { NamedPage } from './jobs.js';
import { inPageOrder, isJunkPath, pagesAmong } from './page-names.js';
import { encodePageTable, PageTable } from './page-table.js';

export const pagesOf = (table: PageTable): readonly NamedPage[] =>
  table.names().flatMap((name, index) => {
    const entry = table.entry(index);
    return entry === undefined ? [] : [{ ...entry, name }];
  });

/** Documents have their own order; archives of images are sorted by name. Returns the same bytes when nothing changes. */
export const remadePageTable = (blob: Uint8Array): Uint8Array => {
  const table = new PageTable(blob);
  if (table.format === 'epub' || table.format === 'pdf') return blob;
  const names = table.names().map((name, index) => ({ name, index }));
  const pagesByName = pagesAmong(names);
  // Where no name ends like an image, the bytes made them pages.
  const wanted = inPageOrder(pagesByName.length > 0 ? pagesByName : names.filter(({ name }) => !isJunkPath(name)));
  if (wanted.length === names.length && wanted.every(({ index }, at) => index === at)) return blob;
  const pages = pagesOf(table);
  const front = wanted.findIndex(({ index }) => index === table.front);
  return encodePageTable(
    table.format,
    wanted.flatMap(({ index }) => pages[index] ?? []),
    front < 0 ? null : front,
  );
};
