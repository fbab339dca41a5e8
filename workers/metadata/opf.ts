// The package document of EPUB 2 and 3, which calibre also writes as metadata.opf next to a book.

import { joinIsbns } from '../../core/model/isbn.js';
import type { BookFacts, EmbeddedMetadata, SeriesFacts } from '../../core/model/metadata.js';
import { numberOfText } from '../../core/model/numbers.js';
import { translatorOf } from './authors.js';
import { plainText } from './html.js';
import { isLeftToRight, languageOf } from './language.js';
import { embedded, unreadMetadata } from './merge.js';
import { writingDirectionOf } from './opf-direction.js';
import { peopleIn, publisherAmong, type Refined } from './opf-people.js';
import {
  calibreDateOf,
  dateOf,
  directionOf,
  distinct,
  enumerated,
  hostOf,
  joined,
  linksIn,
  type PublicationDate,
  plainNumber,
} from './values.js';
import { child, children, find, readXmlBytes, text, type XmlNode } from './xml.js';

interface Package {
  /** Elements by name: those of Dublin Core, and `meta`. */
  readonly all: (name: string) => readonly XmlNode[];
  /** OPF 3: what a `meta` says about an element, by its id. */
  readonly refined: Refined;
  /** OPF 2: content of `<meta name>`. */
  readonly named: (name: string) => string | null;
  readonly direction: SeriesFacts['readingDirection'];
  /** calibre writes days in its own way. */
  readonly isByCalibre: boolean;
}

const refinements = (metas: readonly XmlNode[]): Refined => {
  const byKey = new Map<string, string>();
  for (const meta of metas) {
    const target = meta.attributes.get('refines')?.trim().replace(/^#/, '');
    const key = `${target} ${meta.attributes.get('property')?.trim()}`;
    const value = text(meta) ?? meta.attributes.get('content');
    if (target !== undefined && value !== undefined && !byKey.has(key)) byKey.set(key, value);
  }
  return (node, property) => byKey.get(`${node.attributes.get('id')} ${property}`) ?? null;
};

const isWrittenByCalibre = (metas: readonly XmlNode[], contributors: readonly XmlNode[]): boolean =>
  metas.some(({ attributes }) =>
    /^calibre:/.test((attributes.get('name') ?? attributes.get('property') ?? '').trim()),
  ) || contributors.some((node) => /^calibre\b/i.test(node.text.trim()));

const packageOf = (root: XmlNode): Package => {
  // A broken document may have lost the element around its metadata.
  const metadata = find(root, 'metadata') ?? root;
  // OPF 1 nests its elements two levels deeper; nothing else in there has the same names.
  const places = [metadata, child(metadata, 'dc-metadata'), child(metadata, 'x-metadata')];
  const all = (name: string): readonly XmlNode[] => places.flatMap((place) => children(place, name));
  const metas = all('meta');
  return {
    all,
    refined: refinements(metas),
    named: (name) => {
      const content = metas.find((meta) => meta.attributes.get('name')?.trim() === name)?.attributes.get('content');
      return content === undefined || content.trim() === '' ? null : content.trim();
    },
    isByCalibre: isWrittenByCalibre(metas, all('contributor')),
    direction:
      directionOf(find(root, 'spine')?.attributes.get('page-progression-direction') ?? null) ??
      writingDirectionOf(root),
  };
};

const textsOf = (nodes: readonly XmlNode[]): readonly string[] => nodes.flatMap((node) => text(node) ?? []);

const titlesIn = ({ all, refined, named }: Package): Partial<BookFacts> => {
  const titles = all('title').filter((node) => text(node) !== null);
  const ofType = (type: string): XmlNode | null =>
    titles.find((node) => refined(node, 'title-type')?.trim().toLowerCase() === type) ?? null;
  const main = ofType('main') ?? titles.find((node) => refined(node, 'title-type') === null) ?? titles[0] ?? null;
  const sort = main === null ? null : (refined(main, 'file-as') ?? main.attributes.get('file-as') ?? null);
  const subtitle = ofType('subtitle');
  return {
    title: text(main),
    titleSort: sort ?? named('calibre:title_sort'),
    subtitle: subtitle === main ? null : text(subtitle),
    edition: text(ofType('edition')),
  };
};

/** A package may also contain the dates of its creation; they do not say when the book came out. */
const dateIn = ({ all, isByCalibre }: Package): PublicationDate => {
  const dates = all('date').filter((node) => text(node) !== null);
  const eventOf = (node: XmlNode): string => node.attributes.get('event')?.trim().toLowerCase() ?? '';
  const published = dates.find((node) => eventOf(node).includes('publication'));
  const plain = dates.find((node) => !/^(?:creation|modification)$/.test(eventOf(node)));
  const date = text(published ?? plain ?? null);
  return isByCalibre ? calibreDateOf(date) : dateOf(date);
};

/** A shop's identifier may look like an ISBN: one declared as something else is ignored. */
const isbnsFrom = ({ all }: Package): string | null => {
  const mayBeIsbn = (node: XmlNode): boolean => {
    const scheme = node.attributes.get('scheme')?.trim() ?? '';
    return scheme === '' || /isbn|ean|gtin|ur[in]/i.test(scheme);
  };
  return joinIsbns(textsOf(all('identifier').filter(mayBeIsbn)));
};

interface Place {
  readonly series: string | null;
  readonly position: string | null;
}

/** calibre's own fields take precedence; else the first collection that is a series, else the first collection. */
const placeIn = ({ all, refined, named }: Package): Place => {
  const series = named('calibre:series');
  if (series !== null) return { series, position: named('calibre:series_index') };
  const collections = all('meta').filter(
    (meta) =>
      meta.attributes.get('property')?.trim() === 'belongs-to-collection' &&
      !meta.attributes.has('refines') &&
      text(meta) !== null,
  );
  const chosen =
    collections.find((meta) => refined(meta, 'collection-type')?.trim().toLowerCase() === 'series') ?? collections[0];
  if (chosen === undefined) return { series: null, position: null };
  return { series: text(chosen), position: refined(chosen, 'group-position') };
};

const positionIn = ({ series, position }: Place): Partial<BookFacts> => {
  const number = position === null || position.trim() === '' ? null : plainNumber(position.trim());
  return { series, number, seriesPosition: numberOfText(number) };
};

const languageIn = ({ all }: Package): string | null =>
  textsOf(all('language')).flatMap((value) => languageOf(value) ?? [])[0] ?? null;

const opfFacts = (found: Package): Partial<BookFacts> => {
  const { all, refined } = found;
  const people = [...all('creator'), ...all('contributor')];
  const authors = peopleIn(people, refined);
  const subjects = distinct(textsOf(all('subject')).flatMap(enumerated));
  return {
    ...titlesIn(found),
    ...positionIn(placeIn(found)),
    ...dateIn(found),
    summary: textsOf(all('description')).flatMap((value) => plainText(value) ?? [])[0] ?? null,
    publisher: textsOf(all('publisher'))[0] ?? publisherAmong(people, refined),
    subjects,
    genre: joined(subjects),
    isbns: isbnsFrom(found),
    languageIso: languageIn(found),
    translator: translatorOf(authors),
    authors,
  };
};

/** `default` as a direction leaves the choice to the reader, so it counts as none. */
const seriesIn = (book: Partial<BookFacts>, direction: SeriesFacts['readingDirection']): Partial<SeriesFacts> => ({
  title: book.series ?? null,
  publisher: book.publisher ?? null,
  language: book.languageIso ?? null,
  readingDirection: direction,
  genres: book.subjects ?? [],
});

/** `incomplete`: the name of the document, if it is. */
const metadataIn = (
  node: XmlNode,
  impliedDirection: (language: string | null) => 'ltr' | null,
  incomplete: string | null = null,
): EmbeddedMetadata | null => {
  const root = find(node, 'package');
  if (root === null) return incomplete === null ? null : unreadMetadata(incomplete);
  const found = packageOf(root);
  const book = opfFacts(found);
  const links = linksIn(textsOf([...found.all('source'), ...found.all('relation')]).join(' '), hostOf);
  const series = seriesIn(book, found.direction);
  const readingDirection = series.readingDirection ?? impliedDirection(book.languageIso ?? null);
  return embedded(
    { ...book, links },
    { ...series, readingDirection, links },
    { languages: textsOf(found.all('language')), incomplete },
  );
};

/** Of an EPUB. Few that are read from left to right state it, so in a language that is only written that way, it is assumed. */
export const readOpfMetadata = (node: XmlNode): EmbeddedMetadata | null =>
  metadataIn(node, (language) => (language !== null && isLeftToRight(language) ? 'ltr' : null));

/** Of a file next to a book of any format: its language says nothing about the order of pages. `name`: of the file. */
export const readOpf = (bytes: Uint8Array, name = 'metadata.opf'): EmbeddedMetadata | null => {
  const { root, isIncomplete } = readXmlBytes(bytes);
  const incomplete = isIncomplete ? name : null;
  if (root === null) return incomplete === null ? null : unreadMetadata(incomplete);
  return metadataIn(root, () => null, incomplete);
};
