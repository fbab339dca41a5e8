// Server-sent events under the names that apps of the comic-server API know.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import type { News } from '../../../core/events/news.js';
import { countTasks } from '../../../core/scan/visible-tasks.js';
import { eventStream } from '../../surface/replies.js';
import { listReads } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { eventOf, expiredOf, frameOf, queueOf } from '../views/events.js';

const HEADERS = [
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'no-cache'],
  // Otherwise nginx would hold events back until a buffer is full.
  ['X-Accel-Buffering', 'no'],
] as const;

const COMMENT = ':\n\n';

const framesOf = (told: readonly { readonly news: News }[]): string =>
  told
    .flatMap(({ news }) => eventOf(news))
    .map(frameOf)
    .join('');

/** Apps reload what they show when they connect, so nothing earlier is sent, and a client too far behind connects again. */
async function* pieces(ctx: Ctx<Caller>, signal: AbortSignal): AsyncGenerator<string> {
  const { app, caller, viewer } = ctx;
  const subscription = await app.events.subscribe('apps', caller, '', signal);
  const end = (): void => app.events.leave(subscription);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  let lastQueue = '';
  /** For administrators, when it has changed. */
  const queue = async (): Promise<string> => {
    if (!viewer.administers) return '';
    const text = frameOf(queueOf(await countTasks(listReads(ctx), viewer, app.clock.now())));
    const isNew = text !== lastQueue;
    lastQueue = text;
    return isNew ? text : '';
  };
  try {
    yield COMMENT + (await queue());
    for (;;) {
      const taken = await subscription.next();
      if (taken.kind === 'over' || taken.kind === 'slow') return;
      const text = taken.kind === 'news' ? framesOf(taken.slice.told) : COMMENT;
      const more = await queue();
      if (text + more !== '') yield text + more;
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

export const EVENT_ROWS: readonly Route[] = [
  route({
    id: 'comics.events',
    method: 'GET',
    path: '/sse/v1/events',
    access: 'LibrariesRead',
    reply: { 200: eventStream(Type.Object({})) },
    fails: ['Overloaded'],
    about: 'Server-sent events for changes that the caller may see.',
    run: (ctx) => ({
      status: 200,
      headers: HEADERS,
      body: {
        kind: 'stream',
        isLive: true,
        open: (signal: AbortSignal) => pieces(ctx, signal),
        farewell: frameOf(expiredOf(ctx.caller.user.id)),
      },
    }),
  }),
];
