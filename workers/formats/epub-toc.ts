// The table of contents of an EPUB: its navigation document (EPUB 3.3, 7), or the older NCX.
import type { OutlineEntry } from '../../core/model/outline.js';
import { child, children, find, parseXmlBytes, text, type XmlNode } from '../metadata/xml.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import type { EpubPackage, ManifestItem } from './epub-package.js';
import { type EpubEntries, resolveHref } from './epub-paths.js';

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
  readonly base: string;
  readonly entries: Allowance;
  readonly chars: Allowance;
}

/** Paths inside the archive; the fragment is kept. Links that lead out of the book are kept without a target. */
const hrefOf = ({ base }: Reading, href: string): string => {
  const path = resolveHref(base, href) ?? (href.startsWith('#') ? base : undefined);
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

const fromNav = (bytes: Uint8Array, reading: Reading): OutlineEntry[] => {
  const root = parseXmlBytes(bytes);
  if (root === null) return [];
  const found = navs(root);
  const toc = found.find((nav) => (nav.attributes.get('type') ?? '').split(/\s+/).includes('toc')) ?? found[0];
  return navEntries(find(toc ?? null, 'ol'), reading, 0);
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
  const reading = { base: item.path, entries: { left: ENTRIES_MAX }, chars };
  const toc = reader(bytes, reading);
  return { toc, isCut: isSpent(reading.entries) || isSpent(chars) };
};

/** `chars` limits titles and targets together. */
export const readToc = (entries: EpubEntries, { items }: EpubPackage, chars: Allowance): Toc => {
  const nav = items.find(({ properties }) => properties.includes('nav'));
  const found = tocIn(entries, nav, chars, fromNav);
  if (found.toc.length > 0) return found;
  const ncx = items.find(({ mediaType, path }) => mediaType === NCX_TYPE || path.endsWith('.ncx'));
  return tocIn(entries, ncx, chars, fromNcx);
};
