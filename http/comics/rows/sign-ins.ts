// When users signed in. Only the last time of each is stored, so each has one entry at most.
import Type from 'typebox';
import { listUsers, type UserRecord, userRecord } from '../../../core/access/user-records.js';
import { AppError } from '../../../core/model/errors.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { pagingFields, requestedPage } from '../query.js';
import { pageOf } from '../schemas/page.js';
import { byId } from '../schemas/requests.js';
import { SignIn } from '../schemas/user.js';
import { pageView } from '../views/paging.js';
import { idText, moment } from '../views/text.js';

const USERS = '/api/v2/users';
const USERS_MAX = 10_000;

const SignInPage = pageOf('ComicSignInPage', SignIn);
const pagingQuery = Type.Object(pagingFields);

const viewOf = ({ id, email, lastLoginAt }: UserRecord): readonly Wire<typeof SignIn>[] =>
  lastLoginAt === null
    ? []
    : [
        {
          userId: idText(id),
          email,
          apiKeyId: null,
          apiKeyComment: null,
          ip: null,
          userAgent: null,
          success: true,
          error: null,
          dateTime: moment(lastLoginAt),
          source: null,
        },
      ];

const answer = (query: Parameters<typeof requestedPage>[0], users: readonly UserRecord[]) => {
  const { page, pageSize } = requestedPage(query).window;
  const all = users.toSorted((a, b) => (b.lastLoginAt ?? 0) - (a.lastLoginAt ?? 0)).flatMap(viewOf);
  const content = all.slice((page - 1) * pageSize, page * pageSize);
  const wrapped = { page: page - 1, size: pageSize, count: content.length, total: all.length, isSorted: true };
  return json(200, { ...pageView(wrapped), content });
};

export const SIGN_IN_ROWS: readonly Route[] = [
  route({
    id: 'comics.sign-ins.list',
    method: 'GET',
    path: `${USERS}/authentication-activity`,
    access: 'UsersRead',
    administrator: true,
    query: pagingQuery,
    reply: ok(SignInPage),
    about: 'When each user signed in last, newest first.',
    run: async (ctx, { query }) =>
      answer(query, (await listUsers(listReads(ctx), {}, { page: 1, pageSize: USERS_MAX })).items),
  }),
  route({
    id: 'comics.sign-ins.own',
    method: 'GET',
    path: `${USERS}/me/authentication-activity`,
    access: 'user',
    query: pagingQuery,
    reply: ok(SignInPage),
    about: 'When the caller signed in last.',
    run: async (ctx, { query }) => answer(query, [await userRecord(ctx.app.db, ctx.caller.user.id)]),
  }),
  route({
    id: 'comics.sign-ins.latest',
    method: 'GET',
    path: `${USERS}/{id}/authentication-activity/latest`,
    access: 'UsersRead',
    administrator: true,
    params: byId,
    reply: ok(SignIn),
    about: 'When a user signed in last; 404 for one who never did.',
    run: async (ctx, { params }) => {
      const [latest] = viewOf(await userRecord(ctx.app.db, params.id));
      if (latest === undefined) throw new AppError('NotFound', 'This user has never signed in.');
      return json(200, latest);
    },
  }),
];
