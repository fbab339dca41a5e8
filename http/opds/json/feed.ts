// Feeds as OPDS 2.0. What is empty is left out, since its schema and some apps take nothing empty.

import type { Publication } from '../../../core/catalog/publications.js';
import type { Series } from '../../../core/catalog/series.js';
import type { Reply } from '../../server/adapter.js';
import { type Entry, type Facet, type Feed, type FeedLink, type Group, type LinkEntry, updatedOf } from '../feed.js';
import { JSON_FEED, JSON_PUBLICATION, REL } from '../media-types.js';
import { type Place, pageLinks } from '../place.js';
import { cleanText, cleanTitle } from '../text.js';
import { timeText } from '../time.js';
import { publicationText } from './publication.js';

const link = ({ root }: Place, rel: string, path: string, title?: string): object => ({
  rel,
  href: root + path,
  type: JSON_FEED,
  ...(title === undefined ? {} : { title: cleanTitle(title) }),
});

const counted = (count: number | null): object => (count === null ? {} : { properties: { numberOfItems: count } });

const linkEntry = ({ root }: Place, { title, path, count, isNew }: LinkEntry): object => ({
  href: root + path,
  title,
  type: JSON_FEED,
  rel: isNew === true ? REL.newest : 'subsection',
  ...counted(count),
});

const seriesEntry = ({ root }: Place, { id, name, bookCount }: Series): object => ({
  href: `${root}/series/${id}`,
  title: cleanTitle(name),
  type: JSON_FEED,
  rel: 'subsection',
  ...counted(bookCount),
});

/** Series are kept between lists, and the text of one with it; each belongs to one user. */
const TEXTS = new WeakMap<Series, { readonly root: string; readonly text: string }>();

const seriesText = (place: Place, series: Series): string => {
  const kept = TEXTS.get(series);
  if (kept?.root === place.root) return kept.text;
  const text = JSON.stringify(seriesEntry(place, series));
  TEXTS.set(series, { root: place.root, text });
  return text;
};

const navigationOf = (place: Place, entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => {
    if (entry.type === 'book') return [];
    return [entry.type === 'link' ? JSON.stringify(linkEntry(place, entry)) : seriesText(place, entry.series)];
  });

const publicationsOf = (place: Place, entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.type === 'book' ? [publicationText(place, entry.publication)] : []));

/** A list with a name, unless it is empty. */
const list = (name: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`"${name}":[${texts.join()}]`];

const entriesText = (place: Place, entries: readonly Entry[]): readonly string[] => [
  ...list('navigation', navigationOf(place, entries)),
  ...list('publications', publicationsOf(place, entries)),
];

/** Its own feed comes first among its links. */
const groupText = (place: Place, { link: { title, path }, total, entries }: Group): string => {
  const metadata = JSON.stringify({ title: cleanTitle(title), numberOfItems: total });
  const links = JSON.stringify([link(place, 'self', path, title)]);
  return `{"metadata":${metadata},"links":${links},${entriesText(place, entries).join()}}`;
};

const facetsText = ({ root }: Place, facets: readonly Facet[]): readonly string[] => {
  const groups = [...new Set(facets.map(({ group }) => group))];
  const texts = groups.map((title) => {
    const links = facets
      .filter(({ group }) => group === title)
      .map(({ title: name, path, isActive }) => ({
        href: root + path,
        type: JSON_FEED,
        title: name,
        ...(isActive ? { rel: 'self' } : {}),
      }));
    return JSON.stringify({ metadata: { title }, links });
  });
  return list('facets', texts);
};

const metadataOf = (feed: Feed): object => {
  const { title, subtitle, page } = feed;
  return {
    title: cleanTitle(title),
    ...(subtitle === null ? {} : { subtitle: cleanText(subtitle) }),
    modified: timeText(updatedOf(feed)),
    ...(page === null ? {} : { numberOfItems: page.total, itemsPerPage: page.pageSize, currentPage: page.page }),
  };
};

const up = (place: Place, to: FeedLink | null): readonly object[] =>
  to === null ? [] : [link(place, 'up', to.path, to.title)];

const linksOf = (place: Place, { path, page, up: above }: Feed): readonly object[] => {
  const pages = Object.entries(pageLinks(path, page)) as readonly [string, string | null][];
  return [
    link(place, 'self', path),
    link(place, 'start', '', 'Home'),
    ...up(place, above),
    { rel: 'search', href: `${place.root}/search{?query}`, type: JSON_FEED, templated: true, title: 'Search' },
    ...pages.flatMap(([rel, to]) => (to === null ? [] : [link(place, rel, to)])),
  ];
};

/** A feed has at least one of its lists, if only an empty one. */
const bodyText = (place: Place, { entries, groups }: Feed): readonly string[] => {
  const texts = [
    ...entriesText(place, entries),
    ...list(
      'groups',
      groups.map((group) => groupText(place, group)),
    ),
  ];
  return texts.length === 0 ? ['"groups":[]'] : texts;
};

export const jsonText = (place: Place, feed: Feed): string =>
  `{${[
    `"metadata":${JSON.stringify(metadataOf(feed))}`,
    `"links":${JSON.stringify(linksOf(place, feed))}`,
    ...facetsText(place, feed.facets),
    ...bodyText(place, feed),
  ].join()}}`;

const jsonReply = (type: string, text: string): Reply => ({
  status: 200,
  headers: [
    ['Content-Type', `${type};charset=utf-8`],
    ['Cache-Control', 'no-store'],
  ],
  body: { kind: 'bytes', bytes: text },
});

export const jsonFeed = (place: Place, feed: Feed): Reply => jsonReply(JSON_FEED, jsonText(place, feed));

/** One book as a document of its own. */
export const jsonPublication = (place: Place, publication: Publication): Reply =>
  jsonReply(JSON_PUBLICATION, publicationText(place, publication));
