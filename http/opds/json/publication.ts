// Publications of OPDS 2.0 (Readium Web Publication Manifest, with our readingProgress). What is unknown is left out.
import type { Publication } from '../../../core/catalog/publications.js';
import type { Author, AuthorRole } from '../../../core/model/metadata.js';
import { bookPath, coverPath, filePath, isStreamed, issuedOf, pageTemplate, readSoFar, titleOf } from '../books.js';
import { uuidUrn } from '../feed.js';
import { FILE_TYPES, JSON_FEED, JSON_PUBLICATION, REL } from '../media-types.js';
import { NATIVE, type Place } from '../place.js';
import { cleanText, cleanTitle } from '../text.js';
import { timeText } from '../time.js';
import { manifestType } from './manifests.js';

/** The fields of the manifest in which people of a role are named. */
const FIELDS = {
  author: ['writer', 'author', 'co_author'],
  translator: ['translator'],
  editor: ['editor'],
  artist: ['penciller', 'illustrator', 'inker', 'colorist', 'cover_artist'],
  illustrator: ['illustrator'],
  letterer: ['letterer'],
  penciler: ['penciller'],
  colorist: ['colorist'],
  inker: ['inker'],
  contributor: ['contributor'],
} as const satisfies Readonly<Record<string, readonly AuthorRole[]>>;

const personOf = ({ name, sortName }: Author): object => ({
  name: cleanTitle(name),
  ...(sortName === null || sortName.trim() === '' ? {} : { sortAs: cleanTitle(sortName) }),
});

const peopleIn = (authors: readonly Author[], roles: readonly AuthorRole[]): readonly Author[] => {
  const found = authors.filter(({ name, role }) => roles.includes(role) && cleanText(name).trim() !== '');
  return found.filter(({ name }, at) => found.findIndex((other) => other.name === name) === at);
};

const peopleOf = ({ facts }: Publication): object =>
  Object.fromEntries(
    Object.entries(FIELDS).flatMap(([field, roles]) => {
      const people = peopleIn(facts.authors, roles).map(personOf);
      return people.length === 0 ? [] : [[field, people]];
    }),
  );

/** A whole day: the schema takes nothing less. */
const publishedOf = (publication: Publication): string | null => {
  const issued = issuedOf(publication);
  return issued === null ? null : `${issued}${'-01-01'.slice(issued.length - 4)}`;
};

const filled = (text: string | null): string | null => {
  const clean = text === null ? '' : cleanText(text).trim();
  return clean === '' ? null : clean;
};

/** Without the fields that have no value. */
const known = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );

const metadataOf = ({ root }: Place, publication: Publication): object => {
  const { book, facts, publisher, language, subjects } = publication;
  const series = `${root}/series/${book.seriesId}`;
  return known({
    '@type': 'http://schema.org/Book',
    title: titleOf(book),
    sortAs: filled(book.titleSort),
    subtitle: filled(facts.subtitle),
    identifier: uuidUrn(book.id),
    modified: timeText(book.updatedAt),
    published: publishedOf(publication),
    language: filled(language),
    publisher: filled(publisher),
    ...peopleOf(publication),
    subject: subjects.map(cleanTitle),
    description: filled(facts.summary),
    numberOfPages: book.pageCount > 0 ? book.pageCount : null,
    layout: book.readingDirection === 'webtoon' ? 'scrolled' : null,
    readingProgression: book.readingDirection === 'rtl' ? 'rtl' : 'ltr',
    belongsTo: {
      series: known({
        name: cleanTitle(book.seriesName),
        position: publication.number,
        links: [{ href: series, type: JSON_FEED }],
      }),
    },
  });
};

const linksOf = (place: Place, { book }: Publication): readonly object[] => {
  const { root, server } = place;
  const native = `${server}${NATIVE}${bookPath(book)}`;
  return [
    { rel: 'self', href: root + bookPath(book), type: JSON_PUBLICATION },
    { rel: REL.acquisition, href: root + filePath(book), type: FILE_TYPES[book.format] },
    ...(book.analyzed && book.pageCount > 0
      ? [{ rel: 'alternate', href: `${native}/manifest`, type: manifestType(book) }]
      : []),
    {
      rel: 'http://www.cantook.com/api/progression',
      href: `${root}${bookPath(book)}/progression`,
      type: 'application/vnd.readium.progression+json',
    },
    ...(isStreamed(book)
      ? [
          {
            rel: REL.stream,
            href: pageTemplate(place, book),
            type: 'image/jpeg',
            templated: true,
            properties: { numberOfItems: book.pageCount },
          },
        ]
      : []),
  ];
};

const progressIn = ({ book }: Publication): object => {
  const read = readSoFar(book);
  if (read === null) return {};
  const { page, share, isCompleted, at } = read;
  const readingProgress = {
    currentPage: page,
    totalPages: book.pageCount,
    progressPercent: share * 100,
    isCompleted,
    lastReadAt: timeText(at),
  };
  return { readingProgress };
};

const made = (place: Place, publication: Publication): object => ({
  metadata: metadataOf(place, publication),
  links: linksOf(place, publication),
  images: [{ href: place.root + coverPath(publication.book), type: 'image/jpeg' }],
  ...progressIn(publication),
});

/** Books are kept between lists, and the text of one with it; each belongs to one user. */
const TEXTS = new WeakMap<Publication, { readonly root: string; readonly text: string }>();

/** As JSON. */
export const publicationText = (place: Place, publication: Publication): string => {
  const kept = TEXTS.get(publication);
  if (kept?.root === place.root) return kept.text;
  const text = JSON.stringify(made(place, publication));
  TEXTS.set(publication, { root: place.root, text });
  return text;
};
