// Covers of books, series, collections and read lists that users upload: listed, shown, chosen and removed. Those of books are listed with
// the cover from the file, whose id is that of the book.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { OWNERS } from '../../../core/catalog/covers/owners.js';
import type { StoredCover } from '../../../core/catalog/covers/rows.js';
import type { CoverOwner } from '../../../core/catalog/covers/shown.js';
import { AppError } from '../../../core/model/errors.js';
import type { Permission } from '../../../core/model/permissions.js';
import { generatedCover, generatedImage } from '../../../core/pages/generated-cover.js';
import type { CoverRequest } from '../../../core/pages/uploaded-covers.js';
import { formFile, formText } from '../../surface/multipart.js';
import { media, ok, type Replies } from '../../surface/replies.js';
import { contentReply, json } from '../../surface/reply.js';
import { ask, partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Method, type Route, route } from '../../surface/route.js';
import { compactId } from '../../surface/schemas.js';
import { COVERS } from '../schemas/covers.js';
import { byId } from '../schemas/requests.js';
import { idText } from '../views/text.js';

interface CoverRows {
  readonly owner: CoverOwner;
  readonly path: 'books' | 'series' | 'collections' | 'readlists';
  /** The field that names the owner. */
  readonly field: 'bookId' | 'seriesId' | 'collectionId' | 'readListId';
  readonly read: Permission;
  readonly write: Permission;
}

const FIELDS = ['file'] as const;
const ACCEPTED: Replies = { 202: null };
const accepted = () => ({ status: 202, headers: [], body: { kind: 'none' } }) as const;

const oneOf = Type.Object({ ...byId.properties, coverId: compactId });

const requestOf = (owner: CoverOwner, { viewer, request }: Ctx<Caller>, id: string) =>
  ({ owner, id, viewer, ...ask(request) }) satisfies CoverRequest & { has: unknown };

const view = ({ field }: CoverRows, ownerId: string, cover: StoredCover) => ({
  id: idText(cover.id),
  [field]: idText(ownerId),
  type: 'USER_UPLOADED',
  selected: cover.selected,
  mediaType: 'image/jpeg',
  fileSize: cover.bytes,
  width: cover.width,
  height: cover.height,
});

/** The cover from the file, which only books have here. */
const isGenerated = ({ owner }: CoverRows, { id, coverId }: { readonly id: string; readonly coverId: string }) =>
  owner === 'book' && coverId === id;

const generatedIn = async ({ owner, field }: CoverRows, ctx: Ctx<Caller>, id: string, selected: boolean) => {
  if (owner !== 'book') return [];
  const made = await generatedCover(ctx.app.pages, {
    viewer: ctx.viewer,
    bookId: id,
    signal: () => ctx.request.signal,
  });
  if (made === undefined) return [];
  const { bytes, width, height } = made;
  const shown = { id: idText(id), [field]: idText(id), type: 'GENERATED', selected, mediaType: 'image/jpeg' };
  return [{ ...shown, fileSize: bytes, width, height }];
};

const lookRows = (of: CoverRows): readonly Route[] => {
  const { owner, path, read } = of;
  return [
    route({
      id: `comics.${path}.covers.list`,
      method: 'GET',
      path: `/api/v1/${path}/{id}/thumbnails`,
      access: read,
      ...(owner === 'book' ? {} : { kept: true }),
      params: byId,
      reply: ok(Type.Array(COVERS[owner])),
      about: `The uploaded covers of a ${OWNERS[owner].word}, oldest first${owner === 'book' ? ', after that from its file' : ''}.`,
      run: async (ctx, { params }) => {
        const { covers, source } = await ctx.app.uploadedCovers.list(partsFor(ctx), requestOf(owner, ctx, params.id));
        const generated = await generatedIn(of, ctx, params.id, source === 'default');
        return json(200, [...generated, ...covers.map((cover) => view(of, params.id, cover))]);
      },
    }),
    route({
      id: `comics.${path}.covers.image`,
      method: 'GET',
      path: `/api/v1/${path}/{id}/thumbnails/{coverId}`,
      access: read,
      params: oneOf,
      reply: { 200: media('image/jpeg'), 304: null },
      fails: ['PreconditionFailed'],
      about: 'The image of a cover in the list.',
      run: async (ctx, { params }) => {
        const { app, viewer } = ctx;
        const request = requestOf(owner, ctx, params.id);
        const content = isGenerated(of, params)
          ? await generatedImage(app.pages, { ...request, viewer, bookId: params.id }, request.has)
          : await app.uploadedCovers.image(partsFor(ctx), request, params.coverId, request.has);
        return contentReply(content, ctx.request);
      },
    }),
  ];
};

/** What is done to one cover. */
const oneRow = (of: CoverRows, name: 'select' | 'delete', method: Extract<Method, 'PUT' | 'DELETE'>): Route => {
  const { owner, path, write } = of;
  return route({
    id: `comics.${path}.covers.${name}`,
    method,
    path: `/api/v1/${path}/{id}/thumbnails/{coverId}${name === 'select' ? '/selected' : ''}`,
    access: write,
    params: oneOf,
    reply: ACCEPTED,
    about: name === 'select' ? 'Selects the cover that is shown.' : 'Deletes an uploaded cover.',
    run: async (ctx, { params }) => {
      const request = requestOf(owner, ctx, params.id);
      const { uploadedCovers } = ctx.app;
      if (isGenerated(of, params)) {
        if (name === 'delete') throw new AppError('BadRequest', 'The cover from the file of a book cannot be deleted.');
        await uploadedCovers.choose(request, { kind: 'default' });
      } else if (name === 'select') await uploadedCovers.select(request, params.coverId);
      else await uploadedCovers.remove(request, params.coverId);
      return accepted();
    },
  });
};

const uploadRow = (of: CoverRows): Route => {
  const { owner, path, write } = of;
  return route({
    id: `comics.${path}.covers.upload`,
    method: 'POST',
    path: `/api/v1/${path}/{id}/thumbnails`,
    access: write,
    params: byId,
    query: Type.Object({ selected: Type.Optional(Type.Boolean({ expected: 'true or false' })) }),
    upload: FIELDS,
    reply: ok(COVERS[owner]),
    about: `Uploads a cover for a ${OWNERS[owner].word}, and shows it unless "selected" is false in the form or the query.`,
    run: async (ctx, { params, query }) => {
      const isShown = query.selected ?? formText(ctx.request, 'selected') !== 'false';
      const request = requestOf(owner, ctx, params.id);
      const cover = await ctx.app.uploadedCovers.upload(request, formFile(ctx.request, FIELDS), isShown);
      return json(200, view(of, params.id, cover));
    },
  });
};

const ALL: readonly CoverRows[] = [
  { owner: 'book', path: 'books', field: 'bookId', read: 'BooksRead', write: 'BooksWrite' },
  { owner: 'series', path: 'series', field: 'seriesId', read: 'SeriesRead', write: 'SeriesWrite' },
  {
    owner: 'collection',
    path: 'collections',
    field: 'collectionId',
    read: 'CollectionsRead',
    write: 'CollectionsWrite',
  },
  { owner: 'read_list', path: 'readlists', field: 'readListId', read: 'ReadListsRead', write: 'ReadListsWrite' },
];

export const COVER_ROWS: readonly Route[] = ALL.flatMap((of) => [
  ...lookRows(of),
  uploadRow(of),
  oneRow(of, 'select', 'PUT'),
  oneRow(of, 'delete', 'DELETE'),
]);
