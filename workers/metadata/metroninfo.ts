// MetronInfo.xml, versions 1.0 and 1.1: ComicInfo's successor by the Metron project, with lists as elements.

import { joinIsbns } from '../../core/model/isbn.js';
import type { Author, BookFacts, EmbeddedMetadata } from '../../core/model/metadata.js';
import { numberOfText } from '../../core/model/numbers.js';
import { ageOf } from './age-rating.js';
import { authorsOf, distinctAuthors, roleOf, translatorOf } from './authors.js';
import { plainText } from './html.js';
import { languageOf } from './language.js';
import { embedded, unreadMetadata } from './merge.js';
import { countOf, dateOf, distinct, flagOf, hostOf, joined, linksIn, volumeOf, yearOf } from './values.js';
import { child, children, find, readXmlBytes, text, texts, type XmlNode } from './xml.js';

const creditsIn = (root: XmlNode): readonly Author[] =>
  distinctAuthors(
    children(child(root, 'credits'), 'credit').flatMap((credit) => {
      const name = text(child(credit, 'creator')) ?? '';
      const roles = texts(child(credit, 'roles'), 'role');
      // Who pays for a book is not one of its authors; the publisher has its own element.
      const made = roles.filter((role) => !/^publisher$/i.test(role));
      if (roles.length === 0) return authorsOf([name], 'contributor');
      return made.flatMap((role) => authorsOf([name], roleOf(role)));
    }),
  );

/** 1.0 has `URL/Primary` and `URL/Alternative`, 1.1 a list of `URLs/URL`. */
const addressesIn = (root: XmlNode): string =>
  [
    ...texts(child(root, 'urls'), 'url'),
    ...texts(child(root, 'url'), 'primary'),
    ...texts(child(root, 'url'), 'alternative'),
  ].join(' ');

/** The name of the publisher may be an element or the text itself. */
const publisherIn = (root: XmlNode): string | null => {
  const publisher = child(root, 'publisher');
  const named = text(child(publisher, 'name'));
  return named ?? (publisher?.children.length === 0 ? text(publisher) : null);
};

const metronInfoFacts = (root: XmlNode): Partial<BookFacts> => {
  const series = child(root, 'series');
  const number = text(child(root, 'number'));
  const authors = creditsIn(root);
  const published = dateOf(text(child(root, 'coverdate')) ?? text(child(root, 'storedate')));
  return {
    // An issue has no title of its own: it gets the title of its first story.
    title: texts(child(root, 'stories'), 'story')[0] ?? text(child(root, 'collectiontitle')),
    series: text(child(series, 'name')),
    number,
    chapter: numberOfText(number),
    count: countOf(text(child(series, 'issuecount'))),
    volume: volumeOf(text(child(series, 'volume'))) ?? volumeOf(text(child(root, 'mangavolume'))),
    summary: plainText(text(child(root, 'summary'))),
    publisher: publisherIn(root),
    imprint: text(child(child(root, 'publisher'), 'imprint')),
    genre: joined(distinct(texts(child(root, 'genres'), 'genre'))),
    formatDetail: text(child(series, 'format')),
    isbns: joinIsbns(texts(child(root, 'gtin'), 'isbn')),
    languageIso: languageOf(series?.attributes.get('lang') ?? null),
    blackAndWhite: flagOf(text(child(root, 'blackandwhite'))),
    pageCount: countOf(text(child(root, 'pagecount'))),
    translator: translatorOf(authors),
    authors,
    storyArcs: distinct(children(child(root, 'arcs'), 'arc').flatMap((arc) => text(child(arc, 'name')) ?? [])),
    characters: distinct(texts(child(root, 'characters'), 'character')),
    teams: distinct(texts(child(root, 'teams'), 'team')),
    locations: distinct(texts(child(root, 'locations'), 'location')),
    ageRating: ageOf(text(child(root, 'agerating'))),
    links: linksIn(addressesIn(root), hostOf),
    ...published,
  };
};

export const readMetronInfo = (bytes: Uint8Array): EmbeddedMetadata | null => {
  const { root: document, isIncomplete } = readXmlBytes(bytes);
  const root = find(document, 'metroninfo');
  const incomplete = isIncomplete ? 'MetronInfo.xml' : null;
  if (root === null) return incomplete === null ? null : unreadMetadata(incomplete);
  const book = metronInfoFacts(root);
  const series = child(root, 'series');
  return embedded(
    book,
    {
      title: book.series ?? null,
      publisher: book.publisher ?? null,
      imprint: book.imprint ?? null,
      year: yearOf(text(child(series, 'startyear'))),
      language: book.languageIso ?? null,
      ageRating: ageOf(text(child(root, 'agerating'))),
      totalVolumeCount: countOf(text(child(series, 'volumecount'))),
      genres: distinct(texts(child(root, 'genres'), 'genre')),
      tags: distinct(texts(child(root, 'tags'), 'tag')),
      links: linksIn(addressesIn(root), hostOf),
    },
    { languages: [series?.attributes.get('lang') ?? null], ageRating: text(child(root, 'agerating')), incomplete },
  );
};
