// Covers of books, series, collections and read lists that users upload or choose: the same rows for each.
import Type from 'typebox';
import { OWNERS } from '../../../core/catalog/covers/owners.js';
import type { CoverOwner } from '../../../core/catalog/covers/shown.js';
import type { Permission } from '../../../core/model/permissions.js';
import type { CoverRequest, CoverSource } from '../../../core/pages/uploaded-covers.js';
import { BOOK_FAULTS } from '../../surface/failures.js';
import { formFile } from '../../surface/multipart.js';
import { EMPTY, media, ok } from '../../surface/replies.js';
import { contentReply, json, noContent } from '../../surface/reply.js';
import { ask, partsFor } from '../../surface/request-parts.js';
import { type Access, type Ctx, type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import { ChosenCover, COVERS } from '../schemas/covers.js';
import { coverView } from '../views/covers.js';

interface CoverRows {
  readonly owner: CoverOwner;
  /** Prefix of the route ids. */
  readonly group: string;
  readonly path: string;
  readonly read: Permission;
  readonly write: Permission;
}

/** Form fields in which clients send the image. */
const FIELDS = ['file', 'cover', 'image'] as const;

const oneOf = Type.Object({ id: uuid, cover_id: uuid });

const requestOf = (owner: CoverOwner, { viewer, request }: Pick<Ctx<unknown>, 'viewer' | 'request'>, id: string) =>
  ({ owner, id, viewer, ...ask(request) }) satisfies CoverRequest & { has: unknown };

const lookRows = ({ owner, group, path, read }: CoverRows): readonly Route[] => [
  route({
    id: `${group}.covers.list`,
    method: 'GET',
    path: `${path}/{id}/covers`,
    access: read,
    kept: true,
    params: byId,
    reply: ok(COVERS[owner].covers),
    about: `The uploaded covers of a ${OWNERS[owner].word}, oldest first, as {"covers": [...]}, and the source of the one shown.`,
    run: async (ctx, { params }) => {
      const request = requestOf(owner, ctx, params.id);
      const { covers, source } = await ctx.app.uploadedCovers.list(partsFor(ctx), request);
      return json(200, { covers: covers.map((cover) => coverView(owner, params.id, cover)), source });
    },
  }),
  route({
    id: `${group}.covers.image`,
    method: 'GET',
    path: `${path}/{id}/covers/{cover_id}/image`,
    access: read,
    params: oneOf,
    reply: { 200: media('image/jpeg'), 304: null },
    fails: ['PreconditionFailed'],
    about: 'The stored image of an uploaded cover.',
    run: async (ctx, { params }) => {
      const request = requestOf(owner, ctx, params.id);
      const { uploadedCovers } = ctx.app;
      return contentReply(
        await uploadedCovers.image(partsFor(ctx), request, params.cover_id, request.has),
        ctx.request,
      );
    },
  }),
];

const changeRows = ({ owner, group, path, write }: CoverRows): readonly Route[] => [
  route({
    id: `${group}.covers.upload`,
    method: 'POST',
    path: `${path}/{id}/cover`,
    access: write,
    params: byId,
    upload: FIELDS,
    reply: ok(COVERS[owner].cover),
    about: `Uploads a cover for a ${OWNERS[owner].word} (JPEG, PNG, WebP, GIF or AVIF) and shows it from now on.`,
    run: async (ctx, { params }) => {
      const request = requestOf(owner, ctx, params.id);
      const cover = await ctx.app.uploadedCovers.upload(request, formFile(ctx.request, FIELDS));
      return json(200, coverView(owner, params.id, cover));
    },
  }),
  route({
    id: `${group}.covers.select`,
    method: 'PUT',
    path: `${path}/{id}/covers/{cover_id}/select`,
    access: write,
    params: oneOf,
    reply: ok(COVERS[owner].cover),
    about: 'Shows this uploaded cover from now on.',
    run: async (ctx, { params }) => {
      const request = requestOf(owner, ctx, params.id);
      return json(200, coverView(owner, params.id, await ctx.app.uploadedCovers.select(request, params.cover_id)));
    },
  }),
  route({
    id: `${group}.covers.reset`,
    method: 'DELETE',
    path: `${path}/{id}/covers/selected`,
    access: write,
    params: byId,
    reply: EMPTY,
    about: 'Shows the cover from the files again. Uploaded covers are kept.',
    run: async (ctx, { params }) => {
      await ctx.app.uploadedCovers.choose(requestOf(owner, ctx, params.id), { kind: 'default' });
      return noContent();
    },
  }),
  route({
    id: `${group}.covers.delete`,
    method: 'DELETE',
    path: `${path}/{id}/covers/{cover_id}`,
    access: write,
    params: oneOf,
    reply: EMPTY,
    about: 'Deletes an uploaded cover; if it was shown, the cover from the files is shown again.',
    run: async (ctx, { params }) => {
      await ctx.app.uploadedCovers.remove(requestOf(owner, ctx, params.id), params.cover_id);
      return noContent();
    },
  }),
];

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

const sourceBody = (pattern: string, expected: string) =>
  Type.Object({ source: Type.String({ pattern: `^(?:default|custom|${pattern})$`, expected }) });

const sourceOf = (text: string): CoverSource => {
  const [kind = '', value = ''] = text.split(':');
  if (kind === 'book') return { kind, bookId: value.toLowerCase() };
  if (kind === 'page') return { kind, pageNumber: Number(value) };
  return { kind: kind === 'custom' ? kind : 'default' };
};

interface SourceRow {
  readonly access: Access;
  readonly body: ReturnType<typeof sourceBody>;
  readonly about: string;
}

const sourceRow = ({ owner, group, path }: CoverRows, { access, body, about }: SourceRow): Route =>
  route({
    id: `${group}.covers.source`,
    method: 'PATCH',
    path: `${path}/{id}/cover/source`,
    access,
    params: byId,
    body,
    example: { source: 'default' },
    reply: ok(ChosenCover),
    fails: owner === 'book' ? BOOK_FAULTS : [],
    about,
    run: async (ctx, { params, body: { source } }) =>
      json(200, { source: await ctx.app.uploadedCovers.choose(requestOf(owner, ctx, params.id), sourceOf(source)) }),
  });

const BOOKS = { owner: 'book', group: 'books', path: '/books', read: 'BooksRead', write: 'BooksWrite' } as const;
const OTHERS = [
  { owner: 'series', group: 'series', path: '/series', read: 'SeriesRead', write: 'SeriesWrite' },
  {
    owner: 'collection',
    group: 'collections',
    path: '/collections',
    read: 'CollectionsRead',
    write: 'CollectionsWrite',
  },
  { owner: 'read_list', group: 'readlists', path: '/readlists', read: 'ReadListsRead', write: 'ReadListsWrite' },
] as const satisfies readonly CoverRows[];

/** Using a page as the cover requires permission to see pages. */
const OF_BOOK: SourceRow = {
  access: [BOOKS.write, 'PagesRead'],
  body: sourceBody('page:[1-9][0-9]{0,8}', 'default, custom or page:N'),
  about:
    'Chooses the cover of a book: default for the one from its file, custom for the latest upload, page:N for a copy of that page.',
};

const ofOthers = ({ owner, write }: CoverRows): SourceRow => ({
  access: write,
  body: sourceBody(`book:${UUID}`, 'default, custom or book:<uuid>'),
  about: `Chooses the cover of a ${OWNERS[owner].word}: default for the one from the files, custom for the latest upload, book:<uuid> for the cover of ${owner === 'series' ? 'one of its books' : 'a book; users who may not see the book get the default'}.`,
});

export const COVER_ROUTES: readonly Route[] = [
  ...[BOOKS, ...OTHERS].flatMap((rows) => [...lookRows(rows), ...changeRows(rows)]),
  sourceRow(BOOKS, OF_BOOK),
  ...OTHERS.map((rows) => sourceRow(rows, ofOthers(rows))),
];
