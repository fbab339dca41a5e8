// The audit log, for administrators.
import Type from 'typebox';
import { ACTIONS, auditEntries } from '../../../core/access/audit.js';
import { ok } from '../../surface/replies.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { uuid } from '../../surface/schemas.js';
import { pagingFields, timeField, timeIn, windowOf } from '../schemas/fields.js';
import { AuditPage } from '../schemas/users.js';
import { pageReply } from '../views/paging.js';
import { auditView } from '../views/users.js';

export const AUDIT_ROUTES: readonly Route[] = [
  route({
    id: 'audit.list',
    method: 'GET',
    path: '/admin/audit',
    access: 'SystemAdmin',
    administrator: true,
    query: Type.Object({
      ...pagingFields,
      action: Type.Optional(Type.Enum([...ACTIONS])),
      actor: Type.Optional(uuid),
      target: Type.Optional(uuid),
      from: Type.Optional(timeField),
      to: Type.Optional(timeField),
    }),
    reply: ok(AuditPage),
    about:
      'Who changed which account, with which key, from where and when; the newest first, for 180 days. From `from` on, and before `to`.',
    run: async (ctx, { query }) => {
      const { action, actor, target } = query;
      const times = { from: timeIn(query, ['from']), to: timeIn(query, ['to']) };
      const filter = { action, actorId: actor, targetId: target, ...times };
      return pageReply(ctx, await auditEntries(listReads(ctx), filter, windowOf(query)), auditView);
    },
  }),
];
