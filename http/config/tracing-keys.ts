// The settings of traces (OpenTelemetry): where they go, how many there are, and what pages of the server may add.
import { headersIn } from '../../core/tracing/options.js';
import { flag, optional, ratio, secret, text } from './key-kinds.js';
import { ONE_LINE, type Shape } from './shapes.js';

/** What it says of itself goes into every trace: no name or password in it. */
const COLLECTOR: Shape = {
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#\\\\@]+(?:/[^\\s?#\\\\]*)?$',
  expects: 'an address that begins with http:// or https:// and has no @ ? or #, like http://localhost:4318',
  holds: (given) => URL.canParse(given),
};

export const TRACING_KEYS = {
  'tracing.endpoint': optional(
    'no tracing',
    'Address of an OpenTelemetry collector that accepts OTLP over HTTP; traces go to /v1/traces below it.',
    COLLECTOR,
  ),
  'tracing.headers': secret(
    'none',
    'Headers for the collector, such as an API key: name=value, separated by commas, values percent-encoded.',
    'headers like authorization=Bearer%20key,x-tenant=home',
    (given) => headersIn(given) !== null,
  ),
  'tracing.sample_ratio': ratio(
    1,
    'Share of requests and tasks that are sampled; a traceparent header decides only if a trusted proxy sends it.',
  ),
  'tracing.service_name': text('longbox', 'Name of this server in traces.', ONE_LINE),
  'tracing.browser': flag(false, 'Let signed-in pages send their own traces and metrics through this server.'),
  'tracing.browser_sample_ratio': ratio(0.1, 'Share of page loads that these pages are told to sample.'),
} as const;
