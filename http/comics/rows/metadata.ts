// Changing the metadata of books and series: values and locks, under the names of this API. What is not named stays.
import Type, { type Static } from 'typebox';
import {
  type AppBookChange,
  type AppSeriesChange,
  changeBookAsApp,
  changeSeriesAsApp,
} from '../../../core/catalog/app-metadata.js';
import type { ReadingDirection } from '../../../core/catalog/libraries.js';
import { AppError } from '../../../core/model/errors.js';
import { FACT_LIMITS } from '../../../core/model/fact-limits.js';
import type { Author, AuthorRole, Link, SeriesStatus } from '../../../core/model/metadata.js';
import { numberOfText } from '../../../core/model/numbers.js';
import { EMPTY } from '../../surface/replies.js';
import { noContent } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../schemas/requests.js';
import { rolesShownAs } from '../views/people.js';

const orNull = <S extends Parameters<typeof Type.Array>[0]>(schema: S, expected: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { expected: `${expected}, or null` }));
const text = (maxLength: number) => orNull(Type.String({ maxLength }), `text of at most ${maxLength} characters`);
const whole = (maximum: number) => orNull(Type.Integer({ minimum: 0, maximum }), `a whole number from 0 to ${maximum}`);
const lock = Type.Optional(Type.Boolean({ expected: 'true or false' }));
const names = orNull(Type.Array(Type.String({ maxLength: FACT_LIMITS.name }), { maxItems: 1000 }), 'a list of texts');

const links = orNull(
  Type.Array(Type.Object({ label: Type.String({ maxLength: FACT_LIMITS.name }), url: Type.String() }), {
    maxItems: FACT_LIMITS.links,
  }),
  `a list of at most ${FACT_LIMITS.links} links, each with label and url`,
);

const bookBody = Type.Object({
  title: text(FACT_LIMITS.name),
  titleLock: lock,
  summary: text(FACT_LIMITS.summary),
  summaryLock: lock,
  number: text(FACT_LIMITS.word),
  numberLock: lock,
  numberSort: orNull(Type.Number({ minimum: 0, maximum: 999_999_999 }), 'a number from 0 to 999999999'),
  numberSortLock: lock,
  releaseDate: orNull(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }), 'a day such as 2026-01-31'),
  releaseDateLock: lock,
  authors: orNull(
    Type.Array(Type.Object({ name: Type.String({ minLength: 1, maxLength: FACT_LIMITS.name }), role: Type.String() }), {
      maxItems: FACT_LIMITS.authors,
    }),
    'a list of authors, each with name and role',
  ),
  authorsLock: lock,
  tags: names,
  tagsLock: lock,
  isbn: text(FACT_LIMITS.names),
  isbnLock: lock,
  links,
  linksLock: lock,
});

const STATUSES = {
  ENDED: 'ended',
  ONGOING: 'ongoing',
  ABANDONED: 'abandoned',
  HIATUS: 'hiatus',
} as const satisfies Readonly<Record<string, SeriesStatus>>;
const DIRECTIONS = {
  LEFT_TO_RIGHT: 'ltr',
  RIGHT_TO_LEFT: 'rtl',
  VERTICAL: 'ttb',
  WEBTOON: 'webtoon',
} as const satisfies Readonly<Record<string, ReadingDirection>>;

type Word<T> = Extract<keyof T, string>;
const wordsOf = <T extends object>(words: T) => Object.keys(words) as Word<T>[];
const oneOf = <T extends object>(words: T) => orNull(Type.Enum(wordsOf(words)), `one of ${wordsOf(words).join(', ')}`);

const seriesBody = Type.Object({
  status: oneOf(STATUSES),
  statusLock: lock,
  title: text(FACT_LIMITS.name),
  titleLock: lock,
  titleSort: text(FACT_LIMITS.name),
  titleSortLock: lock,
  summary: text(FACT_LIMITS.summary),
  summaryLock: lock,
  publisher: text(FACT_LIMITS.name),
  publisherLock: lock,
  readingDirection: oneOf(DIRECTIONS),
  readingDirectionLock: lock,
  ageRating: whole(120),
  ageRatingLock: lock,
  language: text(35),
  languageLock: lock,
  genres: names,
  genresLock: lock,
  tags: names,
  tagsLock: lock,
  totalBookCount: whole(2 ** 31 - 1),
  totalBookCountLock: lock,
  alternateTitles: orNull(
    Type.Array(Type.Object({ label: Type.String(), title: Type.String() }), { maxItems: 100 }),
    'a list of titles, each with label and title',
  ),
  alternateTitlesLock: lock,
  links,
  linksLock: lock,
});

type SentLinks = Static<typeof bookBody>['links'];

const linksIn = (sent: NonNullable<SentLinks>): readonly Link[] =>
  sent.map(({ label, url }) => ({ source: label.trim(), url }));

/** Blank text is none. */
const said = (value: string | null | undefined): string | null | undefined =>
  typeof value === 'string' && value.trim() === '' ? null : (value?.trim() ?? value);

const dayIn = (day: string | null | undefined) => {
  if (day === undefined) return {};
  if (day === null) return { year: null, month: null, day: null };
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  if (new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10) !== day || year === 0)
    throw new AppError('BadRequest', 'Invalid body: releaseDate must be a day such as 2026-01-31.');
  return { year, month, day: date };
};

const roleIn = (word: string): AuthorRole => {
  const [first, ...others] = rolesShownAs(word);
  const named = [first, ...others].find((role) => role === word.toLowerCase()) ?? first;
  if (named === undefined) throw new AppError('BadRequest', `Invalid body: there is no role ${word.slice(0, 100)}.`);
  return named;
};

const authorIn = ({ name, role }: { readonly name: string; readonly role: string }): Author => ({
  name: name.trim(),
  role: roleIn(role),
  sortName: null,
});

/** Decimals that are read from a number given as text. */
const DIGITS = 9;

/** A book has one number, which is read from its text. */
const numberIn = (body: Static<typeof bookBody>): string | null | undefined => {
  const [text, sort] = [said(body.number), body.numberSort];
  if (typeof sort !== 'number') return text === undefined ? sort : text;
  const sortText = sort.toFixed(DIGITS).replace(/\.?0+$/, '');
  if (typeof text !== 'string') return sortText;
  if (numberOfText(text) === Number(sortText)) return text;
  throw new AppError(
    'BadRequest',
    'Invalid body: number and numberSort must be the same number. Books are sorted by their number; send only one of the two.',
  );
};

const bookChange = (body: Static<typeof bookBody>): AppBookChange => {
  const dated = body.releaseDateLock;
  return {
    facts: {
      title: said(body.title),
      summary: said(body.summary),
      number: numberIn(body),
      isbns: said(body.isbn),
      links: body.links && linksIn(body.links),
      authors: body.authors?.map(authorIn) ?? (body.authors === null ? null : undefined),
      ...dayIn(body.releaseDate),
    },
    tags: body.tags === null ? [] : body.tags,
    locks: {
      title: body.titleLock,
      summary: body.summaryLock,
      number: body.numberLock ?? body.numberSortLock,
      isbns: body.isbnLock,
      links: body.linksLock,
      authors: body.authorsLock,
      tags: body.tagsLock,
      year: dated,
      month: dated,
      day: dated,
    },
  };
};

const worded = <W extends string, V>(
  words: Readonly<Record<W, V>>,
  word: W | null | undefined,
): V | null | undefined => {
  if (word === null || word === undefined) return word;
  return words[word];
};

const seriesChange = (body: Static<typeof seriesBody>): AppSeriesChange => ({
  fields: {
    title: said(body.title),
    titleSort: said(body.titleSort),
    summary: said(body.summary),
    publisher: said(body.publisher),
    language: said(body.language),
    status: worded(STATUSES, body.status),
    readingDirection: worded(DIRECTIONS, body.readingDirection),
    ageRating: body.ageRating,
    totalVolumeCount: body.totalBookCount,
  },
  genres: body.genres === null ? [] : body.genres,
  tags: body.tags === null ? [] : body.tags,
  titles: body.alternateTitles === null ? [] : body.alternateTitles,
  links: body.links === null ? [] : body.links && linksIn(body.links),
  locks: {
    title: body.titleLock,
    titleSort: body.titleSortLock,
    summary: body.summaryLock,
    publisher: body.publisherLock,
    language: body.languageLock,
    status: body.statusLock,
    readingDirection: body.readingDirectionLock,
    ageRating: body.ageRatingLock,
    totalVolumeCount: body.totalBookCountLock,
    genres: body.genresLock,
    tags: body.tagsLock,
    alternateTitles: body.alternateTitlesLock,
    links: body.linksLock,
  },
});

const ABOUT = 'A value locks its field, unless its lock is sent too; null clears it. Fields not sent stay.';

export const METADATA_ROWS: readonly Route[] = [
  route({
    id: 'comics.books.metadata',
    method: 'PATCH',
    path: '/api/v1/books/{id}/metadata',
    access: 'BooksWrite',
    params: byId,
    body: bookBody,
    reply: EMPTY,
    about: `Changes the metadata of a book. ${ABOUT}`,
    run: async ({ app, viewer }, { params, body }) => {
      await changeBookAsApp(app, viewer, params.id, bookChange(body));
      return noContent();
    },
  }),
  route({
    id: 'comics.series.metadata',
    method: 'PATCH',
    path: '/api/v1/series/{id}/metadata',
    access: 'SeriesWrite',
    params: byId,
    body: seriesBody,
    reply: EMPTY,
    about: `Changes the metadata of a series. ${ABOUT}`,
    run: async ({ app, viewer }, { params, body }) => {
      await changeSeriesAsApp(app, viewer, params.id, seriesChange(body));
      return noContent();
    },
  }),
];
