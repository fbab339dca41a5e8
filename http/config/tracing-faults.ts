// What is wrong with the settings of traces taken together.
import type { Config } from './config-keys.js';

export const tracingFaults = ({ tracing }: Config): readonly string[] =>
  tracing.browser && tracing.endpoint === null
    ? ['tracing.browser needs tracing.endpoint: the collector to which data from pages is forwarded.']
    : [];
