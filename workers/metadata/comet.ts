// CoMet XML, the format of the iPad reader Comic Viewer: flat, with an element for each person and genre.

import { joinIsbns } from '../../core/model/isbn.js';
import type { Author, BookFacts, EmbeddedMetadata } from '../../core/model/metadata.js';
import { numberOfText } from '../../core/model/numbers.js';
import { ageOf } from './age-rating.js';
import { authorsOf, distinctAuthors, roleOf, translatorOf } from './authors.js';
import { plainText } from './html.js';
import { languageOf } from './language.js';
import { embedded, unreadMetadata } from './merge.js';
import { countOf, dateOf, directionOf, distinct, joined, nameList, termList, volumeOf } from './values.js';
import { child, find, readXmlBytes, text, texts, type XmlNode } from './xml.js';

const CREDITS = ['writer', 'penciller', 'inker', 'colorist', 'letterer', 'coverDesigner', 'editor', 'creator'];

const authorsIn = (root: XmlNode): readonly Author[] =>
  distinctAuthors(
    CREDITS.flatMap((element) =>
      texts(root, element.toLowerCase()).flatMap((names) => authorsOf(nameList(names), roleOf(element))),
    ),
  );

const genresIn = (root: XmlNode): readonly string[] => distinct(texts(root, 'genre').flatMap(termList));

const cometFacts = (root: XmlNode): Partial<BookFacts> => {
  const field = (element: string): string | null => text(child(root, element));
  const authors = authorsIn(root);
  return {
    title: field('title'),
    series: field('series'),
    number: field('issue'),
    chapter: numberOfText(field('issue')),
    volume: volumeOf(field('volume')),
    summary: plainText(field('description')),
    publisher: field('publisher'),
    genre: joined(genresIn(root)),
    formatDetail: field('format'),
    isbns: joinIsbns(texts(root, 'identifier')),
    languageIso: languageOf(field('language')),
    pageCount: countOf(field('pages')),
    translator: translatorOf(authors),
    authors,
    characters: distinct(texts(root, 'character').flatMap(nameList)),
    ageRating: ageOf(field('rating')),
    ...dateOf(field('date')),
  };
};

/** The file name of the cover. */
export const coverImageOf = (bytes: Uint8Array): string | null =>
  text(child(find(readXmlBytes(bytes).root, 'comet'), 'coverimage'));

export const readCoMet = (bytes: Uint8Array): EmbeddedMetadata | null => {
  const { root: document, isIncomplete } = readXmlBytes(bytes);
  const root = find(document, 'comet');
  const incomplete = isIncomplete ? 'CoMet.xml' : null;
  if (root === null) return incomplete === null ? null : unreadMetadata(incomplete);
  const book = cometFacts(root);
  return embedded(
    book,
    {
      title: book.series ?? null,
      publisher: book.publisher ?? null,
      language: book.languageIso ?? null,
      ageRating: ageOf(text(child(root, 'rating'))),
      readingDirection: directionOf(text(child(root, 'readingdirection'))),
      genres: genresIn(root),
    },
    { languages: [text(child(root, 'language'))], ageRating: text(child(root, 'rating')), incomplete },
  );
};
