// Which images a document of an EPUB shows, in order: in HTML, in SVG inside it, and in SVG files that it shows or that are documents.
import { decodeXml } from '../metadata/xml.js';
import { resolveEntities } from '../metadata/xml-node.js';
import type { ManifestItem } from './epub-package.js';
import { type EpubEntries, resolveHref } from './epub-paths.js';

/** Text documents up to this size are searched for images. */
const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024;

const IMAGE_NAME = /\.(?:jpe?g|png|gif|webp|avif|jxl)$/i;
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

/** The target of an element; undefined when it has none, or it is a film or a form. */
const targetOf = (base: string, element: string, attributes: string): string | undefined => {
  const address = (element === 'object' ? DATA : ADDRESS).exec(attributes);
  const target = resolveHref(base, resolveEntities(address?.[1] ?? address?.[2] ?? ''));
  if (target === undefined || element === 'img' || element === 'image') return target;
  return IMAGE_NAME.test(target) || SVG_NAME.test(target) ? target : undefined;
};

const targetsIn = (entries: EpubEntries, path: string): string[] => {
  const bytes = entries.read(path, DOCUMENT_MAX_BYTES);
  if (bytes === null) return [];
  const text = decodeXml(bytes).replace(COMMENT, '');
  const targets: string[] = [];
  ELEMENT.lastIndex = 0;
  for (let found = ELEMENT.exec(text); found !== null; found = ELEMENT.exec(text)) {
    const end = endOfElement(text, ELEMENT.lastIndex);
    const target = targetOf(path, found[1]?.toLowerCase() ?? '', text.slice(ELEMENT.lastIndex, end));
    if (target !== undefined) targets.push(target);
    ELEMENT.lastIndex = end;
  }
  return targets;
};

export interface ImageSearch {
  /** SVG files already read: an image is a page only once, so none is worth reading again. */
  readonly followed: Set<string>;
  /** Throws when the work has to stop. */
  readonly check: () => void;
}

/** An SVG file is not a page itself; the image it shows is. One that shows another SVG file is not followed further. */
const behindSvg = (entries: EpubEntries, path: string, { followed, check }: ImageSearch): readonly string[] => {
  if (!SVG_NAME.test(path)) return [path];
  const entry = entries.at(path);
  if (entry === undefined || followed.has(entry.name)) return [];
  check();
  followed.add(entry.name);
  return targetsIn(entries, entry.name).filter((target) => !SVG_NAME.test(target));
};

/** Paths of the images that an item of the book is, or shows; some may not exist. */
export const imagesOfItem = (entries: EpubEntries, item: ManifestItem, search: ImageSearch): readonly string[] => {
  search.check();
  if (isImageItem(item)) return [item.path];
  return targetsIn(entries, item.path).flatMap((path) => behindSvg(entries, path, search));
};
