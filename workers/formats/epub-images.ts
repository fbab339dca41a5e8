// Which images a document of an EPUB shows, in order: in HTML, in SVG inside it, and in SVG files that it shows or that are documents.
import { IMAGE_EXTENSIONS } from '../../core/model/image-names.js';
import { withOwnEntities } from '../metadata/own-entities.js';
import { decodeXml } from '../metadata/xml.js';
import { resolveEntities } from '../metadata/xml-node.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import { attributesIn } from './epub-attributes.js';
import { isPicture } from './epub-cover.js';
import type { ManifestItem } from './epub-package.js';
import type { EpubEntries } from './epub-paths.js';

/** Limits for one text document that is searched for images, and for all of a book. */
const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024;
const DOCUMENTS_MAX_BYTES = 256 * 1024 * 1024;
/** Characters of the paths that the documents of one book name, each counted once per document. */
const TARGETS_MAX_CHARS = 64_000_000;

const IMAGE_NAME = new RegExp(`\\.(?!svg$)(?:${IMAGE_EXTENSIONS})$`, 'i');
const SVG_NAME = /\.svg$/i;
const NO_IMAGE = /(?:html|xml|css|svg)/;

export const isImageItem = (entries: EpubEntries, item: ManifestItem): boolean =>
  (item.mediaType === '' && IMAGE_NAME.test(item.path)) || (!NO_IMAGE.test(item.mediaType) && isPicture(entries, item));

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Elements that show an image: `img`, `image` of SVG, and those that show a file of any type. Others say where images are. */
const ELEMENT = /<(?:\w{1,20}:)?(img|image|object|embed|iframe|input|source|base)(?=[\s/>])/gi;
const ATTRIBUTES_MAX = 16 * 1024;

/** A quote begins a value only after `=`: `alt=it's` has none. */
const isAfterEquals = (text: string, quote: number, from: number): boolean => {
  let at = quote - 1;
  while (text[at] !== '=' && at > from && /\s/.test(text[at] ?? '')) at -= 1;
  return text[at] === '=';
};

/** The end of an element that is open at `from`: a quoted value may contain anything but its quote. Reads each character at most twice. */
const endOfElement = (text: string, from: number): number => {
  const last = Math.min(text.length, from + ATTRIBUTES_MAX);
  let quote = '';
  for (let at = from; at < last; at += 1) {
    const char = text[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if ((char === '"' || char === "'") && isAfterEquals(text, at, from)) quote = char;
    else if (char === '>') return at;
  }
  return last;
};

/** Of an element that is written as in XML, as most are: found without reading its other attributes one by one. */
const PLAIN_ADDRESS = /^(?:\s+[\w:-]+\s*=\s*"[^"]*")*?\s+(?:\w{1,20}:)?(?:src|href)\s*=\s*"([^"]+)"/i;
const SRCSET = /srcset/i;

const addressIn = (element: string, attributes: string): string => {
  if (element === 'object') return attributesIn(attributes).get('data') ?? '';
  const plain = PLAIN_ADDRESS.exec(attributes)?.[1];
  if (plain !== undefined) return plain;
  const values = attributesIn(attributes);
  return values.get('src') ?? values.get('href') ?? '';
};

/** Of several sizes of one image the largest: `small.jpg 400w, large.jpg 1600w`. */
const largestIn = (attributes: string): string => {
  if (!SRCSET.test(attributes)) return '';
  let [largest, most] = ['', -1];
  for (const candidate of (attributesIn(attributes).get('srcset') ?? '').split(/,\s/)) {
    const [address = '', size = ''] = candidate.trim().split(/\s+/);
    const number = Number.parseFloat(size) || 0;
    if (address !== '' && number > most) [largest, most] = [address, number];
  }
  return largest;
};

/** Attributes from which scripts load an image when it comes into view; until then, `src` is empty or a placeholder. */
const LATER = /\bdata-(?:src|original|lazy-src)\s*=/i;
const LATER_NAMES = ['data-src', 'data-original', 'data-lazy-src'];

const laterIn = (attributes: string): string => {
  if (!LATER.test(attributes)) return '';
  const values = attributesIn(attributes);
  return LATER_NAMES.map((name) => values.get(name)).find((value) => value !== undefined) ?? '';
};

const REMOTE = /^\s*https?:\/\//i;

/** Elements that show a file of any type may also show a film or a form. */
const isShown = (element: string, target: string): boolean =>
  element === 'img' || element === 'image' || IMAGE_NAME.test(target) || SVG_NAME.test(target);

export interface ImageSearch {
  /** What drawings show: several documents may show the same one. */
  readonly drawings: Map<string, readonly string[]>;
  readonly documents: Allowance;
  readonly targets: Allowance;
  /** Documents that show an image of another server, which is never fetched. */
  readonly remote: Set<string>;
  /** Throws when the work has to stop. */
  readonly check: () => void;
}

export const imageSearch = (check: () => void): ImageSearch => ({
  drawings: new Map(),
  documents: { left: DOCUMENTS_MAX_BYTES },
  targets: { left: TARGETS_MAX_CHARS },
  remote: new Set(),
  check,
});

/** True when the search stopped early. */
export const isSearchCut = ({ documents, targets }: Pick<ImageSearch, 'documents' | 'targets'>): boolean =>
  isSpent(documents) || isSpent(targets);

const SCRIPT = /<(?:\w{1,20}:)?script(?=[\s>])[^<>]*(?<!\/)>/gi;
const SCRIPT_END = /<\/(?:\w{1,20}:)?script/gi;

/** What a script writes is not in the document. One without an end is left as it is. */
const withoutScripts = (text: string): string => {
  let [rest, from] = ['', 0];
  for (const found of text.matchAll(SCRIPT)) {
    if (found.index < from) continue;
    SCRIPT_END.lastIndex = found.index + found[0].length;
    if (!SCRIPT_END.test(text)) break;
    rest += text.slice(from, found.index);
    from = SCRIPT_END.lastIndex;
  }
  return from === 0 ? text : rest + text.slice(from);
};

/** The text of a document without its comments and scripts; null when it cannot be read, or exceeds the allowance. */
export const textOf = (
  entries: EpubEntries,
  path: string,
  search: Pick<ImageSearch, 'documents' | 'targets' | 'check'>,
): string | null => {
  const entry = isSearchCut(search) ? undefined : entries.at(path);
  if (entry === undefined || entry.size > DOCUMENT_MAX_BYTES) return null;
  search.check();
  if (!spend(search.documents, entry.size)) return null;
  const bytes = entries.archive.read(entry, DOCUMENT_MAX_BYTES);
  return bytes === null ? null : withoutScripts(withOwnEntities(decodeXml(bytes).replace(COMMENT, '')));
};

/** Where a document says its addresses count from (`base`), if not from itself. */
const baseOf = (entries: EpubEntries, path: string, attributes: string): string => {
  const address = resolveEntities(addressIn('base', attributes));
  const isFolder = /[/\\]\.{0,2}$|^\.{1,2}$/.test(address);
  const base = entries.resolve(path, isFolder ? `${address}/x` : address);
  return base ?? path;
};

/** What a document shows, in order. A generator, since many short references may resolve to long paths. */
function* targetsIn(entries: EpubEntries, path: string, text: string, search: ImageSearch): Generator<string> {
  const seen = new Set<string>();
  let [base, sources] = [path, ''];
  const targetOf = (address: string): string | undefined => {
    const target = address === '' ? undefined : entries.resolveImage(base, resolveEntities(address));
    return target !== undefined && spend(search.targets, target.length) ? target : undefined;
  };
  for (let at = 0; !isSearchCut(search); ) {
    ELEMENT.lastIndex = at; // another document may be read between two targets
    const found = ELEMENT.exec(text);
    if (found === null) return;
    const from = ELEMENT.lastIndex;
    at = endOfElement(text, from);
    const element = found[1]?.toLowerCase() ?? '';
    const attributes = text.slice(from, at);
    if (element === 'base' && base === path) base = baseOf(entries, path, attributes);
    if (element === 'source' && sources === '') sources = largestIn(attributes);
    if (element === 'base' || element === 'source') continue;
    const later = element === 'img' ? [laterIn(attributes)] : [];
    const others = element === 'img' ? [largestIn(attributes), sources] : [];
    if (element === 'img') sources = '';
    const addresses = [...later, addressIn(element, attributes), ...others];
    const known = seen.size;
    if (seen.add(`${element} ${addresses.join(' ')}`).size === known) continue;
    const targets = addresses.flatMap((address) => targetOf(address) ?? []);
    const remote = addresses.find((address) => REMOTE.test(address));
    const target = targets.find((one) => entries.at(one) !== undefined) ?? targets[0] ?? remote;
    if (target === undefined || !isShown(element, target)) continue;
    if (target === remote) search.remote.add(path);
    yield target;
  }
}

/** An SVG file is not a page itself; the image it shows is. One that shows another SVG file is not followed further. */
const behindSvg = (entries: EpubEntries, path: string, search: ImageSearch): readonly string[] => {
  const known = search.drawings.get(path);
  if (known !== undefined) return known;
  const text = textOf(entries, path, search);
  const targets = text === null ? [] : [...targetsIn(entries, path, text, search)];
  const shown = targets.filter((target) => !SVG_NAME.test(target));
  search.drawings.set(path, shown);
  return shown;
};

/** Paths of the images that a document shows, in order, and addresses of those on other servers. Some may not exist, and some may be repeated. */
export function* imagesOfText(
  entries: EpubEntries,
  path: string,
  text: string,
  search: ImageSearch,
): Generator<string> {
  for (const target of targetsIn(entries, path, text, search)) {
    if (SVG_NAME.test(target) && entries.at(target) !== undefined) yield* behindSvg(entries, target, search);
    else yield target;
  }
}

/** The same for an item of the book that may also be an image itself. */
export function* imagesOfItem(entries: EpubEntries, item: ManifestItem, search: ImageSearch): Generator<string> {
  search.check();
  if (isImageItem(entries, item)) yield item.path;
  else {
    const text = textOf(entries, item.path, search);
    if (text !== null) yield* imagesOfText(entries, item.path, text, search);
  }
}
