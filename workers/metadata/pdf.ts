// What a PDF says about itself: its information dictionary, its XMP packet, and a ComicInfo document embedded in either.

import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { authorsOf, distinctAuthors } from './authors.js';
import { readComicInfo, readComicInfoNode } from './comicinfo.js';
import { plainText } from './html.js';
import { embedded, mergeMetadata, unreadMetadata } from './merge.js';
import { withoutPlaceholder } from './placeholder-title.js';
import { nameList, termList } from './values.js';
import { decodeXml, readXml, type XmlNode } from './xml.js';
import { cleanText } from './xml-node.js';
import { fromXmp, isbnsFrom, isComicInfo } from './xmp.js';

export interface PdfInfo {
  readonly title?: string | null;
  readonly author?: string | null;
  readonly subject?: string | null;
  readonly keywords?: string | null;
  /** When the file was created, which is not when the book came out: not used. */
  readonly creationDate?: string | null;
  /** Of the viewer preferences. */
  readonly direction?: string | null;
}

const DIRECTIONS: Readonly<Record<string, 'ltr' | 'rtl'>> = { L2R: 'ltr', R2L: 'rtl' };

const fieldOf = (value: string | null | undefined): string | null => {
  const trimmed = cleanText(value ?? '');
  return trimmed === '' ? null : trimmed;
};

const comicInfoIn = (value: string | null): EmbeddedMetadata | null => {
  const start = value?.search(/<(?:\w{1,20}:)?ComicInfo[\s>]/i) ?? -1;
  return value === null || start < 0 ? null : readComicInfo(new TextEncoder().encode(value.slice(start)));
};

const fromDictionary = (info: PdfInfo): EmbeddedMetadata | null => {
  const [summary, keywords] = [fieldOf(info.subject), fieldOf(info.keywords)];
  const words = isComicInfo(keywords) ? null : keywords;
  return embedded(
    {
      title: withoutPlaceholder(fieldOf(info.title)),
      authors: distinctAuthors(authorsOf(nameList(fieldOf(info.author)), 'author')),
      summary: isComicInfo(summary) ? null : plainText(summary),
      subjects: termList(words),
      isbns: isbnsFrom(summary, words),
    },
    { readingDirection: DIRECTIONS[info.direction ?? ''] ?? null },
  );
};

/** Text anywhere in a packet that is itself a ComicInfo document. */
const escapedIn = (node: XmlNode): string | null => {
  if (isComicInfo(node.text)) return node.text;
  for (const one of node.children) {
    const found = escapedIn(one);
    if (found !== null) return found;
  }
  return null;
};

/** A list says where each name begins and ends, which the one text of the dictionary may not. */
const listedPeople = (
  packet: EmbeddedMetadata | null,
  dictionary: EmbeddedMetadata | null,
): EmbeddedMetadata | null => {
  const authors = packet?.book.authors ?? [];
  return authors.length > (dictionary?.book.authors.length ?? 0) ? embedded({ authors }, {}) : null;
};

/** How the document of a packet begins. Some programs store one that the key of the document does not open: such bytes are no packet. */
const XMP_START = /<(?:\w{1,20}:)?(?:xmpmeta|xapmeta|RDF)\b/;

/**
 * A ComicInfo document was written for the book on purpose, so it takes precedence over fields that programs fill by themselves. calibre
 * writes all it knows to the packet, and the dictionary is a poorer copy of it. `isXmpDamaged`: there is a packet, but it cannot be unpacked.
 */
export const readPdfInfo = (info: PdfInfo, xmp: Uint8Array | null, isXmpDamaged = false): EmbeddedMetadata | null => {
  const source = xmp === null ? '' : decodeXml(xmp);
  const { root, isIncomplete } = readXml(source);
  const isByCalibre = source.includes('calibre-ebook.com/xmp-namespace');
  const packet = root && fromXmp(root, isByCalibre);
  const dictionary = fromDictionary(info);
  return mergeMetadata(
    comicInfoIn(info.keywords ?? null),
    comicInfoIn(info.subject ?? null),
    root && (readComicInfoNode(root) ?? comicInfoIn(escapedIn(root))),
    isByCalibre ? packet : listedPeople(packet, dictionary),
    dictionary,
    packet,
    isXmpDamaged || (isIncomplete && XMP_START.test(source)) ? unreadMetadata('XMP') : null,
  );
};
