// Sharing tags, for administrators: the tags themselves, and which series carry them.
import Type from 'typebox';
import {
  addTag,
  type NamedTag,
  removeTag,
  setTags,
  TAGS_MAX,
  tagsOfSeries,
} from '../../../core/sharing/series-tags.js';
import { deleteTag } from '../../../core/sharing/tag-removal.js';
import { changeTag, createTag, listTags, type TagSummary, tagById } from '../../../core/sharing/tags.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf, listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { SOME_ID, uuid } from '../../surface/schemas.js';
import { pagingQuery, windowOf } from '../schemas/fields.js';
import {
  descriptionField,
  forceQuery,
  namedChange,
  nameField,
  SharingTag,
  SharingTagPage,
  SharingTagSummary,
  UNLESS_FORCED,
} from '../schemas/sharing.js';
import { pageReply } from '../views/paging.js';
import { tagSummaryView, tagView } from '../views/sharing.js';

const byTag = Type.Object({ tag_id: uuid });
const bySeries = Type.Object({ series_id: uuid });

const TAGS: readonly Route[] = [
  route({
    id: 'sharing.list',
    method: 'GET',
    path: '/admin/sharing-tags',
    access: 'SystemAdmin',
    administrator: true,
    query: pagingQuery,
    reply: ok(SharingTagPage),
    about: 'All sharing tags by name.',
    run: async (ctx, { query }) => pageReply(ctx, await listTags(listReads(ctx), windowOf(query)), tagView),
  }),
  route({
    id: 'sharing.create',
    method: 'POST',
    path: '/admin/sharing-tags',
    access: 'SystemAdmin',
    administrator: true,
    body: Type.Object({ name: nameField, description: descriptionField }),
    example: { name: 'Kids', description: 'For the youngest' },
    reply: made(SharingTag),
    fails: ['Conflict'],
    about: 'Creates a sharing tag. Names are unique, ignoring case.',
    run: async (ctx, { body }) => {
      const { name, description } = body;
      return json(201, tagView(await createTag(ctx.app, actorOf(ctx), { name, description })));
    },
  }),
  route({
    id: 'sharing.get',
    method: 'GET',
    path: '/admin/sharing-tags/{tag_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: byTag,
    reply: ok(SharingTag),
    about: 'One sharing tag.',
    run: async ({ app }, { params }) => json(200, tagView(await tagById(app.db, params.tag_id))),
  }),
  route({
    id: 'sharing.patch',
    method: 'PATCH',
    path: '/admin/sharing-tags/{tag_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: byTag,
    body: namedChange,
    example: { name: 'Children', description: null },
    reply: ok(SharingTag),
    fails: ['Conflict'],
    about: 'Changes a sharing tag: an absent field stays unchanged, null clears the description.',
    run: async (ctx, { params, body }) => {
      const change = { name: body.name ?? undefined, description: body.description };
      return json(200, tagView(await changeTag(ctx.app, actorOf(ctx), params.tag_id, change)));
    },
  }),
  route({
    id: 'sharing.delete',
    method: 'DELETE',
    path: '/admin/sharing-tags/{tag_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: byTag,
    query: forceQuery,
    reply: EMPTY,
    fails: ['Conflict'],
    about: `Deletes a sharing tag with its grants, and takes it off every series. ${UNLESS_FORCED}`,
    run: async (ctx, { params, query }) => {
      await deleteTag(ctx.app, actorOf(ctx), params.tag_id, query.force ?? false);
      return noContent();
    },
  }),
];

const listReply = (tags: readonly TagSummary[]) => json(200, tags.map(tagSummaryView));

const SUMMARIES = ok(Type.Array(SharingTagSummary));

const namedIn = (ids: readonly string[]): readonly NamedTag[] =>
  ids.map((id, at) => ({ id, path: `sharingTagIds[${at}]` }));

const OF_SERIES: readonly Route[] = [
  route({
    id: 'sharing.series.list',
    method: 'GET',
    path: '/series/{series_id}/sharing-tags',
    access: 'SystemAdmin',
    administrator: true,
    params: bySeries,
    reply: SUMMARIES,
    about: 'The sharing tags of a series by name, as a plain array.',
    run: async ({ app, caller }, { params }) =>
      listReply(await tagsOfSeries(app.db, app.viewers.unrestricted(caller.user.key), params.series_id)),
  }),
  route({
    id: 'sharing.series.put',
    method: 'PUT',
    path: '/series/{series_id}/sharing-tags',
    access: 'SystemAdmin',
    administrator: true,
    params: bySeries,
    body: Type.Object({
      sharingTagIds: Type.Array(uuid, { maxItems: TAGS_MAX, expected: `a list of at most ${TAGS_MAX} uuids` }),
    }),
    example: { sharingTagIds: [SOME_ID] },
    reply: SUMMARIES,
    about: 'Replaces the sharing tags of a series; returns them.',
    run: async (ctx, { params, body }) => {
      const { app, caller } = ctx;
      const system = app.viewers.unrestricted(caller.user.key);
      return listReply(await setTags(app, actorOf(ctx), system, params.series_id, namedIn(body.sharingTagIds)));
    },
  }),
  route({
    id: 'sharing.series.add',
    method: 'POST',
    path: '/series/{series_id}/sharing-tags',
    access: 'SystemAdmin',
    administrator: true,
    params: bySeries,
    body: Type.Object({ sharingTagId: uuid }),
    example: { sharingTagId: SOME_ID },
    reply: SUMMARIES,
    fails: ['Conflict'],
    about: `Adds one sharing tag to a series, which carries at most ${TAGS_MAX}; returns all of them.`,
    run: async (ctx, { params, body }) => {
      const { app, caller } = ctx;
      const system = app.viewers.unrestricted(caller.user.key);
      const tag = { id: body.sharingTagId, path: 'sharingTagId' };
      return listReply(await addTag(app, actorOf(ctx), system, params.series_id, tag));
    },
  }),
  route({
    id: 'sharing.series.remove',
    method: 'DELETE',
    path: '/series/{series_id}/sharing-tags/{tag_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: Type.Object({ series_id: uuid, tag_id: uuid }),
    reply: EMPTY,
    about: 'Takes one sharing tag off a series.',
    run: async (ctx, { params }) => {
      const { app, caller } = ctx;
      const system = app.viewers.unrestricted(caller.user.key);
      await removeTag(app, actorOf(ctx), system, params.series_id, params.tag_id);
      return noContent();
    },
  }),
];

export const SHARING_TAG_ROUTES: readonly Route[] = [...TAGS, ...OF_SERIES];
