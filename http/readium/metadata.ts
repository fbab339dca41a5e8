// The metadata of a Readium manifest (readium.org/webpub-manifest/schema/metadata): people, publishers and subjects as lists of plain names,
// since that is the only form that all apps read.
import { releaseDayOf } from '../../core/catalog/release-date.js';
import type { AuthorRole } from '../../core/model/metadata.js';
import type { Publication } from '../../core/pages/publication.js';
import { unlessEmpty } from './link.js';

type Contributor =
  | 'author'
  | 'translator'
  | 'editor'
  | 'illustrator'
  | 'penciler'
  | 'inker'
  | 'colorist'
  | 'letterer'
  | 'contributor';

const CONTRIBUTORS = {
  author: 'author',
  co_author: 'author',
  writer: 'author',
  editor: 'editor',
  translator: 'translator',
  illustrator: 'illustrator',
  penciller: 'penciler',
  inker: 'inker',
  colorist: 'colorist',
  letterer: 'letterer',
  cover_artist: 'contributor',
  contributor: 'contributor',
} as const satisfies Record<AuthorRole, Contributor>;

const peopleOf = ({ facts }: Publication): Partial<Record<Contributor, readonly string[]>> => {
  const people: Partial<Record<Contributor, string[]>> = {};
  for (const { name, role } of facts.authors) {
    people[CONTRIBUTORS[role]] ??= [];
    const names = people[CONTRIBUTORS[role]];
    if (names !== undefined && !names.includes(name)) names.push(name);
  }
  return people;
};

/** Enough of BCP 47 for what files say; anything else is left out. */
const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|\d{3}))?$/;

/** Apps of one kind read no fractions of seconds. */
const instantOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const identifierOf = ({ book, facts }: Publication): string => {
  const [isbn = ''] = (facts.isbns ?? '').split(',');
  return isbn.trim() === '' ? `urn:uuid:${book.id}` : `urn:isbn:${isbn.trim()}`;
};

const subjectsOf = ({ facts }: Publication): readonly string[] =>
  facts.subjects.length > 0 ? facts.subjects : (facts.genre ?? '').split(', ').filter((one) => one !== '');

const named = (name: string | null): readonly string[] | undefined =>
  name === null || name === '' ? undefined : [name];

const unlessBlank = (text: string | null): string | undefined => (text === null || text === '' ? undefined : text);

export interface Layout {
  readonly layout?: 'fixed' | 'reflowable' | 'scrolled' | undefined;
  readonly readingProgression?: 'ltr' | 'rtl' | undefined;
}

/** The earlier spelling of the layout, which is the only one that some apps read. */
const renditionOf = ({ layout }: Layout): { readonly layout: 'fixed' | 'reflowable' } | undefined =>
  layout === 'fixed' || layout === 'reflowable' ? { layout } : undefined;

/** `profile` is the last part of the address of a profile of the Web Publication Manifest. */
export const metadataView = (publication: Publication, profile: 'divina' | 'pdf' | 'epub', layout: Layout) => {
  const { book, facts, number } = publication;
  const position = number === null ? {} : { position: number };
  return {
    conformsTo: `https://readium.org/webpub-manifest/profiles/${profile}`,
    identifier: identifierOf(publication),
    title: book.title,
    subtitle: unlessBlank(facts.subtitle),
    ...peopleOf(publication),
    publisher: named(facts.publisher),
    imprint: named(facts.imprint),
    subject: unlessEmpty(subjectsOf(publication)),
    language: LANGUAGE.test(facts.languageIso ?? '') ? facts.languageIso : undefined,
    description: unlessBlank(facts.summary),
    modified: instantOf(book.updatedAt),
    published: releaseDayOf(facts) ?? undefined,
    numberOfPages: book.pageCount > 0 ? book.pageCount : undefined,
    ...layout,
    rendition: renditionOf(layout),
    belongsTo: { series: [{ name: book.seriesName, ...position }] },
  };
};
