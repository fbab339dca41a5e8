// Entries of OPDS 1.2 feeds.

import type { Publication } from '../../../core/catalog/publications.js';
import type { Series } from '../../../core/catalog/series.js';
import {
  bookPath,
  coverPath,
  filePath,
  isbnsOf,
  isStreamed,
  issuedOf,
  pageTemplate,
  peopleOf,
  readSoFar,
  titleAmongOthers,
  titleOf,
} from '../books.js';
import { type Entry, type LinkEntry, uuidUrn } from '../feed.js';
import { ATOM_ENTRY, ATOM_FEED, FILE_TYPES, REL } from '../media-types.js';
import type { Place } from '../place.js';
import { cleanTitle, isHtml, plainOf } from '../text.js';
import { timeText } from '../time.js';
import { element, type Markup, said } from './xml.js';

const entry = (...content: readonly Markup[]): Markup => element('entry', {}, ...content);

const head = (title: string, id: string, updatedAt: number): readonly Markup[] => [
  said('title', title),
  said('id', id),
  said('updated', timeText(updatedAt)),
];

const images = (href: string): readonly Markup[] =>
  [REL.image, REL.thumbnail].map((rel) => element('link', { rel, type: 'image/jpeg', href }));

/** Plain text, and also as HTML where it is that. */
const summaryOf = (summary: string | null): readonly Markup[] => {
  if (summary === null || summary.trim() === '') return [];
  if (!isHtml(summary)) return [said('summary', summary)];
  return [said('summary', plainOf(summary)), said('content', summary, { type: 'html' })];
};

const linkEntry = ({ root }: Place, { title, id, updatedAt, about, count, path, kind, isNew }: LinkEntry): Markup => {
  const counted = count === null ? null : `${count} ${count === 1 ? 'entry' : 'entries'}`;
  const text = [about, counted].filter((one) => one !== null).join(' · ');
  return entry(
    ...head(title, id, updatedAt),
    said('content', text === '' ? title : text, { type: 'text' }),
    element('link', {
      rel: isNew === true ? REL.newest : 'subsection',
      type: ATOM_FEED[kind],
      href: root + path,
      title,
    }),
  );
};

const seriesEntry = ({ root }: Place, series: Series): Markup => {
  const { id, bookCount } = series;
  const path = `${root}/series/${id}`;
  const title = cleanTitle(series.name);
  const counted = `${bookCount} ${bookCount === 1 ? 'book' : 'books'}`;
  const about = series.summary === null ? counted : `${counted} · ${plainOf(series.summary)}`;
  return entry(
    ...head(title, uuidUrn(id), series.updatedAt),
    said('content', about, { type: 'text' }),
    element('link', { rel: 'subsection', type: ATOM_FEED.acquisition, href: path, title }),
    ...images(`${path}/thumbnail`),
  );
};

const streamLink = (place: Place, { book }: Publication): readonly Markup[] => {
  if (!isStreamed(book)) return [];
  const read = readSoFar(book);
  return [
    element('link', {
      rel: REL.stream,
      type: 'image/jpeg',
      href: pageTemplate(place, book),
      'pse:count': book.pageCount,
      'pse:lastRead': read?.page,
      'pse:lastReadDate': read === null ? null : timeText(read.at),
    }),
  ];
};

const person = (element_: 'author' | 'contributor', name: string): Markup => element(element_, {}, said('name', name));

/** `isOfSeries`: among books of the same series, whose name needs no repeating. */
export const bookEntry = (place: Place, publication: Publication, isOfSeries: boolean): Markup => {
  const { book, facts, publisher, language, subjects } = publication;
  const { main, others } = peopleOf(publication);
  const issued = issuedOf(publication);
  return entry(
    ...head(isOfSeries ? titleOf(book) : titleAmongOthers(publication), uuidUrn(book.id), book.updatedAt),
    // One author: of several, some apps take the last.
    ...(main === null ? [] : [person('author', main.name)]),
    ...others.map(({ name }) => person('contributor', name)),
    ...(language === null ? [] : [said('dc:language', language)]),
    ...(publisher === null ? [] : [said('dc:publisher', publisher)]),
    ...(issued === null ? [] : [said('dc:issued', issued)]),
    ...isbnsOf(publication).map((isbn) => said('dc:identifier', `urn:isbn:${isbn}`)),
    ...subjects.map((term) => element('category', { term, label: term })),
    ...summaryOf(facts.summary),
    ...images(place.root + coverPath(book)),
    element('link', {
      rel: REL.acquisition,
      type: FILE_TYPES[book.format],
      href: place.root + filePath(book),
      length: book.fileSize,
    }),
    ...streamLink(place, publication),
    element('link', { rel: 'alternate', type: ATOM_ENTRY, href: place.root + bookPath(book) }),
  );
};

interface Kept {
  readonly root: string;
  readonly isOfSeries: boolean;
  readonly made: Markup;
}

/** Rows are kept between lists, and the text of one with it; each belongs to one user. */
const TEXTS = new WeakMap<Publication | Series, Kept>();

const kept = <T extends Publication | Series>(
  { root }: Place,
  row: T,
  isOfSeries: boolean,
  make: (row: T) => Markup,
): Markup => {
  const known = TEXTS.get(row);
  if (known?.root === root && known.isOfSeries === isOfSeries) return known.made;
  const made = make(row);
  TEXTS.set(row, { root, isOfSeries, made });
  return made;
};

export const entryOf = (place: Place, one: Entry, isOfSeries: boolean): Markup => {
  if (one.type === 'link') return linkEntry(place, one);
  return one.type === 'series'
    ? kept(place, one.series, isOfSeries, (series) => seriesEntry(place, series))
    : kept(place, one.publication, isOfSeries, (publication) => bookEntry(place, publication, isOfSeries));
};
