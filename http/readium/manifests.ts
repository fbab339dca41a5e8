// Readium manifests of a book: as a comic (Divina), as a PDF, as an EPUB. Valid by the schemas of the Web Publication Manifest.
import { FORMATS } from '../../core/model/formats.js';
import type { PageEntry } from '../../core/model/jobs.js';
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
  /** Where a surface serves the pages of a PDF one by one; null where it serves the file alone. */
  readonly documentOfPage: ((pageNumber: number) => string) | null;
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

/** `linkOf`: for a page, by its number from 1. */
const pageLinks = (
  { table }: Publication,
  linkOf: (pageNumber: number, entry: PageEntry) => Pick<Link, 'href' | 'type'>,
): readonly Link[] =>
  Array.from({ length: table?.pageCount ?? 0 }, (_, index): readonly Link[] => {
    const entry = table?.entry(index);
    if (entry === undefined) return [];
    const size = entry.width > 0 && entry.height > 0 ? { width: entry.width, height: entry.height } : {};
    return [{ ...linkOf(index + 1, entry), ...size }];
  }).flat();

/** A comic, or the pages of a PDF as images. */
export const divinaManifest = (publication: Publication, addresses: Shown) => {
  const { book } = publication;
  const readingOrder = pageLinks(publication, (page, entry) => ({
    href: addresses.page(page),
    type: typeOfPage(entry),
  }));
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

/** The whole file, or each page as a file. */
const documentsOf = (publication: Publication, { documentOfPage, file }: Shown): readonly Link[] => {
  const type = FORMATS.pdf.mediaType;
  const pages = documentOfPage === null ? [] : pageLinks(publication, (page) => ({ href: documentOfPage(page), type }));
  return pages.length === 0 ? [{ href: file, type }] : pages;
};

export const pdfManifest = (publication: Publication, addresses: Shown) => ({
  '@context': CONTEXT,
  metadata: metadataView(publication, 'pdf', comicLayout(publication)),
  links: [
    ...linksOf(publication, addresses, TYPES.webpub),
    { rel: 'alternate', href: addresses.divina, type: TYPES.divina },
  ],
  readingOrder: documentsOf(publication, addresses),
  resources: [coverOf(addresses)],
  toc: unlessEmpty(bookmarksOf(publication, addresses.documentOfPage ?? ((page) => `${addresses.file}#page=${page}`))),
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
