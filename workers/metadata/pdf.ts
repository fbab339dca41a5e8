// What a PDF says about itself: its information dictionary, its XMP packet, and a ComicInfo document embedded in either.

import { isbnsIn } from '../../core/model/isbn.js';
import type { BookFacts, EmbeddedMetadata } from '../../core/model/metadata.js';
import { authorsOf, distinctAuthors } from './authors.js';
import { readComicInfo, readComicInfoNode } from './comicinfo.js';
import { embedded, mergeMetadata } from './merge.js';
import { distinct, joined, languageOf } from './values.js';
import { find, parseXmlBytes, text, type XmlNode } from './xml.js';
import { cleanText } from './xml-node.js';

export interface PdfInfo {
  readonly title?: string | null;
  readonly author?: string | null;
  readonly subject?: string | null;
  readonly keywords?: string | null;
  /** When the file was created, which is not when the book came out: not used. */
  readonly creationDate?: string | null;
}

const fieldOf = (value: string | null | undefined): string | null => {
  const trimmed = cleanText(value ?? '');
  return trimmed === '' ? null : trimmed;
};

/** Names are separated by semicolons or, where there are none, commas: `Doe, Jane; Roe, Rick` are two people. */
const namesIn = (value: string | null): readonly string[] =>
  distinct((value ?? '').split((value ?? '').includes(';') ? ';' : ','));

const isDocument = (value: string | null): boolean => /<(?:\w+:)?ComicInfo[\s>]/i.test(value ?? '');

const comicInfoIn = (value: string | null): EmbeddedMetadata | null => {
  const start = value?.search(/<(?:\w{1,20}:)?ComicInfo[\s>]/i) ?? -1;
  return value === null || start < 0 ? null : readComicInfo(new TextEncoder().encode(value.slice(start)));
};

const isbnsFrom = (...values: readonly (string | null)[]): string | null =>
  joined([...new Set(values.flatMap((value) => isbnsIn(value ?? '')))]);

const fromDictionary = (info: PdfInfo): EmbeddedMetadata | null => {
  const [summary, keywords] = [fieldOf(info.subject), fieldOf(info.keywords)];
  const words = isDocument(keywords) ? null : keywords;
  return embedded(
    {
      title: fieldOf(info.title),
      authors: distinctAuthors(authorsOf(namesIn(fieldOf(info.author)), 'author')),
      summary: isDocument(summary) ? null : summary,
      subjects: namesIn(words),
      isbns: isbnsFrom(summary, words),
    },
    {},
  );
};

/** The items of an RDF list (of alternatives, the default first), or the text itself where a writer omitted the list. */
const itemsOf = (node: XmlNode | null): readonly string[] => {
  const list = node?.children[0]?.children.filter(({ name }) => name === 'li') ?? [];
  const first = list.findIndex((item) => item.attributes.get('lang') === 'x-default');
  const ordered = first > 0 ? [list[first], ...list.toSpliced(first, 1)] : list;
  const values = ordered.flatMap((item) => text(item ?? null) ?? []);
  const own = list.length === 0 ? text(node) : null;
  return own === null ? values : [own];
};

/** Dublin Core in the descriptions of a packet: as an element, or as an attribute of a description. */
const dublinCore = (root: XmlNode): ((name: string) => readonly string[]) => {
  const descriptions = find(root, 'rdf')?.children ?? [];
  return (name) => {
    for (const description of descriptions) {
      const element = description.children.find((one) => one.name === name);
      const values = element === undefined ? [] : itemsOf(element);
      const attribute = cleanText(description.attributes.get(name) ?? '');
      if (values.length > 0 || attribute !== '') return values.length > 0 ? values : [attribute];
    }
    return [];
  };
};

const fromXmp = (root: XmlNode): EmbeddedMetadata | null => {
  const values = dublinCore(root);
  const languageIso = values('language').flatMap((value) => languageOf(value) ?? [])[0] ?? null;
  const book: Partial<BookFacts> = {
    title: values('title')[0] ?? null,
    authors: distinctAuthors(authorsOf(distinct(values('creator')), 'author')),
    summary: values('description')[0] ?? null,
    publisher: values('publisher')[0] ?? null,
    subjects: distinct(values('subject')),
    languageIso,
    isbns: isbnsFrom(...values('identifier'), ...values('description'), ...values('subject')),
  };
  return isDocument(book.summary ?? null) ? null : embedded(book, { language: languageIso });
};

/** Text anywhere in a packet that is itself a ComicInfo document. */
const escapedIn = (node: XmlNode): string | null => {
  if (isDocument(node.text)) return node.text;
  for (const one of node.children) {
    const found = escapedIn(one);
    if (found !== null) return found;
  }
  return null;
};

/** A ComicInfo document was written for the book on purpose, so it takes precedence over fields that programs fill by themselves. */
export const readPdfInfo = (info: PdfInfo, xmp: Uint8Array | null): EmbeddedMetadata | null => {
  const root = xmp === null ? null : parseXmlBytes(xmp);
  return mergeMetadata(
    comicInfoIn(info.keywords ?? null),
    comicInfoIn(info.subject ?? null),
    root && (readComicInfoNode(root) ?? comicInfoIn(escapedIn(root))),
    fromDictionary(info),
    root && fromXmp(root),
  );
};
