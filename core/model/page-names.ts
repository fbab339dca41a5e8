// Which entries of an archive are pages, and in which order, by name alone. STORED_RULES.pages is the version of these rules.
import { isJunk } from './junk.js';
import { sortNaturally } from './natural-order.js';
import { spreadNames } from './page-spreads.js';

const IMAGE = /\.(?:jpe?g|png|gif|webp|avif|jxl|bmp|tiff?|jp2|svg)$/i;

/** Separators of both kinds of systems; a drive letter or a leading separator is only part of a name here and never a path. */
const partsOf = (name: string): string[] => name.split(/[/\\]/);

/** Hidden entries are not pages, and neither are files that systems leave behind. */
export const isPageName = (name: string): boolean =>
  IMAGE.test(name) && partsOf(name).every((part) => !part.startsWith('.') && !isJunk(part));

export const isJunkPath = (name: string): boolean => partsOf(name).some(isJunk);

/** The name by which pages are sorted has only one kind of separator. */
export const inPageOrder = <T extends { readonly name: string }>(pages: readonly T[]): T[] => {
  const named = pages.map((page) => ({ page, name: page.name.replaceAll('\\', '/') }));
  const spreads = spreadNames(named.map(({ name }) => name));
  return sortNaturally(named, ({ name }) => spreads.get(name) ?? name).map(({ page }) => page);
};
