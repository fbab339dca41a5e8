// Readium manifests of a book: as a comic (Divina), as a PDF, as an EPUB. Valid by the schemas of the Web Publication Manifest.
import { FORMATS } from '../../core/model/formats.js';
import type { OutlineEntry } from '../../core/model/outline.js';
import { mediaTypeOfPart } from '../../core/model/part-types.js';
import { typeOfPage } from '../../core/pages/form.js';
import type { Publication } from '../../core/pages/publication.js';
import type { Addresses } from './addresses.js';
import { type Link, TYPES, unlessEmpty } from './link.js';
import { type Layout, metadataView } from './metadata.js';

const CONTEXT = 'https://readium.org/webpub-manifest/context.jsonld';
const ACQUISITION = 'http://opds-spec.org/acquisition';
const POSITIONS = 'http://readium.org/position-list';
const PROGRESSION = 'http://www.cantook.com/api/progression';

interface Shown extends Addresses {
  /** The address that was asked for. */
  readonly self: string;
}

const linksOf = ({ book }: Publication, addresses: Shown, type: string): Link[] => [
  { rel: 'self', href: addresses.self, type },
  { rel: ACQUISITION, href: addresses.file, type: FORMATS[book.format].mediaType },
  { rel: PROGRESSION, href: addresses.progression, type: TYPES.progression },
];

const coverOf = ({ thumbnail }: Addresses): Link => ({ rel: 'cover', href: thumbnail, type: 'image/jpeg' });

/** A comic has the direction of its series, unless its file has one of its own. */
const comicLayout = ({ book, contents }: Publication): Layout => {
  if (book.readingDirection === 'webtoon') return { layout: 'scrolled' };
  if (book.readingDirection === 'ttb') return {};
  return { readingProgression: contents?.direction ?? book.readingDirection };
};

const pageLink = ({ table }: Publication, addresses: Addresses, index: number): readonly Link[] => {
  const entry = table?.entry(index);
  if (entry === undefined) return [];
  const size = entry.width > 0 && entry.height > 0 ? { width: entry.width, height: entry.height } : {};
  return [{ href: addresses.page(index + 1), type: typeOfPage(entry), ...size }];
};

const pageLinks = (publication: Publication, addresses: Addresses): readonly Link[] =>
  Array.from({ length: publication.table?.pageCount ?? 0 }, (_, index) =>
    pageLink(publication, addresses, index),
  ).flat();

/** A comic, or the pages of a PDF as images. */
export const divinaManifest = (publication: Publication, addresses: Shown) => {
  const { book } = publication;
  const readingOrder = pageLinks(publication, addresses);
  const links = linksOf(publication, addresses, TYPES.divina);
  if (book.format === 'epub') links.push({ rel: 'alternate', href: addresses.epub, type: TYPES.webpub });
  return {
    '@context': CONTEXT,
    metadata: {
      ...metadataView(publication, 'divina', comicLayout(publication)),
      numberOfPages: readingOrder.length || undefined,
    },
    links,
    readingOrder,
    resources: [coverOf(addresses)],
    toc: unlessEmpty(bookmarksOf(publication, (page) => addresses.page(page))),
  };
};

const PAGE = /^page=(\d{1,7})$/;

const bookmarksOf = ({ bookmarks, table }: Publication, hrefOf: (page: number) => string): readonly Link[] => {
  const view = (entries: readonly OutlineEntry[]): readonly Link[] =>
    entries.flatMap(({ title, href, children }): readonly Link[] => {
      const below = view(children);
      const page = Number(PAGE.exec(href)?.[1] ?? 0);
      if (page < 1 || page > (table?.pageCount ?? 0)) return below;
      return [{ href: hrefOf(page), title, children: unlessEmpty(below) }];
    });
  return view(bookmarks);
};

export const pdfManifest = (publication: Publication, addresses: Shown) => ({
  '@context': CONTEXT,
  metadata: metadataView(publication, 'pdf', comicLayout(publication)),
  links: [
    ...linksOf(publication, addresses, TYPES.webpub),
    { rel: 'alternate', href: addresses.divina, type: TYPES.divina },
  ],
  readingOrder: [{ href: addresses.file, type: FORMATS.pdf.mediaType }],
  resources: [coverOf(addresses)],
  toc: unlessEmpty(bookmarksOf(publication, (page) => `${addresses.file}#page=${page}`)),
});

/** Headings that lead nowhere lead to the first thing below them. */
const targetOf = ({ href, children }: OutlineEntry): string => {
  if (href !== '') return href;
  for (const child of children) {
    const found = targetOf(child);
    if (found !== '') return found;
  }
  return '';
};

const outlineLinks = (entries: readonly OutlineEntry[], addresses: Addresses): readonly Link[] =>
  entries.flatMap((entry): readonly Link[] => {
    const target = targetOf(entry);
    if (target === '') return [];
    const children = unlessEmpty(outlineLinks(entry.children, addresses));
    return [{ href: addresses.part(target), title: entry.title === '' ? undefined : entry.title, children }];
  });

const epubLayout = ({ contents }: Publication): Layout => ({
  layout: contents?.kind === 'reflowable' ? 'reflowable' : 'fixed',
  readingProgression: contents?.direction ?? undefined,
});

export const epubManifest = (publication: Publication, addresses: Shown) => {
  const { contents } = publication;
  const types = new Map(contents?.parts.map((part) => [part.path, mediaTypeOfPart(part)]));
  const partLink = (path: string): Link => ({
    href: addresses.part(path),
    type: types.get(path) ?? 'application/octet-stream',
  });
  const links = linksOf(publication, addresses, TYPES.webpub);
  links.push({ rel: POSITIONS, href: addresses.positions, type: TYPES.positions });
  if (contents?.kind === 'images') links.push({ rel: 'alternate', href: addresses.divina, type: TYPES.divina });
  return {
    '@context': CONTEXT,
    metadata: metadataView(publication, 'epub', epubLayout(publication)),
    links,
    readingOrder: contents?.spine.map(({ href }) => partLink(href)) ?? [],
    resources: [coverOf(addresses), ...(contents?.resources.map(partLink) ?? [])],
    toc: unlessEmpty(outlineLinks(contents?.toc ?? [], addresses)),
    landmarks: unlessEmpty(outlineLinks(contents?.landmarks ?? [], addresses)),
    pageList: unlessEmpty(outlineLinks(contents?.pageList ?? [], addresses)),
  };
};
