// The table of contents of an EPUB: its navigation document (EPUB 3.3, 7), or the older NCX.
import type { OutlineEntry } from '../../core/model/outline.js';
import { child, children, find, parseXmlBytes, text, type XmlNode } from '../metadata/xml.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import type { EpubPackage, ManifestItem } from './epub-package.js';
import type { EpubEntries } from './epub-paths.js';

const ENTRIES_MAX = 20_000;
const DEPTH_MAX = 32;
const TITLE_MAX = 500;

/** All text below an element, in order as far as the tree preserves it: labels are often wrapped in spans. */
const labelOf = (node: XmlNode | null): string => {
  if (node === null) return '';
  const inner = node.children.map(labelOf).join(' ');
  return `${node.text} ${inner}`.replace(/\s+/g, ' ').trim().slice(0, TITLE_MAX);
};

interface Reading {
  readonly files: EpubEntries;
  readonly base: string;
  readonly entries: Allowance;
  readonly chars: Allowance;
}

/** Paths inside the archive; the fragment is kept. Links that lead out of the book are kept without a target. */
const hrefOf = ({ files, base }: Reading, href: string): string => {
  const path = files.resolve(base, href) ?? (href.startsWith('#') ? base : undefined);
  if (path === undefined) return '';
  const hash = href.indexOf('#');
  return hash < 0 ? path : path + href.slice(hash);
};

/** Empty when the allowance is spent. Its children are read after it. */
const entry = (
  reading: Reading,
  title: string,
  href: string,
  inner: () => readonly OutlineEntry[],
): readonly OutlineEntry[] => {
  if (isSpent(reading.chars) || !spend(reading.entries, 1)) return [];
  const target = hrefOf(reading, href);
  return spend(reading.chars, title.length + target.length) ? [{ title, href: target, children: inner() }] : [];
};

const navEntries = (list: XmlNode | null, reading: Reading, depth: number): OutlineEntry[] =>
  depth > DEPTH_MAX
    ? []
    : children(list, 'li').flatMap((item) => {
        const link = child(item, 'a');
        const title = labelOf(link ?? child(item, 'span'));
        const href = link?.attributes.get('href') ?? '';
        return entry(reading, title, href, () => navEntries(child(item, 'ol'), reading, depth + 1));
      });

const navs = (node: XmlNode, depth = 0): XmlNode[] =>
  depth > DEPTH_MAX
    ? []
    : [...(node.name === 'nav' ? [node] : []), ...node.children.flatMap((one) => navs(one, depth + 1))];

/** The lists of a navigation document that are read; of several of one type the first. */
type NavType = 'toc' | 'landmarks' | 'page-list';

const navOf = (found: readonly XmlNode[], type: NavType): XmlNode | undefined =>
  found.find((nav) => (nav.attributes.get('type') ?? '').split(/\s+/).includes(type));

const listIn = (nav: XmlNode | undefined, reading: Reading): OutlineEntry[] =>
  navEntries(find(nav ?? null, 'ol'), reading, 0);

const navsOf = (bytes: Uint8Array): readonly XmlNode[] => {
  const root = parseXmlBytes(bytes);
  return root === null ? [] : navs(root);
};

const fromNav = (bytes: Uint8Array, reading: Reading): OutlineEntry[] => {
  const found = navsOf(bytes);
  return listIn(navOf(found, 'toc') ?? found[0], reading);
};

const ncxEntries = (parent: XmlNode | null, reading: Reading, depth: number): OutlineEntry[] =>
  depth > DEPTH_MAX
    ? []
    : children(parent, 'navpoint').flatMap((point) => {
        const title = (text(find(child(point, 'navlabel'), 'text')) ?? '').slice(0, TITLE_MAX);
        const href = child(point, 'content')?.attributes.get('src') ?? '';
        return entry(reading, title, href, () => ncxEntries(point, reading, depth + 1));
      });

const fromNcx = (bytes: Uint8Array, reading: Reading): OutlineEntry[] =>
  ncxEntries(find(parseXmlBytes(bytes), 'navmap'), reading, 0);

const pagesOfNcx = (bytes: Uint8Array, reading: Reading): OutlineEntry[] =>
  children(find(parseXmlBytes(bytes), 'pagelist'), 'pagetarget').flatMap((target) => {
    const title = (text(find(child(target, 'navlabel'), 'text')) ?? '').slice(0, TITLE_MAX);
    return entry(reading, title, child(target, 'content')?.attributes.get('src') ?? '', () => []);
  });

const NCX_TYPE = 'application/x-dtbncx+xml';
/** Tables of contents are larger than package documents: five thousand entries take about a megabyte. */
const TOC_MAX_BYTES = 8 * 1024 * 1024;

type Reader = (bytes: Uint8Array, reading: Reading) => OutlineEntry[];

export interface Toc {
  readonly toc: readonly OutlineEntry[];
  /** True when there are more entries than are kept. */
  readonly isCut: boolean;
}

const tocIn = (entries: EpubEntries, item: ManifestItem | undefined, chars: Allowance, reader: Reader): Toc => {
  const bytes = item === undefined ? null : entries.read(item.path, TOC_MAX_BYTES);
  if (item === undefined || bytes === null) return { toc: [], isCut: false };
  const reading = { files: entries, base: item.path, entries: { left: ENTRIES_MAX }, chars };
  const toc = reader(bytes, reading);
  return { toc, isCut: isSpent(reading.entries) || isSpent(chars) };
};

const navItem = ({ items }: EpubPackage): ManifestItem | undefined =>
  items.find(({ properties }) => properties.includes('nav'));

const ncxItem = ({ items }: EpubPackage): ManifestItem | undefined =>
  items.find(({ mediaType, path }) => mediaType === NCX_TYPE || path.endsWith('.ncx'));

/** `chars` limits titles and targets together. */
export const readToc = (entries: EpubEntries, book: EpubPackage, chars: Allowance): Toc => {
  const found = tocIn(entries, navItem(book), chars, fromNav);
  return found.toc.length > 0 ? found : tocIn(entries, ncxItem(book), chars, fromNcx);
};

/** The landmarks of an EPUB 2 are in its package document (OPF 2.0.1, 2.6). */
const guideOf = (files: EpubEntries, { root, path }: EpubPackage, chars: Allowance): OutlineEntry[] => {
  const reading = { files, base: path, entries: { left: ENTRIES_MAX }, chars };
  return children(child(root, 'guide'), 'reference').flatMap(({ attributes }) => {
    const title = (attributes.get('title') ?? attributes.get('type') ?? '').trim().slice(0, TITLE_MAX);
    return entry(reading, title, attributes.get('href') ?? '', () => []);
  });
};

/** Documents or images that the landmarks of an EPUB 3 call its cover. */
export const coverLandmarks = (entries: EpubEntries, book: EpubPackage, chars: Allowance): readonly string[] =>
  tocIn(entries, navItem(book), chars, (bytes, reading) => {
    const links = children(find(navOf(navsOf(bytes), 'landmarks') ?? null, 'ol'), 'li').map((item) => child(item, 'a'));
    return links
      .filter((link) => (link?.attributes.get('type') ?? '').split(/\s+/).includes('cover'))
      .flatMap((link) => entry(reading, '', link?.attributes.get('href') ?? '', () => []));
  }).toc.map(({ href }) => href.split('#', 1)[0] ?? '');

export interface Landmarks {
  readonly landmarks: readonly OutlineEntry[];
  readonly pageList: readonly OutlineEntry[];
}

/** What a book tells of itself besides its table of contents: where its parts begin, and where the pages of its printed edition are. */
export const readLandmarks = (entries: EpubEntries, book: EpubPackage, chars: Allowance): Landmarks => {
  const of = (type: NavType): readonly OutlineEntry[] =>
    tocIn(entries, navItem(book), chars, (bytes, reading) => listIn(navOf(navsOf(bytes), type), reading)).toc;
  const [landmarks, pageList] = [of('landmarks'), of('page-list')];
  return {
    landmarks: landmarks.length > 0 ? landmarks : guideOf(entries, book, chars),
    pageList: pageList.length > 0 ? pageList : tocIn(entries, ncxItem(book), chars, pagesOfNcx).toc,
  };
};
