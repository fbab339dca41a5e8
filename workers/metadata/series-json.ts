// series.json, which Mylar writes next to the books of a series: an object under the key `metadata`.

import type { EmbeddedMetadata, Link, SeriesStatus } from '../../core/model/metadata.js';
import { ageOf } from './age-rating.js';
import { plainText } from './html.js';
import { fieldOf, isRecord, parseRecord } from './json-record.js';
import { embedded, unreadMetadata } from './merge.js';
import { yearOf } from './values.js';

const STATUSES: ReadonlyMap<string, SeriesStatus> = new Map([
  ['continuing', 'ongoing'],
  ['ended', 'ended'],
]);

/** Comic Vine calls a series a volume: the ids of its pages begin with `4050-`. */
const linksOf = (comicId: string | null): readonly Link[] =>
  comicId !== null && /^\d{1,12}$/.test(comicId)
    ? [{ source: 'comicvine', url: `https://comicvine.gamespot.com/volume/4050-${comicId}/` }]
    : [];

/** Facts about the series only; `total_issues` counts what had come out when the file was written, so it is not used. */
export const readSeriesJson = (bytes: Uint8Array): EmbeddedMetadata | null => {
  const document = parseRecord(bytes);
  if (document === null) return unreadMetadata('series.json');
  const record = document.metadata;
  if (!isRecord(record)) return null;
  const field = (name: string): string | null => fieldOf(record, name);
  return embedded(
    {},
    {
      title: field('name'),
      summary: plainText(field('description_text')) ?? plainText(field('description_formatted')),
      publisher: field('publisher'),
      imprint: field('imprint'),
      year: yearOf(field('year')),
      status: STATUSES.get(field('status')?.toLowerCase() ?? '') ?? null,
      ageRating: ageOf(field('age_rating')),
      links: linksOf(field('comicid')),
    },
    { ageRating: field('age_rating') },
  );
};
