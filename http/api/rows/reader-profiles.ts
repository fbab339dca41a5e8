// The caller's reader profiles, stored for their clients.
import Type from 'typebox';
import {
  DEVICE,
  deleteProfile,
  PROFILES_MAX,
  readerProfile,
  readerProfiles,
  storeProfile,
} from '../../../core/settings/reader-profiles.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, SOME_ID, uuid } from '../../surface/schemas.js';
import { pagingFields, windowOf } from '../schemas/fields.js';
import { ReaderProfile, ReaderProfilePage } from '../schemas/preferences.js';
import { pageReply } from '../views/paging.js';
import { profileView } from '../views/preferences.js';

const fields = {
  seriesId: Type.Optional(uuid),
  libraryId: Type.Optional(uuid),
  device: Type.Optional(
    Type.String({
      pattern: DEVICE,
      expected: 'at most 32 lower-case letters, digits, hyphens and underscores, such as tablet',
    }),
  ),
};

interface Fields {
  readonly seriesId?: string;
  readonly libraryId?: string;
  readonly device?: string;
}

const filterOf = ({ seriesId, libraryId, device }: Fields) => ({
  seriesId: seriesId ?? null,
  libraryId: libraryId ?? null,
  device: device ?? null,
});

export const READER_PROFILE_ROUTES: readonly Route[] = [
  route({
    id: 'profiles.list',
    method: 'GET',
    path: '/user/reader-profiles',
    access: 'user',
    query: Type.Object({ ...pagingFields, ...fields, bookId: Type.Optional(uuid) }),
    reply: ok(ReaderProfilePage),
    fails: ['NotFound'],
    about:
      "The caller's reader profiles; with bookId, seriesId or libraryId only those that apply to it, most specific first: series, library, everything. With device, those for that device and for any.",
    run: async (ctx, { query }) => {
      const found = await readerProfiles(
        listReads(ctx),
        ctx.viewer,
        { ...filterOf(query), bookId: query.bookId ?? null },
        windowOf(query),
      );
      return pageReply(ctx, found, profileView);
    },
  }),
  route({
    id: 'profiles.put',
    method: 'PUT',
    path: '/user/reader-profiles',
    access: 'user',
    body: Type.Object({ ...fields, value: Type.Unknown({ description: 'Any JSON of at most 8 kB.' }) }),
    example: { seriesId: SOME_ID, device: 'tablet', value: { fit: 'width' } },
    reply: ok(ReaderProfile),
    fails: ['NotFound', 'Conflict'],
    about: `Stores how the caller wants to read a series, a library or, without an id, everything, on one kind of device or on any. Replaces the caller's profile with the same scope and device. A user can have ${PROFILES_MAX}.`,
    run: async ({ app, viewer }, { body }) =>
      json(200, profileView(await storeProfile(app, viewer, { ...filterOf(body), value: body.value }))),
  }),
  route({
    id: 'profiles.get',
    method: 'GET',
    path: '/user/reader-profiles/{id}',
    access: 'user',
    params: byId,
    reply: ok(ReaderProfile),
    about: "One of the caller's reader profiles.",
    run: async ({ app, viewer }, { params }) => json(200, profileView(await readerProfile(app.db, viewer, params.id))),
  }),
  route({
    id: 'profiles.delete',
    method: 'DELETE',
    path: '/user/reader-profiles/{id}',
    access: 'user',
    params: byId,
    reply: EMPTY,
    about: "Deletes one of the caller's reader profiles.",
    run: async ({ app, viewer }, { params }) => {
      await deleteProfile(app.db, viewer, params.id);
      return noContent();
    },
  }),
];
