// Natural order for file and entry names: folder by folder, ignoring case, numbers by value, extensions only to break ties. The order is
// total: names are equal only when identical. A change here must raise STORED_RULES.pages and STORED_RULES.numbers.
import { IMAGE_EXTENSIONS } from './image-names.js';
import { compareText, foldName, numberedKey, SEPARATOR } from './natural-key.js';

/** Only known ones: `Vol 1.5` has no extension. A name is more than its extension. */
const EXTENSION = new RegExp(`(?<=[^/])\\.(?:${IMAGE_EXTENSIONS}|cbz|cbr|cbt|epub|pdf)$`, 'i');

/** Folders are separated by a character that sorts before any other, so files and folders of one level are sorted together. */
const withoutExtension = (name: string): string => name.replace(EXTENSION, '').replaceAll('/', SEPARATOR);

const keyOfExact = (exact: string): string => numberedKey(foldName(exact));

export const naturalKey = (path: string): string => keyOfExact(withoutExtension(path));

/**
 * Sorts anything that has a name; stable for equal names. Ties (`01` and `1`, `A` and `a`) are broken by the exact name, last of all by the
 * extension. Keys are computed once per item.
 */
export const sortNaturally = <T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  keyOf?: (name: string) => string,
): T[] =>
  items
    .map((item) => {
      const name = nameOf(item);
      const exact = withoutExtension(name);
      return { item, name, exact, key: keyOf === undefined ? keyOfExact(exact) : keyOf(name) };
    })
    .sort((a, b) => compareText(a.key, b.key) || compareText(a.exact, b.exact) || compareText(a.name, b.name))
    .map(({ item }) => item);
