// Rows that collections and read lists share: the lists themselves, and what is in them.
import Type, { type TSchema } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { changeFilled, createFilled } from '../../../core/catalog/collections/contents.js';
import { type ListKind, SHAPES } from '../../../core/catalog/collections/kinds.js';
import { deleteList } from '../../../core/catalog/collections/lists.js';
import type { MemberOrder, Named } from '../../../core/catalog/collections/members.js';
import { AppError } from '../../../core/model/errors.js';
import { hexOfUuid, isUuid, uuidOfHex } from '../../../core/model/ids.js';
import type { Permission } from '../../../core/model/permissions.js';
import { coverOfCollection, coverOfQueue, coverOfReadList } from '../../../core/pages/covers.js';
import {
  type AppList,
  type AppListSort,
  appList,
  appLists,
  appListsWith,
  WANTED_ID,
} from '../../../core/reading/app-lists.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { EMPTY, IMAGE, ok } from '../../surface/replies.js';
import { contentReply, json, noContent } from '../../surface/reply.js';
import { ask, partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { arrayReply } from '../array-reply.js';
import { ids, orderIn, pagingFields, requestedPage, sortField } from '../query.js';
import { byId } from '../schemas/requests.js';
import { pageView } from '../views/paging.js';
import { idText, moment } from '../views/text.js';

const HEX = '[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}';

export const idIn = (text: string): string => (text === WANTED_ID ? text : uuidOfHex(hexOfUuid(text)));

export const listParams = Type.Object({
  id: Type.String({ pattern: `^(?:${WANTED_ID}|${HEX})$`, expected: `an id, or ${WANTED_ID}` }),
});

/** The id of a list that can be changed as a whole. */
const changeable = (text: string): string => {
  if (text === WANTED_ID)
    throw new AppError('BadRequest', 'The want-to-read list can be changed only through the native API.');
  return idIn(text);
};

const memberIds = Type.Array(Type.String({ pattern: `^${HEX}$`, expected: 'an id' }), { maxItems: 10_000 });

export interface ListRows {
  readonly kind: ListKind;
  readonly path: 'collections' | 'readlists';
  readonly members: 'seriesIds' | 'bookIds';
  /** The path at which a member tells what lists it is in. */
  readonly of: string;
  readonly read: Permission;
  readonly readMember: Permission;
  readonly write: Permission;
  readonly remove: Permission;
  readonly ordered: boolean;
  readonly list: TSchema;
  readonly page: TSchema;
}

const view = ({ members, kind }: ListRows, list: AppList) => ({
  id: list.id === WANTED_ID ? list.id : idText(list.id),
  name: list.name,
  ...(kind === 'read_list' ? { summary: list.summary } : {}),
  ordered: list.ordered,
  [members]: list.memberIds.map(idText),
  createdDate: moment(list.createdAt),
  lastModifiedDate: moment(list.updatedAt),
  filtered: false,
});

async function* textsOf(of: ListRows, lists: AsyncIterable<AppList>): AsyncGenerator<string> {
  for await (const list of lists) yield JSON.stringify(view(of, list));
}

/** Members in the order of their list, from either end. Other orders are those of all books or series. */
const MEMBER_SORTS: Readonly<Record<string, 'position'>> = {
  'collection.number': 'position',
  'readList.number': 'position',
};

export const memberOrder = (query: { readonly sort?: readonly string[] }): MemberOrder<'position'> =>
  orderIn(query, MEMBER_SORTS) ?? { sort: undefined, descending: false };

const SORTS: Readonly<Record<string, AppListSort>> = {
  name: 'name',
  createdDate: 'createdAt',
  created: 'createdAt',
  lastModifiedDate: 'updatedAt',
  lastModified: 'updatedAt',
};

/** Ids of another server name no library here. */
const librariesIn = (ids: readonly string[] | undefined): readonly string[] | undefined =>
  ids === undefined || ids.length === 0 ? undefined : ids.filter(isUuid);

const cover = async (of: ListRows, ctx: Ctx<Caller>, id: string) => {
  const { app, viewer, request } = ctx;
  const [parts, asked] = [partsFor(ctx), ask(request)];
  if (id !== WANTED_ID)
    return of.kind === 'collection'
      ? coverOfCollection(parts, app.pages, viewer, id, asked)
      : coverOfReadList(parts, app.pages, viewer, id, asked);
  const { memberIds } = await appList(parts, of.kind, viewer, id);
  return coverOfQueue(app.db, app.pages, { kind: of.kind, memberIds }, { viewer, ...asked });
};

const listQuery = Type.Object({
  ...pagingFields,
  ...sortField,
  search: Type.Optional(Type.String({ maxLength: 1000 })),
  library_id: ids,
});

const readRows = (of: ListRows): readonly Route[] => {
  const { word } = SHAPES[of.kind];
  const path = `/api/v1/${of.path}`;
  return [
    route({
      id: `comics.${of.path}.list`,
      method: 'GET',
      path,
      access: of.read,
      kept: true,
      query: listQuery,
      reply: ok(of.page),
      about: `Every ${word}: in the order asked for, or by name after the want-to-read list of the caller.`,
      run: async (ctx, { query }) => {
        const { window, isWhole } = requestedPage(query);
        const [start, count] = isWhole ? [0, 10_000] : [(window.page - 1) * window.pageSize, window.pageSize];
        const page = await appLists(partsFor(ctx), of.kind, ctx.viewer, {
          search: query.search,
          libraryIds: librariesIn(query.library_id),
          order: orderIn(query, SORTS),
          start,
          count,
        });
        const size = isWhole ? Math.max(page.total, window.pageSize) : window.pageSize;
        const shown = { page: isWhole ? 0 : window.page - 1, size, count: page.count, total: page.total };
        return arrayReply(pageView({ ...shown, isSorted: true }), textsOf(of, page.items()));
      },
    }),
    route({
      id: `comics.${of.path}.get`,
      method: 'GET',
      path: `${path}/{id}`,
      access: of.read,
      kept: true,
      params: listParams,
      reply: ok(of.list),
      about: `One ${word}.`,
      run: async (ctx, { params }) =>
        json(200, view(of, await appList(partsFor(ctx), of.kind, ctx.viewer, idIn(params.id)))),
    }),
    route({
      id: `comics.${of.path}.thumbnail`,
      method: 'GET',
      path: `${path}/{id}/thumbnail`,
      access: of.read,
      params: listParams,
      reply: IMAGE,
      fails: ['PreconditionFailed', ...FILE_FAULTS],
      about: `The cover of a ${word}, or of its first member.`,
      run: async (ctx, { params }) => contentReply(await cover(of, ctx, idIn(params.id)), ctx.request),
    }),
    route({
      id: `comics.${of.path}.of`,
      method: 'GET',
      path: `/api/v1/${of.of}/{id}/${of.path}`,
      access: [of.readMember, of.read],
      kept: true,
      params: byId,
      reply: ok(Type.Array(of.list)),
      about: `Every ${word} that contains this member.`,
      run: async (ctx, { params }) => {
        const lists = await appListsWith(partsFor(ctx), of.kind, ctx.viewer, params.id);
        return arrayReply([], textsOf(of, lists));
      },
    }),
  ];
};

interface Sent {
  readonly [field: string]: unknown;
  readonly name?: string;
  readonly summary?: string | null;
  readonly ordered?: boolean;
  readonly seriesIds?: readonly string[];
  readonly bookIds?: readonly string[];
}

const named = ({ members }: ListRows, sent: Sent): readonly Named[] | undefined =>
  sent[members === 'seriesIds' ? 'seriesIds' : 'bookIds']?.map((id, at) => ({
    id: idIn(id),
    path: `${members}[${at}]`,
  }));

const fieldsOf = ({ members }: ListRows) => ({
  summary: Type.Optional(Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()])),
  ordered: Type.Optional(Type.Boolean()),
  [members]: Type.Optional(memberIds),
});

const name = Type.String({ maxLength: 10_000, expected: 'text of 1 to 255 characters' });

const writeRows = (of: ListRows): readonly Route[] => {
  const { word } = SHAPES[of.kind];
  const path = `/api/v1/${of.path}`;
  return [
    route({
      id: `comics.${of.path}.create`,
      method: 'POST',
      path,
      access: of.write,
      body: Type.Object({ name, ...fieldsOf(of) }),
      reply: ok(of.list),
      fails: ['Conflict'],
      about: `Creates a ${word}.`,
      run: async (ctx, { body }) => {
        const sent: Sent & { readonly name: string } = body;
        const { app, viewer } = ctx;
        const wanted = { name: sent.name, summary: sent.summary, ordered: sent.ordered ?? of.ordered };
        const made = await createFilled(app.db, app.clock, of.kind, viewer, { ...wanted, members: named(of, sent) });
        return json(200, view(of, await appList(partsFor(ctx), of.kind, viewer, made.id)));
      },
    }),
    route({
      id: `comics.${of.path}.change`,
      method: 'PATCH',
      path: `${path}/{id}`,
      access: of.write,
      params: listParams,
      body: Type.Object({ name: Type.Optional(name), ...fieldsOf(of) }),
      reply: EMPTY,
      fails: ['Conflict'],
      about: `Changes a ${word}. Members that are named replace all present ones.`,
      run: async ({ app, viewer }, { params, body }) => {
        const sent: Sent = body;
        const change = { name: sent.name, summary: sent.summary, ordered: sent.ordered, members: named(of, sent) };
        await changeFilled(app.db, app.clock, of.kind, viewer, changeable(params.id), change);
        return noContent();
      },
    }),
    route({
      id: `comics.${of.path}.delete`,
      method: 'DELETE',
      path: `${path}/{id}`,
      access: of.remove,
      params: listParams,
      reply: EMPTY,
      about: `Deletes a ${word}. Its members are unaffected.`,
      run: async ({ app, viewer }, { params }) => {
        await deleteList(app.db, of.kind, viewer, changeable(params.id));
        return noContent();
      },
    }),
  ];
};

export const rowsOf = (of: ListRows): readonly Route[] => [...readRows(of), ...writeRows(of)];
