// Converts page tables stored under an older rule to the current one: re-sorted, without entries that no longer count as pages. Needs no
// book.
import type { NamedPage } from './jobs.js';
import { isJunkPath } from './junk.js';
import { inPageOrder, isImageName, pagesAmong } from './page-names.js';
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
  // Where the name does not end like that of an image, the bytes made it a page.
  const pagesByBytes = names.filter(({ name }) => !isImageName(name) && !isJunkPath(name));
  const wanted = inPageOrder([...pagesAmong(names), ...pagesByBytes]);
  if (wanted.length === names.length && wanted.every(({ index }, at) => index === at)) return blob;
  const pages = pagesOf(table);
  const front = wanted.findIndex(({ index }) => index === table.front);
  return encodePageTable(
    table.format,
    wanted.flatMap(({ index }) => pages[index] ?? []),
    front < 0 ? null : front,
  );
};
