// One book with its metadata, changing it, and its locks.
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { remarksOf } from '../../../core/catalog/book-errors.js';
import {
  type BookLockChange,
  bookAndMetadata,
  bookMetadata,
  changeBookLocks,
  changeBookMetadata,
} from '../../../core/catalog/book-metadata.js';
import { bookById } from '../../../core/catalog/books.js';
import type { Edit } from '../../../core/catalog/settle-book.js';
import { AppError } from '../../../core/model/errors.js';
import { FACT_LIMITS } from '../../../core/model/fact-limits.js';
import { BOOK_TYPES } from '../../../core/model/metadata.js';
import { fullBooks } from '../../../core/reading/full-records.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { BookUpdate } from '../schemas/book.js';
import { BOOK_LOCK_NAMES, BookDetail, BookLocks, ChangedBookMetadata, FullBook } from '../schemas/book-metadata.js';
import {
  authorsField,
  authorsOf,
  awardsField,
  awardsOf,
  booleanField,
  customField,
  flags,
  numberField,
  present,
  textField,
  textsField,
  trimmed,
  wholeField,
  wordField,
} from '../schemas/metadata.js';
import { bookDetailView, bookFullView, bookLocksView, changedMetadataView } from '../views/metadata.js';
import { instant } from '../views/time.js';

const { name: TITLE_MAX, names: TEXT_MAX, summary: SUMMARY_MAX, word: WORD_MAX } = FACT_LIMITS;

const roleFields = {
  writer: textField(TEXT_MAX),
  penciller: textField(TEXT_MAX),
  inker: textField(TEXT_MAX),
  colorist: textField(TEXT_MAX),
  letterer: textField(TEXT_MAX),
  coverArtist: textField(TEXT_MAX),
  editor: textField(TEXT_MAX),
};

const metadataBody = Type.Object({
  title: textField(TITLE_MAX),
  titleSort: textField(TITLE_MAX),
  subtitle: textField(TITLE_MAX),
  originalTitle: textField(TITLE_MAX),
  series: textField(TITLE_MAX),
  number: textField(WORD_MAX),
  volume: wholeField(0),
  chapter: numberField(),
  count: wholeField(0),
  seriesPosition: numberField(),
  seriesTotal: wholeField(0),
  summary: textField(SUMMARY_MAX),
  publisher: textField(TITLE_MAX),
  imprint: textField(TITLE_MAX),
  genre: textField(TEXT_MAX),
  subjects: textsField(),
  edition: textField(TITLE_MAX),
  formatDetail: textField(TITLE_MAX),
  isbns: textField(TEXT_MAX),
  languageIso: textField(35),
  translator: textField(TEXT_MAX),
  bookType: wordField(BOOK_TYPES),
  authors: authorsField(),
  awards: awardsField(),
  blackAndWhite: booleanField(),
  manga: booleanField(),
  year: wholeField(1, 9999),
  month: wholeField(1, 12),
  day: wholeField(1, 31),
  originalYear: wholeField(1, 9999),
  customMetadata: customField(),
  ...roleFields,
});

const titleBody = Type.Object({ title: textField(TITLE_MAX), number: numberField() });

/** The body without the role fields, which are not facts of their own. */
const metadataChange = (body: Static<typeof metadataBody>): Edit => {
  const { writer, penciller, inker, colorist, letterer, coverArtist, editor, ...facts } = trimmed(metadataBody, body);
  return {
    facts: { ...facts, authors: authorsOf(facts.authors), awards: awardsOf(facts.awards) },
    roles: { writer, penciller, inker, colorist, letterer, coverArtist, editor },
    leftOut: new Set(),
  };
};

/**
 * Fields that a PUT leaves alone unless it names them: they have a route of their own, and clients that replace the rest do not send them.
 */
const KEPT: ReadonlySet<string> = new Set(['title', 'titleSort', 'number', 'series']);
const CLEARED = Object.keys(metadataBody.properties).filter(
  (field) => !KEPT.has(field) && !Object.hasOwn(roleFields, field),
);

/** Omitted fields are cleared. An empty role field leaves the authors as the author list has them. */
const replacing = ({ facts, roles }: Edit): Edit => {
  const named = present(facts);
  return {
    facts: { ...Object.fromEntries(CLEARED.map((field) => [field, null])), ...named },
    roles: Object.fromEntries(Object.entries(roles).filter(([, text]) => typeof text === 'string')),
    leftOut: new Set(CLEARED.filter((field) => !Object.hasOwn(named, field))),
  };
};

const ABOUT = {
  PATCH:
    'Changes metadata: an absent field stays unchanged, null clears it until the file says something new, a value sets and locks it.',
  PUT: `Replaces metadata: a value sets and locks its field, every other field but ${[...KEPT].join(', ')} is cleared; the next analysis may fill unlocked ones.`,
} as const;

const fullReply = async ({ app, caller, viewer }: Ctx<Caller>, id: string) => {
  const [full] = await fullBooks(app.db, viewer, [await bookById(app.db, viewer, id)]);
  if (full === undefined) throw new AppError('NotFound', 'There is no book with this id.');
  return json(200, bookFullView(caller.user.id)(full));
};

const updateRow = (method: 'PUT' | 'PATCH'): Route =>
  route({
    id: `books.metadata.${method.toLowerCase()}`,
    method,
    path: '/books/{id}/metadata',
    access: 'BooksWrite',
    params: byId,
    body: metadataBody,
    example: { summary: 'What the fog leaves behind.', writer: 'Ann Example', year: 2019, bookType: 'comic' },
    reply: ok(ChangedBookMetadata),
    about: `${ABOUT[method]} Fields such as writer take comma-separated names and replace the authors with that role.`,
    run: async ({ app, viewer }, { params, body }) => {
      const change = method === 'PUT' ? replacing(metadataChange(body)) : metadataChange(body);
      await changeBookMetadata(app.db, app.clock, viewer, params.id, change);
      const { book, metadata } = await bookAndMetadata(app.db, viewer, params.id);
      return json(200, changedMetadataView(book, metadata));
    },
  });

const lockChange = (body: Readonly<Record<string, boolean | undefined>>): BookLockChange =>
  Object.fromEntries([...BOOK_LOCK_NAMES].map(([name, lock]) => [lock, body[name]]));

export const BOOK_METADATA_ROUTES: readonly Route[] = [
  route({
    id: 'books.get',
    method: 'GET',
    path: '/books/{id}',
    access: 'BooksRead',
    kept: true,
    params: byId,
    query: Type.Object({ full: Type.Optional(Type.Boolean()) }),
    reply: ok(Type.Union([BookDetail, FullBook])),
    about: 'One book with its metadata; full=true returns the full record.',
    run: async (ctx, { params, query }) => {
      if (query.full === true) return fullReply(ctx, params.id);
      const { app, caller, viewer } = ctx;
      const found = await bookAndMetadata(app.db, viewer, params.id);
      const remarks = await remarksOf(app.db, found.book.key);
      return json(200, bookDetailView(caller.user.id, { ...found, remarks }));
    },
  }),
  route({
    id: 'books.full',
    method: 'GET',
    path: '/books/{id}/full',
    access: 'BooksRead',
    kept: true,
    params: byId,
    reply: ok(FullBook),
    about: 'One book with all metadata, locks, genres and tags.',
    run: (ctx, { params }) => fullReply(ctx, params.id),
  }),
  route({
    id: 'books.patch',
    method: 'PATCH',
    path: '/books/{id}',
    access: 'BooksWrite',
    params: byId,
    body: titleBody,
    example: { title: 'The Fog', number: 1 },
    reply: ok(BookUpdate),
    about: 'Sets (and locks) or clears title and number; a book without a title shows its file name.',
    run: async ({ app, viewer }, { params, body }) => {
      const { title, number } = trimmed(titleBody, body);
      const text = number === undefined || number === null ? number : String(number);
      await changeBookMetadata(app.db, app.clock, viewer, params.id, {
        facts: { title, number: text },
        roles: {},
        leftOut: new Set(),
      });
      const book = await bookById(app.db, viewer, params.id);
      return json(200, {
        id: book.id,
        title: book.title,
        number: number ?? book.number,
        updatedAt: instant(book.updatedAt),
      } satisfies Wire<typeof BookUpdate>);
    },
  }),
  updateRow('PUT'),
  updateRow('PATCH'),
  route({
    id: 'books.locks.get',
    method: 'GET',
    path: '/books/{id}/metadata/locks',
    access: 'BooksRead',
    kept: true,
    params: byId,
    reply: ok(BookLocks),
    about: 'Which fields of a book are locked against changes by analyses.',
    run: async ({ app, viewer }, { params }) => {
      const book = await bookById(app.db, viewer, params.id);
      return json(200, bookLocksView((await bookMetadata(app.db, book.key))?.locks ?? new Set()));
    },
  }),
  route({
    id: 'books.locks.put',
    method: 'PUT',
    path: '/books/{id}/metadata/locks',
    access: 'BooksWrite',
    params: byId,
    body: flags([...BOOK_LOCK_NAMES.keys()]),
    example: { titleLock: true, summaryLock: false },
    reply: ok(BookLocks),
    about:
      'Locks and unlocks fields; an absent flag stays unchanged. An unlocked field shows at once what the file says. genresLock and tagsLock stand for the two lists.',
    run: async ({ app, viewer }, { params, body }) =>
      json(200, bookLocksView(await changeBookLocks(app.db, app.clock, viewer, params.id, lockChange(body)))),
  }),
];
