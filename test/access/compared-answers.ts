// What is asked of each row to compare its answers, and what is compared of them.
import type { Answer } from '../app.js';
import type { ContentRow } from './content-rows.js';

/** Rows that go on sending: events have their own tests. */
export const isStream = ({ path }: ContentRow): boolean => /\/stream$|\/events$/.test(path);

const SORTS: Readonly<Record<string, readonly string[]>> = {
  api: ['name,asc', 'date_updated,desc', 'random'],
  komga: ['metadata.titleSort,asc', 'lastModifiedDate,desc', 'random'],
};

const WORDS = ['ants', 'foks', 'secret'] as const;

export const queriesOf = ({ route, path }: ContentRow): readonly string[] => {
  const fields = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {});
  const sorts = fields.includes('sort') ? (SORTS[path.startsWith('/komga') ? 'komga' : 'api'] ?? []) : [];
  const word = fields.find((field) => /^(?:q|query|search|fullText)$/.test(field));
  return [
    ...sorts.map((sort) => `sort=${sort}`),
    ...(word === undefined ? [] : WORDS.map((text) => `${word}=${text}`)),
    ...(fields.includes('includeDeleted') ? ['includeDeleted=true'] : []),
  ];
};

/** Of an answer, all that follows from what is stored. */
const HEADERS = ['etag', 'last-modified', 'cache-control', 'content-type', 'content-disposition', 'link', 'location'];

export const seen = (answer: Answer): string =>
  JSON.stringify([answer.status, ...HEADERS.map((name) => answer.header(name) ?? ''), answer.bytes.toString('latin1')]);

/** The time of the request, which some answers state: of an error, of the caller's own session, of metrics. */
const NOW = /\\"(?:timestamp|lastSeenAt)\\":\\"[^"]*"/g;
const NOW_IN_METRICS = /\\"(?:updatedAt|from|to)\\":\\"[^"]*"/g;

export const withoutNow = (path: string, answer: string): string => {
  const text = answer.replace(NOW, '');
  return path.startsWith('/api/v1/metrics/') ? text.replace(NOW_IN_METRICS, '') : text;
};

/** When a library was scanned is shown to everybody who sees the library; ETags follow. */
const OF_LIBRARIES = /\/libraries(?:\/[^/?]+(?:\/scan-status)?)?(?:\?|$)/;
const SCAN_TIMES = /\\"(?:lastScannedAt|startedAt|completedAt)\\":\\"[^"]*"/g;

export const withoutScanTimes = (path: string, answer: string): string => {
  if (!OF_LIBRARIES.test(path)) return answer;
  const timeless = answer.replace(SCAN_TIMES, '');
  return timeless === answer ? answer : timeless.replace(/W\/\\"[^"]*"/, '');
};

/** Where two texts begin to differ. */
export const difference = (before: string, after: string): string => {
  let from = 0;
  while (from < before.length && before[from] === after[from]) from += 1;
  const part = (text: string): string => text.slice(Math.max(0, from - 80), from + 60);
  return `${part(before)} → ${part(after)}`;
};
