// Tracing as it is configured: nothing at all, or the SDK behind our own small tracer.

import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { NO_TRACING } from '../model/tracing.js';
import { type CollectorNews, CollectorState } from './collector-state.js';
import type { TracingOptions } from './options.js';
import { Relay } from './relay.js';
import { type Tracer, tracerOf } from './tracer.js';

export interface Observability {
  readonly tracing: Tracer;
  readonly relay: Relay;
}

export interface OpenedTracing extends Observability {
  /** Sends what is waiting, for a short time. */
  stop(): Promise<void>;
}

const PACKAGES = ['api', 'exporter-trace-otlp-proto', 'resources', 'sdk-trace'].map((name) => `@opentelemetry/${name}`);
/** A collector that does not answer delays the end of the program by this much at most. */
const FLUSH_MS = 2000;

const OFF: Tracer = { ...NO_TRACING, root: () => null };

/** Of an `import`, and of the `require` that it is in the bundled program. */
const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

const load = () =>
  import('./otel.js').catch((thrown: unknown) => {
    if (!(thrown instanceof Error && 'code' in thrown && MISSING.has(thrown.code))) throw thrown;
    throw new AppError(
      'BadRequest',
      `tracing.endpoint is set, but the packages for tracing are not installed. Install them with npm ci, or with npm install ${PACKAGES.join(' ')}; or remove tracing.endpoint.`,
      null,
      thrown,
    );
  });

export const openTracing = async (
  options: TracingOptions,
  clock: Clock,
  news: CollectorNews,
): Promise<OpenedTracing> => {
  const relay = new Relay(options, clock);
  const { endpoint } = options;
  if (endpoint === null) return { tracing: OFF, relay, stop: async () => relay.stop() };
  const { openSdk } = await load();
  const state = new CollectorState(endpoint, news, clock.elapsed);
  const sdk = openSdk({
    ...options,
    endpoint,
    onSent: (spans, failure) => state.sent(spans, failure),
    onDropped: (spans) => state.dropped(spans),
  });
  return {
    tracing: tracerOf(sdk.open),
    relay,
    stop: async () => {
      relay.stop();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_MS);
      });
      const closed = sdk.close().catch(() => undefined); // what could not be sent was told by then
      await Promise.race([closed, late]).finally(() => clearTimeout(timer));
    },
  };
};
