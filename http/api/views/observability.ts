// What pages are told about tracing, in the wire format.
import type { Relay } from '../../../core/tracing/relay.js';
import type { Wire } from '../../surface/wire.js';
import type { BrowserObservability } from '../schemas/observability.js';

const PROXY_PATH = '/api/v1/observability/otlp';

export const browserObservabilityView = (
  { isOn, sampleRatio, serviceName }: Relay['offered'],
  subPath: string,
): Wire<typeof BrowserObservability> => ({
  enabled: isOn,
  proxyPath: `${subPath}${PROXY_PATH}`,
  sampleRatio,
  serviceName,
});
