// Whether the server is alive, whether it is ready, and what is failing. Only administrators learn the last.
import type { App } from '../../../core/start.js';
import { media, ok } from '../../surface/replies.js';
import { json, plain } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { Health, HealthDetails } from '../schemas/health.js';

const statusOf = ({ health }: App): 'ok' | 'degraded' => (health.isDegraded ? 'degraded' : 'ok');

const summary = route({
  id: 'health',
  method: 'GET',
  path: '/health',
  access: 'public',
  reply: { ...ok(Health), 503: Health },
  about:
    'Whether the server works; `degraded` while one of its own disks is full or failing. 503 if the database cannot be read.',
  run: async ({ app, settings }) => {
    const canRead = await app.health.canRead();
    const shown: Wire<typeof Health> = {
      status: canRead ? statusOf(app) : 'degraded',
      version: settings.version,
      database: canRead ? 'ok' : 'failing',
    };
    return json(canRead ? 200 : 503, shown);
  },
});

const details = route({
  id: 'health.details',
  method: 'GET',
  path: '/health/details',
  access: 'SystemAdmin',
  reply: ok(HealthDetails),
  about: 'What works, what does not, and what to do about it, in sentences. Answers within two seconds.',
  run: async ({ app, viewer, settings }) => {
    const checks = await app.health.find(viewer);
    const shown: Wire<typeof HealthDetails> = {
      status: statusOf(app),
      version: settings.version,
      ...app.health.troubles(),
      checks: checks.map((one) => ({ ...one })),
    };
    return json(200, shown);
  },
});

export const HEALTH_ROUTES: readonly Route[] = [summary, details];

const probe = (id: string, path: string, about: string, isWell: (app: App) => boolean | Promise<boolean>): Route =>
  route({
    id,
    method: 'GET',
    path,
    access: 'public',
    reply: { 200: media('text/plain'), 503: media('text/plain') },
    about,
    run: async ({ app }) => ((await isWell(app)) ? plain(200, 'OK') : plain(503, 'Service Unavailable')),
  });

/** At the root of the server, where probes and proxies look. */
export const ROOT_HEALTH: readonly Route[] = [
  probe('health.root', '/health', '`OK`, or 503 if the database cannot be read or the server is stopping.', (app) =>
    app.health.canRead(),
  ),
  probe(
    'health.live',
    '/health/live',
    'Liveness probe: `OK` as long as the process answers at all; if it does not, restart it.',
    () => true,
  ),
  probe(
    'health.ready',
    '/health/ready',
    'Readiness probe: `OK`, or 503 while no requests should be sent here: the database cannot be read or written, no worker thread starts, or the server is stopping.',
    (app) => app.health.isReady(),
  ),
];
