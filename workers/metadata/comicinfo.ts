// ComicInfo.xml (the schema of the Anansi project, versions 1.0 to 2.1), as a file in an archive or inside another document.

import { joinIsbns } from '../../core/model/isbn.js';
import type { Author, AuthorRole, BookFacts, EmbeddedMetadata, SeriesFacts } from '../../core/model/metadata.js';
import { numberOfText } from '../../core/model/numbers.js';
import { ageOf } from './age-rating.js';
import { authorsOf, distinctAuthors, translatorOf } from './authors.js';
import { plainText } from './html.js';
import { languageOf } from './language.js';
import { embedded, unreadMetadata } from './merge.js';
import {
  countOf,
  flagOf,
  integerIn,
  joined,
  linksIn,
  nameList,
  plainWord,
  publicationDate,
  termList,
  volumeOf,
} from './values.js';
import { child, children, decodeXml, find, parseXml, readXmlBytes, text, type XmlNode } from './xml.js';

const CREDITS: readonly (readonly [element: string, role: AuthorRole])[] = [
  ['writer', 'writer'],
  ['penciller', 'penciller'],
  ['inker', 'inker'],
  ['colorist', 'colorist'],
  ['letterer', 'letterer'],
  ['coverartist', 'cover_artist'],
  ['editor', 'editor'],
  ['translator', 'translator'],
];

type Field = (element: string) => string | null;

const authorsIn = (field: Field): readonly Author[] =>
  distinctAuthors(CREDITS.flatMap(([element, role]) => authorsOf(nameList(field(element)), role)));

const isRightToLeft = (field: Field): boolean => /^yes ?and ?right ?to ?left$/.test(plainWord(field('manga')));

/** "Yes" states no direction: programs also write it for mirrored manga. */
const directionIn = (field: Field): 'ltr' | 'rtl' | null => {
  if (isRightToLeft(field)) return 'rtl';
  return flagOf(field('manga')) === false ? 'ltr' : null;
};

/** Several arcs have as many numbers; the name of one arc may contain a comma. */
const storyArcsIn = (field: Field): readonly string[] => {
  const arcs = field('storyarc');
  const numbers = nameList(field('storyarcnumber'));
  return arcs !== null && numbers.length === 1 ? [arcs] : nameList(arcs);
};

const comicInfoFacts = (field: Field): Partial<BookFacts> => {
  const authors = authorsIn(field);
  return {
    title: field('title'),
    series: field('series'),
    number: field('number'),
    chapter: numberOfText(field('number')),
    count: countOf(field('count')),
    volume: volumeOf(field('volume')),
    summary: plainText(field('summary')),
    ...publicationDate(field('year'), field('month'), field('day')),
    pageCount: countOf(field('pagecount')),
    publisher: field('publisher'),
    imprint: field('imprint'),
    genre: joined(termList(field('genre'))),
    isbns: joinIsbns((field('gtin') ?? '').split(/[,;]/)),
    languageIso: languageOf(field('languageiso')),
    formatDetail: field('format'),
    blackAndWhite: flagOf(field('blackandwhite')),
    manga: isRightToLeft(field) ? true : flagOf(field('manga')),
    translator: translatorOf(authors),
    authors,
    storyArcs: storyArcsIn(field),
    characters: nameList(field('characters')),
    teams: nameList(field('teams')),
    locations: nameList(field('locations')),
    ageRating: ageOf(field('agerating')),
    links: linksIn(field('web'), () => 'comicinfo'),
  };
};

/** The start year of a series is not available: `Volume` is that year for some writers, a count for others. */
const seriesIn = (field: Field): Partial<SeriesFacts> => ({
  title: field('series'),
  publisher: field('publisher'),
  imprint: field('imprint'),
  language: languageOf(field('languageiso')),
  ageRating: ageOf(field('agerating')),
  readingDirection: directionIn(field),
  totalVolumeCount: countOf(field('count')),
  genres: termList(field('genre')),
  tags: termList(field('tags')),
  links: linksIn(field('web'), () => 'comicinfo'),
});

/**
 * From a tree that is a ComicInfo element or contains one somewhere. Of repeated elements the first with text counts. `incomplete`: the name of
 * the document, if it is.
 */
export const readComicInfoNode = (node: XmlNode | null, incomplete: string | null = null): EmbeddedMetadata | null => {
  const root = find(node, 'comicinfo');
  if (root === null) return incomplete === null ? null : unreadMetadata(incomplete);
  const field: Field = (element) => text(child(root, element));
  return embedded(comicInfoFacts(field), seriesIn(field), {
    languages: [field('languageiso')],
    ageRating: field('agerating'),
    incomplete,
  });
};

/** Documents that were read for their facts, until they are read for their pages: most of a document are its pages. */
const parsed = new WeakMap<Uint8Array, XmlNode | null>();

const treeOf = (bytes: Uint8Array): XmlNode | null => {
  const root = parsed.get(bytes);
  parsed.delete(bytes);
  if (root !== undefined) return root;
  const source = decodeXml(bytes);
  return /FrontCover/i.test(source) ? parseXml(source) : null;
};

/** The pages marked as front covers, by their place among all pages, as they are written. */
export const frontPagesOf = (bytes: Uint8Array): readonly number[] =>
  children(child(find(treeOf(bytes), 'comicinfo'), 'pages'), 'page').flatMap(({ attributes }) => {
    const isFront = /(?:^|\s)FrontCover(?:\s|$)/i.test(attributes.get('type') ?? '');
    const index = isFront ? integerIn(attributes.get('image') ?? null, 0, 1_000_000) : null;
    return index === null ? [] : [index];
  });

export const readComicInfo = (bytes: Uint8Array): EmbeddedMetadata | null => {
  const { root, isIncomplete } = readXmlBytes(bytes);
  parsed.set(bytes, root);
  return readComicInfoNode(root, isIncomplete ? 'ComicInfo.xml' : null);
};
