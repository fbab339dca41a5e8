// What books say about their series goes into fields that are empty and not locked; the first book that says something wins. The age rating
// is that of the highest-rated book: it decides who may see the series.

import { parseLocks } from '../catalog/book-facts.js';
import { reportBooksOf } from '../catalog/report-rows.js';
import { newId, uuidOfHex } from '../model/ids.js';
import type { SeriesFacts } from '../model/metadata.js';
import type { Bind, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';

export interface SaidOfSeries {
  readonly seriesKey: number;
  readonly facts: SeriesFacts;
}

/** Fact to column. Every one has the lock of its own name. */
const FILLED = {
  summary: 'summary',
  publisher: 'publisher',
  imprint: 'imprint',
  year: 'year',
  status: 'status',
  language: 'language',
  ageRating: 'age_rating',
  readingDirection: 'reading_direction',
  totalVolumeCount: 'total_volume_count',
} as const satisfies Partial<Record<keyof SeriesFacts, string>>;

type Filled = keyof typeof FILLED;
const FIELDS = Object.keys(FILLED) as readonly Filled[];

type Row = { readonly key: number; readonly links: string | null; readonly locks: string } & Readonly<
  Record<Filled, Bind>
>;

const SELECT = `SELECT id AS key, links, locks, ${FIELDS.map((field) => `${FILLED[field]} AS ${field}`).join(', ')}
  FROM series WHERE id IN (SELECT value FROM json_each(?))`;
const UPDATE = `UPDATE series SET ${FIELDS.map((field) => `${FILLED[field]} = ?`).join(', ')}, links = ?, updated_at = ? WHERE id = ?`;

const AGE_RATING = FIELDS.indexOf('ageRating');

const says = ({ facts }: SaidOfSeries): boolean =>
  facts.links.length > 0 || FIELDS.some((field) => facts[field] !== null);

/** A column of whole numbers refuses anything else. */
const storable = (value: Bind): boolean => value !== null && (typeof value !== 'number' || Number.isSafeInteger(value));

const highest = (values: readonly Bind[]): Bind => {
  const numbers = values.filter((value) => typeof value === 'number' && storable(value)) as number[];
  return numbers.length === 0 ? null : Math.max(...numbers);
};

const linksOf = (said: readonly SaidOfSeries[], nowMs: number): string | null => {
  const links = said.find(({ facts }) => facts.links.length > 0)?.facts.links;
  if (links === undefined) return null;
  return JSON.stringify(
    links.map(({ source, url }) => ({ id: uuidOfHex(newId(nowMs)), source, url, createdAt: nowMs })),
  );
};

const fillOne = async (tx: Tx, row: Row, said: readonly SaidOfSeries[], nowMs: number): Promise<void> => {
  const locks = parseLocks<string>(row.locks);
  const values = FIELDS.map((field): Bind => {
    if (locks.has(field)) return row[field];
    if (field === 'ageRating') return highest([row[field], ...said.map(({ facts }) => facts[field])]);
    if (row[field] !== null) return row[field];
    return said.map(({ facts }) => facts[field]).find(storable) ?? null;
  });
  const links = row.links ?? linksOf(said, nowMs);
  const isSame = links === row.links && FIELDS.every((field, index) => values[index] === row[field]);
  if (isSame) return;
  await tx.run(UPDATE, [...values, links, nowMs, row.key]);
  tx.report(updated('series', [row.key], ASPECTS.list | ASPECTS.text));
  // Books are hidden by the rating of their series.
  if (values[AGE_RATING] !== row.ageRating) await reportBooksOf(tx, [row.key], ASPECTS.list);
};

/** Costs one query for a batch of books, and none when they say nothing. */
export const fillSeries = async (tx: Tx, all: readonly SaidOfSeries[], nowMs: number): Promise<void> => {
  const said = all.filter(says);
  if (said.length === 0) return;
  const rows = await tx.all<Row>(SELECT, [JSON.stringify([...new Set(said.map(({ seriesKey }) => seriesKey))])]);
  for (const row of rows) {
    await fillOne(
      tx,
      row,
      said.filter(({ seriesKey }) => seriesKey === row.key),
      nowMs,
    );
  }
};
