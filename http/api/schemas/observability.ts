// What pages are told about tracing.
import { number, record, text, yes } from '../../surface/wire.js';

export const BrowserObservability = record('BrowserObservabilityConfigDto', {
  enabled: yes(false, 'Whether this server forwards traces and metrics of pages.'),
  proxyPath: text('/api/v1/observability/otlp', 'Where pages send them: /v1/traces and /v1/metrics below this path.'),
  sampleRatio: number(0.1, 'Share of page loads to sample.'),
  serviceName: text('longbox', 'Name of this server in traces.'),
});
