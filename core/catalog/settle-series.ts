// The effective metadata of a series, given what its books and its path say. Pure. The first book in reading order that has a value wins,
// whichever was read first. A series keeps its values when the sources no longer say anything. Its age rating covers all that can be seen of
// it: it falls only when a file with the higher rating was read again and says something else. Its reading direction is one on which its
// books agree: a single manga in a folder of comics must not turn them all.
import type { Author, BookFacts, Link, SeriesFacts } from '../model/metadata.js';
import { isSilent } from './book-facts.js';

export type Direction = NonNullable<SeriesFacts['readingDirection']>;

/** Series fields that files contain. Each has a lock of the same name. */
export const TOLD_FIELDS = [
  'summary',
  'publisher',
  'imprint',
  'year',
  'status',
  'language',
  'ageRating',
  'readingDirection',
  'totalVolumeCount',
] as const satisfies readonly (keyof SeriesFacts)[];

type ToldField = (typeof TOLD_FIELDS)[number];

export type SeriesValues = { readonly [K in ToldField]: SeriesFacts[K] } & {
  readonly authors: readonly Author[] | null;
  readonly links: readonly Link[] | null;
};

export type SettledField = ToldField | 'authors';
export const SETTLED_FIELDS: readonly SettledField[] = [...TOLD_FIELDS, 'authors'];

/** Facts of a single book that a series may adopt. */
export type Story = Pick<BookFacts, 'summary' | 'year' | 'publisher'>;

export interface SeriesSources {
  /** What its books say about the series, in reading order. */
  readonly said: readonly Partial<SeriesFacts>[];
  /** False while a book may have more to say than is stored. */
  readonly isComplete: boolean;
  /** Of all books that an answer can still show something of: the deleted ones too, and the highest of those that left the series. */
  readonly ratings: readonly (number | null | undefined)[];
  /** What the folders say. */
  readonly publisher: string | null;
  /** The first book that has any of these facts. */
  readonly story: Story | null;
  /** The authors of the first book that names any. */
  readonly authors: readonly Author[] | null;
  /** How many books have been analysed, and how many state each reading direction. */
  readonly bookCount: number;
  readonly directions: readonly { readonly direction: Direction; readonly books: number }[];
}

const STORY_FIELDS = ['summary', 'year', 'publisher'] as const satisfies readonly (keyof Story)[];

/** Integer columns refuse anything else. */
const isStorable = (value: unknown): boolean =>
  !isSilent(value) && (typeof value !== 'number' || Number.isSafeInteger(value));

const firstOf = <K extends ToldField>(said: SeriesSources['said'], field: K): SeriesFacts[K] | null =>
  said.map((one) => one[field]).find(isStorable) ?? null;

/** The rating of the highest-rated book: it decides who may see the series. */
const highest = (values: readonly (number | null | undefined)[]): number | null => {
  const ratings = values.filter((value): value is number => isStorable(value));
  return ratings.length === 0 ? null : Math.max(...ratings);
};

/** The direction of all books that state one, if these are more than half. */
const agreedDirection = ({ bookCount, directions }: SeriesSources): Direction | null => {
  const [first, ...others] = directions;
  if (first === undefined || others.some(({ direction }) => direction !== first.direction)) return null;
  const stated = directions.reduce((sum, { books }) => sum + books, 0);
  return stated * 2 > bookCount ? first.direction : null;
};

/** All or nothing: the summary of one book with the year of another would describe no series. */
export const takesStory = (said: SeriesSources['said'], locks: ReadonlySet<string>): boolean =>
  firstOf(said, 'summary') === null &&
  firstOf(said, 'year') === null &&
  !STORY_FIELDS.some((field) => locks.has(field));

export type ToldValues = { readonly [K in SettledField]: SeriesValues[K] };

/** What the sources say on their own. */
export const toldOfSeries = (sources: SeriesSources, locks: ReadonlySet<string>): ToldValues => {
  const { said, publisher, story, authors, ratings } = sources;
  const first = Object.fromEntries(TOLD_FIELDS.map((field) => [field, firstOf(said, field)]));
  const told = {
    ...(first as Pick<SeriesValues, ToldField>),
    authors,
    ageRating: highest(ratings),
    readingDirection: agreedDirection(sources),
  };
  const named = { ...told, publisher: publisher ?? told.publisher };
  if (story === null || !takesStory(said, locks)) return named;
  const year = isStorable(story.year) ? story.year : null;
  return { ...named, summary: story.summary, year, publisher: named.publisher ?? story.publisher };
};

const isSameLinks = (one: readonly Link[], other: readonly Link[]): boolean =>
  one.length === other.length &&
  one.every(({ source, url }, at) => other[at]?.source === source && other[at]?.url === url);

/** If the links equal those the series has, they stay, ids included. */
const settleLinks = (
  { said, isComplete }: SeriesSources,
  { values: { links }, locks }: Omit<Present, 'cleared'>,
): readonly Link[] | null => {
  if (locks.has('links')) return links;
  const found = said.find((one) => !isSilent(one.links))?.links;
  if (found === undefined || (links !== null && (!isComplete || isSameLinks(links, found)))) return links;
  return found;
};

/** Fields a user cleared without locking them, with what the sources said at the time. They stay empty until that changes. */
export type Cleared = { readonly [K in SettledField]?: ToldValues[K] };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The cleared fields whose sources still say the same. */
const stillCleared = (cleared: Cleared, told: ToldValues): Cleared =>
  Object.fromEntries(
    SETTLED_FIELDS.filter((field) => field in cleared && isSame(cleared[field], told[field])).map((field) => [
      field,
      cleared[field],
    ]),
  );

export interface Present {
  readonly values: SeriesValues;
  readonly locks: ReadonlySet<string>;
  readonly cleared: Cleared;
}

/** Locked values stay. So does everything the series has while a book may have more to say than is stored. */
export const settleSeries = (sources: SeriesSources, { values, locks, cleared }: Present): Omit<Present, 'locks'> => {
  const told = toldOfSeries(sources, locks);
  const { isComplete, story, said } = sources;
  const left = stillCleared(cleared, told);
  const isTold = story !== null && takesStory(said, locks);
  const hasStory = values.summary !== null || values.year !== null;
  const settled = (field: SettledField): unknown => {
    const [has, found] = [values[field], told[field]];
    if (locks.has(field)) return has;
    if (field in left) return null;
    if (field === 'ageRating') return isComplete ? found : highest([values.ageRating, told.ageRating]);
    // Without a majority there is none, whatever the series had before.
    if (field === 'readingDirection') return isComplete ? found : has;
    if (isTold && (field === 'summary' || field === 'year')) return isComplete || !hasStory ? found : has;
    return isComplete ? (found ?? has) : (has ?? found);
  };
  const columns = Object.fromEntries(SETTLED_FIELDS.map((field) => [field, settled(field)]));
  return {
    values: { ...(columns as unknown as ToldValues), links: settleLinks(sources, { values, locks }) },
    cleared: left,
  };
};
