// Reads what is said about series and writes what follows from it, whatever the change was. Costs one read of each of their books.
import { newId, uuidOfHex } from '../model/ids.js';
import type { Author, Link } from '../model/metadata.js';
import type { Bind, Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import { RULES_SQL, storedRules } from './apply-rules.js';
import { parseLocks } from './book-facts.js';
import { READING_ORDER } from './books.js';
import { reportBooksOf } from './report-rows.js';
import { seriesOf } from './rules/series.js';
import {
  type Cleared,
  type Present,
  SETTLED_FIELDS,
  type SeriesSources,
  type SeriesValues,
  type SettledField,
  type Story,
  settleSeries,
  takesStory,
} from './settle-series.js';
import { SOURCES } from './sources.js';

const COLUMNS = {
  summary: 'summary',
  publisher: 'publisher',
  imprint: 'imprint',
  year: 'year',
  status: 'status',
  language: 'language',
  ageRating: 'age_rating',
  readingDirection: 'reading_direction',
  totalVolumeCount: 'total_volume_count',
  authors: 'authors',
} as const satisfies Record<SettledField, string>;

type Row = { readonly [K in SettledField]: K extends 'authors' ? string | null : SeriesValues[K] } & {
  readonly key: number;
  readonly links: string | null;
  readonly locks: string;
  readonly cleared: string | null;
  /** The highest age rating of the books that left the series. */
  readonly departedRating: number | null;
  readonly bookCount: number;
  readonly rules: string | null;
  /** The folder and the name of one of its files. */
  readonly folderPath: string | null;
  readonly fileName: string | null;
};

const SELECT = `SELECT s.id AS key, s.links, s.locks, s.cleared, s.departed_rating AS departedRating, ${RULES_SQL} AS rules,
    (SELECT count(*) FROM book WHERE series_id = s.id AND deleted = 0 AND (analyzed = 1 OR analysis_error IS NOT NULL)) AS bookCount, f.path AS folderPath, b.file_name AS fileName,
    ${SETTLED_FIELDS.map((field) => `s.${COLUMNS[field]} AS ${field}`).join(', ')}
  FROM json_each(?) j CROSS JOIN series s ON s.id = j.value JOIN library l ON l.id = s.library_id
    LEFT JOIN book b ON b.id = (SELECT id FROM book WHERE series_id = s.id AND deleted = 0 LIMIT 1) LEFT JOIN folder f ON f.id = b.folder_id`;

/** Most books say the same about their series: each text is read once, at the position of the first book that has it. */
const SAID = `SELECT b.series_id AS key, b.deleted AS isDeleted, o.series AS said, count(*) AS books, min(o.complete) AS isComplete, min(b.place) AS place, min(b.id) AS first
  FROM json_each(?) j CROSS JOIN book b ON b.series_id = j.value
    CROSS JOIN book_source o ON o.book_id = b.id AND o.source <> ${SOURCES.user.id}
  GROUP BY b.series_id, b.deleted, o.series ORDER BY place, first`;

/** The facts of the first book, in reading order, that satisfies `says`. */
const firstThat = (says: string): string => `(SELECT m.facts FROM book b CROSS JOIN book_metadata m ON m.book_id = b.id
  WHERE b.series_id = j.value ->> 0 AND b.deleted = 0 AND ${says} ORDER BY ${READING_ORDER} LIMIT 1)`;

const OF_BOOKS = `SELECT j.value ->> 0 AS key,
    CASE WHEN j.value ->> 1 THEN ${firstThat(`coalesce(m.facts ->> '$.summary', m.facts ->> '$.publisher', m.facts ->> '$.year') IS NOT NULL`)} END AS story,
    CASE WHEN j.value ->> 2 THEN ${firstThat(`json_array_length(m.facts, '$.authors') > 0`)} END AS people
  FROM json_each(?) j`;

interface Said {
  readonly key: number;
  readonly isDeleted: number;
  readonly said: string | null;
  readonly books: number;
  readonly isComplete: number;
}

interface OfBooks {
  readonly key: number;
  readonly story: string | null;
  readonly people: string | null;
}

const publisherOfPath = ({ rules, folderPath, fileName }: Row): string | null => {
  if (rules === null || folderPath === null || fileName === null) return null;
  const { seriesStrategy, seriesConfig } = storedRules(rules).rules;
  return seriesOf(seriesStrategy, seriesConfig, folderPath, fileName).publisher ?? null;
};

const storyOf = (text: string | null): Story | null => {
  if (text === null) return null;
  const { summary = null, year = null, publisher = null } = JSON.parse(text) as Partial<Story>;
  return { summary, year, publisher };
};

const readRows = async (tx: Tx, keys: readonly number[]): Promise<readonly Row[]> =>
  tx.all<Row>(SELECT, [JSON.stringify(keys)]);

const factsIn = (all: readonly Said[]): SeriesSources['said'] =>
  all.flatMap(({ said }) => (said === null ? [] : [JSON.parse(said) as SeriesSources['said'][number]]));

const directionsIn = (all: readonly Said[]): SeriesSources['directions'] =>
  all.flatMap((one) =>
    factsIn([one]).flatMap(({ readingDirection }) =>
      readingDirection ? [{ direction: readingDirection, books: one.books }] : [],
    ),
  );

const readSources = async (tx: Tx, rows: readonly Row[]): Promise<ReadonlyMap<number, SeriesSources>> => {
  const said = new Map<number, Said[]>(rows.map(({ key }) => [key, []]));
  for (const one of await tx.all<Said>(SAID, [JSON.stringify([...said.keys()])])) said.get(one.key)?.push(one);
  const told = rows.map((row) => {
    const all = said.get(row.key) ?? [];
    const present = all.filter(({ isDeleted }) => isDeleted === 0);
    return {
      row,
      said: factsIn(present),
      directions: directionsIn(present),
      ratings: [row.departedRating, ...factsIn(all).map(({ ageRating }) => ageRating)],
      isComplete: present.every((one) => one.isComplete === 1),
      locks: parseLocks<string>(row.locks),
    };
  });
  const asked = told.map(({ row, said: texts, locks }) => [
    row.key,
    Number(takesStory(texts, locks)),
    Number(!locks.has('authors')),
  ]);
  const ofBooks = new Map((await tx.all<OfBooks>(OF_BOOKS, [JSON.stringify(asked)])).map((one) => [one.key, one]));
  return new Map(
    told.map(({ row, locks: _locks, ...sources }): [number, SeriesSources] => {
      const { story = null, people = null } = ofBooks.get(row.key) ?? {};
      const authors = people === null ? null : (JSON.parse(people) as { authors: readonly Author[] }).authors;
      const publisher = publisherOfPath(row);
      const { bookCount } = row;
      return [row.key, { ...sources, bookCount, publisher, story: storyOf(story), authors }];
    }),
  );
};

const parsed = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));

const presentOf = (row: Row): Present => ({
  values: { ...row, authors: parsed<readonly Author[]>(row.authors), links: parsed<readonly Link[]>(row.links) },
  locks: parseLocks<string>(row.locks),
  cleared: parsed<Cleared>(row.cleared) ?? {},
});

const UPDATE = `UPDATE series SET ${SETTLED_FIELDS.map((field) => `${COLUMNS[field]} = ?`).join(', ')}, links = ?, cleared = ?, updated_at = ? WHERE id = ?`;

const bindsOf = (
  { values, cleared }: Omit<Present, 'locks'>,
  old: Present,
  row: Row,
  nowMs: number,
): readonly Bind[] => {
  const columns = SETTLED_FIELDS.map((field): Bind => {
    const value = values[field];
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
  const links = values.links?.map(({ source, url }) => ({
    id: uuidOfHex(newId(nowMs)),
    source,
    url,
    createdAt: nowMs,
  }));
  const isSameLinks = values.links === old.values.links;
  return [
    ...columns,
    isSameLinks ? row.links : JSON.stringify(links),
    Object.keys(cleared).length === 0 ? null : JSON.stringify(cleared),
  ];
};

/** The age rating of a series also hides its books, and they are also found by its publisher and language. */
const FOUND_BY = (['ageRating', 'publisher', 'language'] as const).map((field) => SETTLED_FIELDS.indexOf(field));

const settleOne = async (tx: Tx, row: Row, sources: SeriesSources, nowMs: number): Promise<void> => {
  const old = presentOf(row);
  const binds = bindsOf(settleSeries(sources, old), old, row, nowMs);
  const before: readonly Bind[] = [...SETTLED_FIELDS.map((field) => row[field]), row.links, row.cleared];
  if (binds.every((value, at) => value === before[at])) return;
  await tx.run(UPDATE, [...binds, nowMs, row.key]);
  tx.report(updated('series', [row.key], ASPECTS.list | ASPECTS.text));
  if (FOUND_BY.some((at) => binds[at] !== before[at])) await reportBooksOf(tx, [row.key], ASPECTS.list);
};

export const settleManySeries = async (tx: Tx, keys: readonly number[], nowMs: number): Promise<void> => {
  if (keys.length === 0) return;
  const rows = await readRows(tx, keys);
  const sources = await readSources(tx, rows);
  for (const row of rows) {
    const said = sources.get(row.key);
    if (said !== undefined) await settleOne(tx, row, said, nowMs);
  }
};

/**
 * The rating rises in the transaction that makes a book visible in a series, not after the batch: in between, everybody could see the
 * series. A lock prevents it. So does a rating cleared by a user, until a book is rated higher than the books were then.
 */
export const raiseRatings = async (tx: Tx, bookKeys: readonly number[], nowMs: number): Promise<void> => {
  if (bookKeys.length === 0) return;
  const raised = await tx.all<{ id: number }>(
    `UPDATE series SET age_rating = n.rating, updated_at = ?1
     FROM (SELECT b.series_id AS id, max(o.series ->> '$.ageRating') AS rating
       FROM json_each(?2) j CROSS JOIN book b ON b.id = j.value AND b.deleted = 0
         CROSS JOIN book_source o ON o.book_id = b.id AND o.source <> ${SOURCES.user.id}
       WHERE json_type(o.series, '$.ageRating') = 'integer' AND o.series ->> '$.ageRating' <= ${Number.MAX_SAFE_INTEGER}
       GROUP BY b.series_id) n
     WHERE series.id = n.id AND n.rating > max(coalesce(age_rating, -1), coalesce(cleared ->> '$.ageRating', -1))
       AND NOT EXISTS (SELECT 1 FROM json_each(series.locks) k WHERE k.value = 'ageRating') RETURNING series.id`,
    [nowMs, JSON.stringify(bookKeys)],
  );
  if (raised.length === 0) return;
  tx.report(updated('series', keysIn(raised), ASPECTS.list | ASPECTS.text));
  await reportBooksOf(tx, keysIn(raised), ASPECTS.list);
};

/** What is currently said about one series. */
export const sourcesOfSeries = async (tx: Tx, key: number): Promise<SeriesSources | undefined> =>
  (await readSources(tx, await readRows(tx, [key]))).get(key);
