// Rows that collections and read lists share: the lists themselves, and adding, ordering and removing members.

import Type, { type TSchema } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { automaticSeen, refuseUnseen, withCounts } from '../../../core/catalog/collections/automatic.js';
import { type ListKind, SHAPES } from '../../../core/catalog/collections/kinds.js';
import {
  allLists,
  changeList,
  createList,
  deleteList,
  type List,
  listById,
} from '../../../core/catalog/collections/lists.js';
import {
  addMembers,
  MEMBERS_MAX,
  type Named,
  orderMembers,
  removeMember,
} from '../../../core/catalog/collections/members.js';
import { AppError } from '../../../core/model/errors.js';
import type { Permission } from '../../../core/model/permissions.js';
import type { RowKind } from '../../../core/model/row-kind.js';
import type { Viewer } from '../../../core/model/viewer.js';
import type { Reply } from '../../server/adapter.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { byId, SOME_ID, uuid } from '../../surface/schemas.js';
import { pagingFields, pagingQuery, sortFields, wholeWindow } from '../schemas/fields.js';
import { itemsReply } from '../views/paging.js';

export interface ListRows {
  readonly kind: ListKind;
  /** Path of the lists, and of the members of one. */
  readonly path: string;
  readonly members: string;
  readonly read: Permission;
  /** Deleting a list changes none of its members, so it requires no more than changing the list. */
  readonly write: Permission;
  readonly remove: Permission;
  /** Whether a list is ordered if its creator does not say. */
  readonly ordered: boolean;
  /** Body fields beyond those that both kinds have. */
  readonly fields: { readonly condition?: TSchema };
  /** The schema of what `view` returns, and of a page of them. */
  readonly list: TSchema;
  readonly items: TSchema;
  readonly view: (list: List, viewer: Viewer) => object;
}

const SUMMARY_MAX = 100_000;

export const UNPAGED = 'up to 500, or one page of them if page or pageSize is given.';

/** Core checks the length and what counts as blank; this only refuses absurd values. */
const name = Type.String({ maxLength: 10_000, expected: 'text of 1 to 255 characters' });

const settable = {
  summary: Type.Optional(
    Type.Union([Type.String({ maxLength: SUMMARY_MAX }), Type.Null()], {
      expected: `text of at most ${SUMMARY_MAX} characters, or null`,
    }),
  ),
  ordered: Type.Optional(Type.Boolean({ expected: 'true or false' })),
};

const wordsOf = ({ path, kind }: ListRows) => ({ ...SHAPES[kind], label: path.slice(1), one: `${path}/{id}` });

/** One list as the requesting user sees it, with the matches of its condition counted. */
const listReply = async (of: ListRows, ctx: Ctx<Caller>, status: number, list: List): Promise<Reply> => {
  const counted = await withCounts(partsFor(ctx), ctx.viewer, [list]);
  return json(status, counted.map((one) => of.view(one, ctx.viewer))[0]);
};

const readRows = (of: ListRows): readonly Route[] => {
  const { label, one, word } = wordsOf(of);
  return [
    route({
      id: `${label}.list`,
      method: 'GET',
      path: of.path,
      access: of.read,
      kept: true,
      query: pagingQuery,
      reply: ok(of.items),
      about: `Every ${word}, by name, as {"items": [...], "total": n}; ${UNPAGED} Restricted users who may not change any get only those that show them something.`,
      run: async (ctx, { query }) => {
        const { viewer } = ctx;
        const parts = partsFor(ctx);
        const automatic = await automaticSeen(parts, of.kind, viewer);
        const found = await allLists(parts, of.kind, viewer, wholeWindow(query), { automatic });
        const items = await withCounts(parts, viewer, found.items);
        return itemsReply(ctx, { ...found, items }, (list) => of.view(list, viewer));
      },
    }),
    route({
      id: `${label}.get`,
      method: 'GET',
      path: one,
      access: of.read,
      kept: true,
      params: byId,
      reply: ok(of.list),
      about: `One ${word}.`,
      run: async (ctx, { params }) => {
        const list = await listById(listReads(ctx), of.kind, ctx.viewer, params.id);
        await refuseUnseen(partsFor(ctx), ctx.viewer, list);
        return listReply(of, ctx, 200, list);
      },
    }),
  ];
};

const byCondition = (of: ListRows): string =>
  SHAPES[of.kind].conditional ? ', or one filled by a condition (as in /series/list)' : '';
const conditionChange = (of: ListRows): string =>
  SHAPES[of.kind].conditional ? ' and condition; setting a condition drops manually added members' : '';

const createRow = (of: ListRows): Route => {
  const { label, word } = wordsOf(of);
  return route({
    id: `${label}.create`,
    method: 'POST',
    path: of.path,
    access: of.write,
    body: Type.Object({ name, ...settable, ...of.fields }),
    example: { name: 'Fog and sea', summary: 'What to read in November', ordered: true, condition: undefined },
    reply: made(of.list),
    fails: ['Conflict'],
    about: `Creates an empty ${word}${byCondition(of)}. Names are unique, ignoring case. By default it is ${of.ordered ? 'ordered' : 'not ordered'}.`,
    run: async (ctx, { body }) => {
      const { app, viewer } = ctx;
      const wanted = { ...body, ordered: body.ordered ?? of.ordered };
      const made = await createList(app.db, app.clock, of.kind, viewer, wanted);
      return listReply(of, ctx, 201, made);
    },
  });
};

const changeRow = (of: ListRows): Route => {
  const { label, one, word } = wordsOf(of);
  return route({
    id: `${label}.patch`,
    method: 'PATCH',
    path: one,
    access: of.write,
    params: byId,
    body: Type.Object({ name: Type.Optional(name), ...settable, ...of.fields }),
    example: { name: 'Fog, sea and ice', summary: null, condition: undefined },
    reply: ok(of.list),
    fails: ['Conflict'],
    about: `Changes a ${word}: an absent field stays unchanged, null clears summary${conditionChange(of)}.`,
    run: async (ctx, { params, body }) => {
      const { app, viewer } = ctx;
      const changed = await changeList(app.db, app.clock, of.kind, viewer, params.id, body);
      return listReply(of, ctx, 200, changed);
    },
  });
};

const deleteRow = (of: ListRows): Route => {
  const { label, one, word } = wordsOf(of);
  return route({
    id: `${label}.delete`,
    method: 'DELETE',
    path: one,
    access: of.remove,
    params: byId,
    reply: EMPTY,
    about: `Deletes a ${word}, but not its members.`,
    run: async ({ app, viewer }, { params }) => {
      await deleteList(app.db, of.kind, viewer, params.id);
      return noContent();
    },
  });
};

const idList = Type.Array(uuid, { maxItems: MEMBERS_MAX, expected: `a list of at most ${MEMBERS_MAX} uuids` });

/** Several ids or one. The field names depend on the kind; validation has ensured that the values are ids. */
const namedIn = (
  member: RowKind,
  body: { readonly [field: string]: string | readonly string[] | undefined },
): readonly Named[] => {
  const field = `${member}Ids`;
  const [many, one] = [body[field], body[`${member}Id`]];
  if (Array.isArray(many)) return many.map((id: string, at) => ({ id, path: `${field}[${at}]` }));
  if (typeof one === 'string') return [{ id: one, path: `${member}Id` }];
  throw new AppError('BadRequest', `The body must have ${field} (or ${member}Id).`, [
    { path: field, message: 'is required' },
  ]);
};

const addRow = (of: ListRows): Route => {
  const { label, one, word, member } = wordsOf(of);
  return route({
    id: `${label}.${of.members}.add`,
    method: 'POST',
    path: `${one}/${of.members}`,
    access: of.write,
    params: byId,
    body: Type.Object({ [`${member}Ids`]: Type.Optional(idList), [`${member}Id`]: Type.Optional(uuid) }),
    example: { [`${member}Ids`]: [SOME_ID] },
    reply: ok(of.list),
    fails: ['Conflict'],
    about: `Appends ${of.members} to a ${word}, by {"${member}Ids": [ids]} or {"${member}Id": id}; existing members stay in place.`,
    run: async ({ app, viewer }, { params, body }) => {
      const named = namedIn(member, body);
      return json(200, of.view(await addMembers(app.db, app.clock, of.kind, viewer, params.id, named), viewer));
    },
  });
};

const orderRow = (of: ListRows): Route => {
  const { label, one, word, member } = wordsOf(of);
  return route({
    id: `${label}.${of.members}.order`,
    method: 'PUT',
    path: `${one}/${of.members}`,
    access: of.write,
    params: byId,
    body: Type.Object({ [`${member}Ids`]: idList }),
    example: { [`${member}Ids`]: [SOME_ID] },
    reply: EMPTY,
    fails: ['Conflict'],
    about: `Sets the order of the ${of.members} in a ${word}, by {"${member}Ids": [ids]}; those not listed follow in their old order.`,
    run: async ({ app, viewer }, { params, body }) => {
      const named = namedIn(member, body);
      await orderMembers(app.db, app.clock, of.kind, viewer, params.id, named);
      return noContent();
    },
  });
};

const removeRow = (of: ListRows): Route => {
  const { label, one, word } = wordsOf(of);
  return route({
    id: `${label}.${of.members}.remove`,
    method: 'DELETE',
    path: `${one}/${of.members}/{member_id}`,
    access: of.write,
    params: Type.Object({ id: uuid, member_id: uuid }),
    reply: EMPTY,
    fails: ['Conflict'],
    about: `Removes one of the ${of.members} from a ${word}; also succeeds when it is not a member.`,
    run: async ({ app, viewer }, { params }) => {
      await removeMember(app.db, app.clock, of.kind, viewer, params.id, params.member_id);
      return noContent();
    },
  });
};

/** Aliases of sorts. */
const ALIASES = { manual: 'position', release_date: 'release' } as const;

export const memberQuery = (sorts: readonly string[]) =>
  Type.Object({
    ...pagingFields,
    direction: Type.Optional(Type.Enum(['asc', 'desc'])),
    ...sortFields(
      Object.fromEntries([
        ...sorts.map((sort) => [sort, sort]),
        ...Object.entries(ALIASES).filter(([, of]) => sorts.includes(of)),
      ]),
    ),
  });

export const memberOrder = <S extends string>(
  query: { readonly sort?: string; readonly order?: string; readonly direction?: string },
  sorts: readonly S[],
): { readonly sort: S | undefined; readonly descending: boolean } => {
  const [field = '', direction] = query.sort?.split(',') ?? [];
  const meant = new Map<string, string>(Object.entries(ALIASES)).get(field) ?? field;
  return {
    sort: sorts.find((name) => name === meant),
    descending: (direction ?? query.direction ?? query.order ?? 'asc').toLowerCase() === 'desc',
  };
};

export const listRows = (of: ListRows): readonly Route[] => [
  ...readRows(of),
  createRow(of),
  changeRow(of),
  deleteRow(of),
  addRow(of),
  orderRow(of),
  removeRow(of),
];
