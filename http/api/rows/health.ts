// Whether the server answers. Public, and says nothing else; only administrators learn what is failing.
import type { App } from '../../../core/start.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { Health, HealthDetails } from '../schemas/health.js';

/** The server answers either way; degraded means that something is unavailable for now. */
const statusOf = (app: App): 'ok' | 'degraded' => {
  const { cache, database } = app.troubles();
  return cache === null && database === null ? 'ok' : 'degraded';
};

const row = (id: string, path: string): Route =>
  route({
    id,
    method: 'GET',
    path,
    access: 'public',
    reply: ok(Health),
    about: 'Whether the server answers; `degraded` while one of its own disks is full or failing.',
    run: ({ app }) => json(200, { status: statusOf(app) } satisfies Wire<typeof Health>),
  });

const details = route({
  id: 'health.details',
  method: 'GET',
  path: '/health/details',
  access: 'SystemAdmin',
  reply: ok(HealthDetails),
  about: 'What is failing at the moment, in sentences; null for what works.',
  run: ({ app, settings }) => {
    const shown: Wire<typeof HealthDetails> = {
      status: statusOf(app),
      version: settings.version,
      ...app.troubles(),
    };
    return json(200, shown);
  },
});

export const HEALTH_ROUTES: readonly Route[] = [row('health', '/health'), details];

/** The same at the root of the server, where probes and proxies look. */
export const ROOT_HEALTH = row('health.root', '/health');
