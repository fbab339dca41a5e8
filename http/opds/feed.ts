// A feed as data: what is in it and where its links lead, whatever the format in which it is sent. Paths are below the root of the catalogue.
import type { Publication } from '../../core/catalog/publications.js';
import type { Series } from '../../core/catalog/series.js';
import type { Window } from '../../core/model/paging.js';

/** Feeds lead to other feeds, or list what can be downloaded. */
export type FeedKind = 'navigation' | 'acquisition';

/** Another feed. */
export interface FeedLink {
  readonly title: string;
  readonly path: string;
  readonly kind: FeedKind;
}

export interface LinkEntry extends FeedLink {
  readonly type: 'link';
  readonly id: string;
  readonly updatedAt: number;
  readonly about: string | null;
  /** What is in that feed; null where nobody has counted. */
  readonly count: number | null;
  /** It lists the newest. */
  readonly isNew?: true;
}

export interface SeriesEntry {
  readonly type: 'series';
  readonly series: Series;
}

export interface BookEntry {
  readonly type: 'book';
  readonly publication: Publication;
}

export type Entry = LinkEntry | SeriesEntry | BookEntry;

/** Entries of one sort, and the feed that has all of them. */
export interface Group {
  readonly link: FeedLink;
  readonly total: number;
  readonly entries: readonly Entry[];
}

/** Another order of the same feed, or a part of it. */
export interface Facet {
  readonly group: string;
  readonly title: string;
  readonly path: string;
  readonly isActive: boolean;
}

export interface Page extends Window {
  readonly total: number;
}

export interface Feed {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly kind: FeedKind;
  /** Its own address. */
  readonly path: string;
  readonly up: FeedLink | null;
  /** Null where the feed is always whole. */
  readonly page: Page | null;
  readonly facets: readonly Facet[];
  readonly entries: readonly Entry[];
  readonly groups: readonly Group[];
  /** Whether the books are all of one series. */
  readonly isOfSeries: boolean;
  /** When what the feed is about was changed, if that is known. */
  readonly updatedAt: number | null;
}

/** Where nothing tells a time: an answer must not change with the clock. */
const NO_TIME = Date.UTC(2026, 0, 1);

const timeOf = (entry: Entry): number => {
  if (entry.type === 'link') return entry.updatedAt;
  return entry.type === 'series' ? entry.series.updatedAt : entry.publication.book.updatedAt;
};

/** The newest of its entries, unless the feed has a time of its own. */
export const updatedOf = ({ updatedAt, entries, groups }: Feed): number => {
  const times = [...entries, ...groups.flatMap((group) => group.entries)].map(timeOf);
  return Math.max(updatedAt ?? 0, ...times) || NO_TIME;
};

/** The identity of a feed or an entry that is not the feed of one thing. */
export const nameOf = (path: string): string => `urn:longbox:opds:${path}`;

export const uuidUrn = (id: string): string => `urn:uuid:${id}`;

type Parts = Pick<Feed, 'id' | 'title' | 'kind' | 'path'> & Partial<Feed>;

/** A feed of which only some parts are said. */
export const feedOf = (parts: Parts): Feed => ({
  subtitle: null,
  up: null,
  page: null,
  facets: [],
  entries: [],
  groups: [],
  isOfSeries: false,
  updatedAt: null,
  ...parts,
});

export const linkEntry = (
  link: FeedLink & Pick<LinkEntry, 'id'> & Partial<Pick<LinkEntry, 'updatedAt' | 'about' | 'count' | 'isNew'>>,
): LinkEntry => ({ type: 'link', updatedAt: NO_TIME, about: null, count: null, ...link });
