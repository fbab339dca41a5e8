// Which images a document of an EPUB shows, in order: in HTML, in SVG inside it, and in SVG files that it shows or that are documents.
import { IMAGE_EXTENSIONS } from '../../core/model/image-names.js';
import { decodeXml } from '../metadata/xml.js';
import { resolveEntities } from '../metadata/xml-node.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import type { ManifestItem } from './epub-package.js';
import { type EpubEntries, resolveHref } from './epub-paths.js';

/** Limits for one text document that is searched for images, and for all of a book. */
const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024;
const DOCUMENTS_MAX_BYTES = 256 * 1024 * 1024;
/** Characters of the paths that the documents of one book name, each counted once per document. */
const TARGETS_MAX_CHARS = 64_000_000;

const IMAGE_NAME = new RegExp(`\\.(?!svg$)(?:${IMAGE_EXTENSIONS})$`, 'i');
const SVG_NAME = /\.svg$/i;

const isImageItem = ({ mediaType, path }: ManifestItem): boolean =>
  (mediaType.startsWith('image/') && mediaType !== 'image/svg+xml') || (mediaType === '' && IMAGE_NAME.test(path));

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Elements that show an image: `img`, `image` of SVG, and those that show a file of any type. */
const ELEMENT = /<(?:\w{1,20}:)?(img|image|object|embed)(?=[\s/>])/gi;
/** A document may bind any prefix to XLink. */
const ADDRESS = /(?:^|\s)(?:\w{1,20}:)?(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const DATA = /(?:^|\s)data\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const ATTRIBUTES_MAX = 16 * 1024;

/** The end of an element that is open at `from`: a quoted value may contain anything but its quote. Reads each character at most once. */
const endOfElement = (text: string, from: number): number => {
  const last = Math.min(text.length, from + ATTRIBUTES_MAX);
  let quote = '';
  for (let at = from; at < last; at += 1) {
    const char = text[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return at;
  }
  return last;
};

const addressIn = (element: string, attributes: string): string => {
  const found = (element === 'object' ? DATA : ADDRESS).exec(attributes);
  return found?.[1] ?? found?.[2] ?? '';
};

/** Elements that show a file of any type may also show a film or a form. */
const isShown = (element: string, target: string): boolean =>
  element === 'img' || element === 'image' || IMAGE_NAME.test(target) || SVG_NAME.test(target);

export interface ImageSearch {
  /** Documents already read: an image is a page only once, so none is worth reading again. */
  readonly read: Set<string>;
  readonly documents: Allowance;
  readonly targets: Allowance;
  /** Throws when the work has to stop. */
  readonly check: () => void;
}

export const imageSearch = (check: () => void): ImageSearch => ({
  read: new Set(),
  documents: { left: DOCUMENTS_MAX_BYTES },
  targets: { left: TARGETS_MAX_CHARS },
  check,
});

/** True when the search stopped early. */
export const isSearchCut = ({ documents, targets }: ImageSearch): boolean => isSpent(documents) || isSpent(targets);

/** The text of a document; null when it cannot be read, was read before, or exceeds the allowance. */
const textOf = (entries: EpubEntries, path: string, search: ImageSearch): string | null => {
  const entry = isSearchCut(search) ? undefined : entries.at(path);
  if (entry === undefined || entry.size > DOCUMENT_MAX_BYTES || search.read.has(entry.name)) return null;
  search.check();
  search.read.add(entry.name);
  if (!spend(search.documents, entry.size)) return null;
  const bytes = entries.archive.read(entry, DOCUMENT_MAX_BYTES);
  return bytes === null ? null : decodeXml(bytes).replace(COMMENT, '');
};

/** What a document shows, in order. A generator, since many short references may resolve to long paths. */
function* targetsIn(entries: EpubEntries, path: string, search: ImageSearch): Generator<string> {
  const text = textOf(entries, path, search);
  const seen = new Set<string>();
  for (let at = 0; text !== null && !isSearchCut(search); ) {
    ELEMENT.lastIndex = at; // another document may be read between two targets
    const found = ELEMENT.exec(text);
    if (found === null) return;
    const from = ELEMENT.lastIndex;
    at = endOfElement(text, from);
    const element = found[1]?.toLowerCase() ?? '';
    const address = addressIn(element, text.slice(from, at));
    const known = seen.size;
    if (seen.add(`${element} ${address}`).size === known) continue;
    const target = resolveHref(path, resolveEntities(address));
    if (target === undefined || !spend(search.targets, target.length)) continue;
    if (isShown(element, target)) yield target;
  }
}

/** An SVG file is not a page itself; the image it shows is. One that shows another SVG file is not followed further. */
function* behindSvg(entries: EpubEntries, path: string, search: ImageSearch): Generator<string> {
  if (!SVG_NAME.test(path)) yield path;
  else for (const target of targetsIn(entries, path, search)) if (!SVG_NAME.test(target)) yield target;
}

/** Paths of the images that an item of the book is, or shows. Some may not exist, and some may be repeated. */
export function* imagesOfItem(entries: EpubEntries, item: ManifestItem, search: ImageSearch): Generator<string> {
  search.check();
  if (isImageItem(item)) yield item.path;
  else for (const path of targetsIn(entries, item.path, search)) yield* behindSvg(entries, path, search);
}
