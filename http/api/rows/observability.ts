// Traces and metrics of pages: what they are told, and where they send them. The server passes them on to its collector.
import { PROTOBUF, RELAYED_MAX_BYTES } from '../../../core/tracing/relay.js';
import { media, ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { BrowserObservability } from '../schemas/observability.js';
import { browserObservabilityView } from '../views/observability.js';

const passRow = (signal: 'traces' | 'metrics'): Route =>
  route({
    id: `observability.${signal}`,
    method: 'POST',
    path: `/observability/otlp/v1/${signal}`,
    access: 'user',
    raw: { type: PROTOBUF, maxBytes: RELAYED_MAX_BYTES },
    // An export response without a complaint is an empty message.
    reply: { 200: media(PROTOBUF) },
    fails: ['CollectorFailed', 'NotConfigured'],
    about: `Forwards the ${signal} of a page (an OTLP export request, at most 1 MiB) to the collector of this server, without the headers of the page.`,
    run: async ({ app, caller, request }) => {
      await app.relay.pass({
        signal,
        contentType: request.header('content-type'),
        contentEncoding: request.header('content-encoding'),
        body: request.body,
        user: caller.user.key,
      });
      return { status: 200, headers: [['Content-Type', PROTOBUF]], body: { kind: 'none' } };
    },
  });

export const OBSERVABILITY_ROUTES: readonly Route[] = [
  route({
    id: 'observability.config',
    method: 'GET',
    path: '/observability/config',
    access: 'user',
    reply: ok(BrowserObservability),
    about: 'Whether pages may send traces and metrics through this server, where to send them, and how many.',
    run: ({ app, settings }) => json(200, browserObservabilityView(app.relay.offered, settings.subPath)),
  }),
  passRow('metrics'),
  passRow('traces'),
];
