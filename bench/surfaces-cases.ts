// What apps ask of the catalogues and of the comic-server API: feeds and lists, each with the native list that has the same rows.
import type { Case, Names } from './lists-cases.js';

export const CATALOGUES = ['/opds/v1.2', '/opds/v2'] as const;
export const COMICS = '/komga/api';

type PathOf = string | ((names: Names) => string);

const caseOf = (prefix: string, path: PathOf): Case => ({
  name:
    prefix + (typeof path === 'string' ? path : path({ library: '{id}', longSeries: '{id}', books: [], series: [] })),
  ask: (names) => ({ method: 'GET', prefix, path: typeof path === 'string' ? path : path(names) }),
});

const FEEDS: readonly PathOf[] = [
  '/catalog',
  '/libraries',
  '/series',
  '/series?page=300',
  '/series?sort=released',
  '/series?read=unread',
  '/series?genre=genre%201',
  '/series?letter=d',
  '/series/latest',
  ({ library }) => `/libraries/${library}`,
  ({ longSeries }) => `/series/${longSeries}`,
  '/recent',
  '/keep-reading',
  '/ondeck',
  '/want-to-read',
  '/collections',
  '/readlists',
  '/letters',
  '/genres',
  '/publishers',
  '/languages',
  '/authors',
  '/authors?page=20',
  '/search/series?query=dragon',
  '/search/books?query=dragon',
];

const LISTS: readonly PathOf[] = [
  '/v1/libraries',
  '/v1/series',
  '/v1/series?page=300&size=50&sort=metadata.titleSort,desc',
  '/v1/series?read_status=UNREAD',
  '/v1/series?genre=genre%201',
  '/v1/series?search=dragon',
  '/v1/series/latest',
  '/v1/series/new',
  '/v1/series/updated',
  '/v1/series/alphabetical-groups',
  ({ library }) => `/v1/series?library_id=${library}`,
  ({ longSeries }) => `/v1/series/${longSeries}/books`,
  '/v1/books',
  '/v1/books?sort=createdDate,desc',
  '/v1/books?read_status=IN_PROGRESS&sort=readProgress.readDate,desc',
  '/v1/books/latest',
  '/v1/books/ondeck',
  '/v1/collections',
  '/v1/readlists',
  '/v1/genres',
  '/v1/tags',
  '/v1/tags/book',
  '/v1/publishers',
  '/v1/languages',
  '/v1/age-ratings',
  '/v1/series/release-dates',
  '/v1/authors/roles',
  '/v2/authors',
  '/v2/authors?page=30',
  '/v2/authors?role=writer',
  '/v2/authors?search=sha',
  '/v2/authors/names',
];

export interface CaseGroup {
  readonly id: string;
  readonly work: string;
  readonly cases: readonly Case[];
}

export const CASE_GROUPS: readonly CaseGroup[] = [
  ...CATALOGUES.map((prefix) => ({
    id: prefix.slice(1).replaceAll('/', '-'),
    work: `feeds of ${prefix}`,
    cases: FEEDS.map((path) => caseOf(prefix, path)),
  })),
  { id: 'comics', work: `lists of ${COMICS}`, cases: LISTS.map((path) => caseOf(COMICS, path)) },
];

/** Answers with the same rows. */
export interface Alike {
  readonly id: string;
  readonly what: string;
  readonly native: string;
  readonly others: readonly string[];
}

/** A series of many books. */
export const alikes = (series: string): readonly Alike[] => {
  const inCatalogues = (path: string): string[] => CATALOGUES.map((prefix) => prefix + path);
  return [
    {
      id: 'series',
      what: '50 series',
      native: '/api/v1/series?pageSize=50',
      others: [...inCatalogues('/series?pageSize=50'), `${COMICS}/v1/series?size=50`],
    },
    {
      id: 'books-of-series',
      what: '50 of the books of a series',
      native: `/api/v1/books?series_id=${series}&pageSize=50`,
      others: [...inCatalogues(`/series/${series}?pageSize=50`), `${COMICS}/v1/series/${series}/books?size=50`],
    },
    {
      id: 'latest-books',
      what: 'the 50 latest books',
      native: '/api/v1/books?sort=created_at&order=desc&pageSize=50',
      others: [...inCatalogues('/recent?pageSize=50'), `${COMICS}/v1/books/latest?size=50`],
    },
  ];
};
