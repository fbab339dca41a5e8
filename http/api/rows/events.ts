// Server-sent events: changes in the catalog, background tasks, scans.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import type { StreamName } from '../../../core/events/news.js';
import type { Subscription } from '../../../core/events/subscription.js';
import { scansAsSeen } from '../../../core/scan/status.js';
import type { Reply } from '../../server/adapter.js';
import { eventStream } from '../../surface/replies.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import {
  type Form,
  KEEP_ALIVE,
  opening,
  pieceOf,
  readingPiece,
  resyncPiece,
  scanPiece,
  TOO_SLOW,
} from '../event-frames.js';
import { EVENTS } from '../schemas/events.js';

type Piece = Uint8Array | string;

const HEADERS: Reply['headers'] = [
  ['Content-Type', 'text/event-stream; charset=utf-8'],
  ['Cache-Control', 'no-cache'],
  // Otherwise nginx would hold events back until a buffer is full.
  ['X-Accel-Buffering', 'no'],
];

const LAST_ID_MAX = 100;

/** Scans that are already active come first. */
async function* activeScans({ app, viewer }: Ctx<Caller>, form: Form): AsyncGenerator<Piece> {
  for (const scan of await scansAsSeen(app, viewer, app.scans.active())) yield scanPiece(form, scan);
}

const formOf = (isUnnamed: boolean, { userKey, isAdministrator }: Subscription): Form => ({
  isUnnamed,
  userKey,
  isAdministrator,
});

async function* pieces(
  ctx: Ctx<Caller>,
  stream: StreamName,
  isUnnamed: boolean,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const { app, caller, request } = ctx;
  const lastId = request.header('last-event-id').slice(0, LAST_ID_MAX);
  const subscription = await app.events.subscribe(stream, caller, lastId, signal);
  const end = (): void => app.events.leave(subscription);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    yield opening({ isUnnamed }, subscription.lastId);
    if (stream === 'scans') yield* activeScans(ctx, formOf(isUnnamed, subscription));
    for (;;) {
      const taken = await subscription.next();
      const form = formOf(isUnnamed, subscription);
      if (taken.kind === 'over') return;
      if (taken.kind === 'news') yield pieceOf(taken.slice, form);
      else if (taken.kind === 'resync') yield resyncPiece(form, taken.id, app.clock.now());
      else if (taken.kind === 'reading') yield readingPiece(form, taken.news);
      else if (taken.kind === 'quiet') yield KEEP_ALIVE;
      else {
        yield TOO_SLOW;
        return;
      }
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

const DATA = {
  entities: [EVENTS.book, EVENTS.series, EVENTS.library, EVENTS.cover, EVENTS.read],
  tasks: [EVENTS.task],
  scans: [EVENTS.scan],
} as const;

const eventsRow = (path: string, stream: keyof typeof DATA, about: string): Route =>
  route({
    id: `${path.slice(1).replace('/', '.')}`,
    method: 'GET',
    path,
    access: 'LibrariesRead',
    query: Type.Object({ unnamed: Type.Optional(Type.Boolean()) }),
    reply: { 200: eventStream(...DATA[stream], EVENTS.resync) },
    fails: ['Overloaded'],
    about,
    run: (ctx, { query }) => {
      const isUnnamed = query.unnamed ?? ctx.app.settings.areEventsUnnamed;
      const open = (signal: AbortSignal): AsyncIterable<Piece> => pieces(ctx, stream, isUnnamed, signal);
      return { status: 200, headers: HEADERS, body: { kind: 'stream', isLive: true, open } };
    },
  });

const REPLAY =
  'With the header Last-Event-ID, missed events are replayed, or the event "resync" is sent if they are no longer available. unnamed omits event names and ids.';

export const EVENT_ROUTES: readonly Route[] = [
  eventsRow(
    '/events/stream',
    'entities',
    `Server-sent events for changes to books, series, libraries and covers that the caller may see, and to the reading progress of the caller. Of more than 1,000 events of a type within two seconds about a library, the rest are one library_updated. ${REPLAY}`,
  ),
  eventsRow('/tasks/stream', 'tasks', `Server-sent events for the progress of background tasks. ${REPLAY}`),
  eventsRow(
    '/scans/stream',
    'scans',
    `Server-sent events for the progress of scans, starting with the active ones. ${REPLAY}`,
  ),
];
