// The latest log lines, for administrators.
import Type from 'typebox';
import { refuseLogToKey } from '../../../core/access/own-profile.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { actorOf } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { LEVELS, LogLines } from '../schemas/logs.js';
import { logLineView } from '../views/logs.js';

const COUNT = 200;
const COUNT_MAX = 1000;

export const LOG_ROUTES: readonly Route[] = [
  route({
    id: 'logs.list',
    method: 'GET',
    path: '/admin/logs',
    access: 'SystemAdmin',
    administrator: true,
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: COUNT_MAX, expected: `a whole number from 1 to ${COUNT_MAX}` }),
      ),
      level: Type.Optional(Type.Enum([...LEVELS])),
    }),
    reply: ok(LogLines),
    about: `The latest log lines since the server started, newest first: ${COUNT} by default; at most ${COUNT_MAX} lines and 1 MB are kept. level sets the minimum severity. Refused to API keys.`,
    run: (ctx, { query: { limit = COUNT, level = 'debug' } }) => {
      refuseLogToKey(actorOf(ctx));
      const severe = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
      const lines = ctx.settings.recentLog.last(COUNT_MAX).map(logLineView);
      const shown: Wire<typeof LogLines> = {
        lines: lines.filter((line) => severe.includes(line.level)).slice(0, limit),
      };
      return json(200, shown);
    },
  }),
];
