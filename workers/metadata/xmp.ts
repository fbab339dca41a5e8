// The XMP packet of a PDF: Dublin Core (ISO 16684-1), and what calibre adds to it.

import { isbnsIn } from '../../core/model/isbn.js';
import type { BookFacts, EmbeddedMetadata } from '../../core/model/metadata.js';
import { numberOfText } from '../../core/model/numbers.js';
import { authorsOf, distinctAuthors } from './authors.js';
import { plainText } from './html.js';
import { languageOf } from './language.js';
import { embedded } from './merge.js';
import { withoutPlaceholder } from './placeholder-title.js';
import { calibreDateOf, distinct, joined, plainNumber } from './values.js';
import { child, find, text, type XmlNode } from './xml.js';
import { cleanText } from './xml-node.js';

/** Some programs put the whole document into a text element. */
export const isComicInfo = (value: string | null): boolean => /<(?:\w+:)?ComicInfo[\s>]/i.test(value ?? '');

export const isbnsFrom = (...values: readonly (string | null)[]): string | null =>
  joined([...new Set(values.flatMap((value) => isbnsIn(value ?? '')))]);

/** The items of an RDF list, of alternatives the default first. */
const itemsOf = (node: XmlNode): readonly string[] => {
  const list = node.children[0]?.children.filter(({ name }) => name === 'li') ?? [];
  const first = list.findIndex((item) => item.attributes.get('lang') === 'x-default');
  const ordered = first > 0 ? [list[first], ...list.toSpliced(first, 1)] : list;
  return ordered.flatMap((item) => text(item ?? null) ?? []);
};

interface Packet {
  /** Values of a property: of a list, of an element without one, or an attribute of a description. */
  readonly values: (name: string) => readonly string[];
  readonly element: (name: string) => XmlNode | null;
}

const packetOf = (root: XmlNode): Packet => {
  const descriptions = find(root, 'rdf')?.children ?? [];
  const elements = (name: string): readonly XmlNode[] => descriptions.flatMap((one) => child(one, name) ?? []);
  const values = (name: string): readonly string[] => {
    for (const element of elements(name)) {
      const items = itemsOf(element);
      const own = items.length > 0 ? items : [text(element) ?? ''].filter((one) => one !== '');
      if (own.length > 0) return own;
    }
    const attribute = descriptions.map((one) => cleanText(one.attributes.get(name) ?? '')).find((one) => one !== '');
    return attribute === undefined ? [] : [attribute];
  };
  return { values, element: (name) => elements(name)[0] ?? null };
};

/** calibre's series is a structure: its name is the value, its position a property next to it. */
const placeIn = ({ values, element }: Packet): Partial<BookFacts> => {
  const node = element('series');
  const series = text(child(node, 'value')) ?? (node?.children.length ? null : (values('series')[0] ?? null));
  const position =
    text(child(node, 'series_index')) ?? node?.attributes.get('series_index')?.trim() ?? values('series_index')[0];
  if (series === null) return {};
  const number = position === undefined || position === '' ? null : plainNumber(position);
  return { series, number, seriesPosition: numberOfText(number) };
};

/** An identifier may be a structure of its scheme and its value; one declared as something else is no ISBN. */
const identifiersIn = ({ values, element }: Packet): readonly string[] => {
  const items = element('identifier')?.children[0]?.children ?? [];
  const structured = items.filter((item) => child(item, 'scheme') !== null);
  if (structured.length === 0) return [...values('identifier'), ...values('isbn')];
  return [
    ...structured
      .filter((item) => /isbn|ean|gtin|ur[in]/i.test(text(child(item, 'scheme')) ?? ''))
      .flatMap((item) => text(child(item, 'value')) ?? []),
    ...values('isbn'),
  ];
};

/** Programs of other makers write the date of the file, so only calibre's counts. */
export const fromXmp = (root: XmlNode, isByCalibre: boolean): EmbeddedMetadata | null => {
  const packet = packetOf(root);
  const { values } = packet;
  const description = values('description')[0] ?? null;
  if (isComicInfo(description)) return null;
  const languageIso = values('language').flatMap((value) => languageOf(value) ?? [])[0] ?? null;
  const book: Partial<BookFacts> = {
    title: withoutPlaceholder(values('title')[0] ?? null),
    titleSort: values('title_sort')[0] ?? null,
    ...placeIn(packet),
    ...(isByCalibre ? calibreDateOf(values('date')[0] ?? null) : {}),
    authors: distinctAuthors(authorsOf(distinct(values('creator')), 'author')),
    summary: plainText(description),
    publisher: values('publisher')[0] ?? null,
    subjects: distinct(values('subject')),
    languageIso,
    isbns: isbnsFrom(...identifiersIn(packet), ...values('description'), ...values('subject')),
  };
  return embedded(book, { title: book.series ?? null, language: languageIso }, { languages: values('language') });
};
