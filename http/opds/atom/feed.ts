// Feeds as OPDS 1.2 (Atom, RFC 4287, with OpenSearch, OPDS and OPDS-PSE elements).

import type { Publication } from '../../../core/catalog/publications.js';
import type { Reply } from '../../server/adapter.js';
import { type Facet, type Feed, type FeedLink, updatedOf } from '../feed.js';
import { ATOM_ENTRY, ATOM_FEED, JSON_FEED, OPENSEARCH, REL } from '../media-types.js';
import { type PageLinks, type Place, pageLinks } from '../place.js';
import { cleanTitle } from '../text.js';
import { timeText } from '../time.js';
import { bookEntry, entryOf } from './entries.js';
import { documentOf, element, type Markup, said } from './xml.js';

export const NAMESPACES = {
  xmlns: 'http://www.w3.org/2005/Atom',
  'xmlns:dc': 'http://purl.org/dc/terms/',
  'xmlns:opds': 'http://opds-spec.org/2010/catalog',
  'xmlns:opensearch': 'http://a9.com/-/spec/opensearch/1.1/',
  'xmlns:pse': 'http://vaemendis.net/opds-pse/ns',
} as const;

export const AUTHOR: Markup = element('author', {}, said('name', 'Longbox'));

const link = ({ root }: Place, rel: string, { path, kind, title }: FeedLink): Markup =>
  element('link', { rel, type: ATOM_FEED[kind], href: root + path, title: title === '' ? null : title });

const facetLink = ({ root }: Place, { kind }: Feed, { group, title, path, isActive }: Facet): Markup =>
  element('link', {
    rel: REL.facet,
    type: ATOM_FEED[kind],
    href: root + path,
    title,
    'opds:facetGroup': group,
    'opds:activeFacet': isActive ? 'true' : null,
  });

/** Links of every feed: itself, the start, what it is a part of, the search. */
export const frameLinks = (place: Place, own: FeedLink, up: FeedLink | null): readonly Markup[] => [
  link(place, 'self', { ...own, title: '' }),
  link(place, 'start', { path: '/catalog', kind: 'navigation', title: 'Home' }),
  ...(up === null ? [] : [link(place, 'up', up)]),
  element('link', { rel: 'search', type: OPENSEARCH, href: `${place.root}/search.xml`, title: 'Search' }),
];

const PAGE_RELS: readonly (keyof PageLinks)[] = ['first', 'previous', 'next', 'last'];

const paging = (place: Place, feed: Feed): readonly Markup[] => {
  const { page, path, kind } = feed;
  if (page === null) return [];
  const links = pageLinks(path, page);
  return [
    ...PAGE_RELS.flatMap((rel) => {
      const to = links[rel];
      return to === null ? [] : [link(place, rel, { path: to, kind, title: '' })];
    }),
    said('opensearch:totalResults', String(page.total)),
    said('opensearch:itemsPerPage', String(page.pageSize)),
    said('opensearch:startIndex', String((page.page - 1) * page.pageSize + 1)),
  ];
};

/** The same catalogue in the other format, next to this one, for clients that prefer it. */
const alternate = ({ root }: Place, { path }: Feed): readonly Markup[] =>
  path === '' || path === '/catalog'
    ? [
        element('link', {
          rel: 'alternate',
          type: JSON_FEED,
          href: `${root.replace(/\/opds(?:\/v1\.2)?$/, '')}/opds/v2`,
        }),
      ]
    : [];

export const atomText = (place: Place, feed: Feed): string => {
  const { id, title, subtitle, kind, path, up, facets, entries, groups, isOfSeries } = feed;
  const all = [...entries, ...groups.flatMap((group) => group.entries)];
  return documentOf(
    element(
      'feed',
      NAMESPACES,
      said('id', id),
      said('title', cleanTitle(title)),
      ...(subtitle === null ? [] : [said('subtitle', subtitle)]),
      said('updated', timeText(updatedOf(feed))),
      AUTHOR,
      ...frameLinks(place, { path, kind, title }, up),
      ...alternate(place, feed),
      ...paging(place, feed),
      ...facets.map((facet) => facetLink(place, feed, facet)),
      ...all.map((one) => entryOf(place, one, isOfSeries)),
    ),
  );
};

export const atomReply = (type: string, text: string): Reply => ({
  status: 200,
  headers: [
    ['Content-Type', `${type};charset=utf-8`],
    ['Cache-Control', 'no-store'],
  ],
  body: { kind: 'bytes', bytes: text },
});

export const atomFeed = (place: Place, feed: Feed): Reply => atomReply(ATOM_FEED[feed.kind], atomText(place, feed));

/** One book as a document of its own. */
export const atomPublication = (place: Place, publication: Publication): Reply => {
  const { xml } = bookEntry(place, publication, false);
  const names = Object.entries(NAMESPACES).map(([name, value]) => ` ${name}="${value}"`);
  return atomReply(ATOM_ENTRY, documentOf({ xml: xml.replace('<entry>', `<entry${names.join('')}>`) }));
};
