// Families as text, in the exposition formats of Prometheus and OpenMetrics. Only importer of prom-client, whose own counters would look up
// labels at each request: it is given finished values.
import { type Metric, Registry, type RegistryContentType } from 'prom-client';
import type { Exposition, TextFormat } from '../surface/exposition.js';
import type { Family } from './family.js';

/** In OpenMetrics a family of counters is named without the ending of its samples, which the library adds. */
const named = (family: Family, format: TextFormat): Family =>
  format === 'openmetrics' && family.type === 'counter'
    ? { ...family, name: family.name.replace(/_total$/, '') }
    : family;

export const textOf = async (families: readonly Family[], format: TextFormat): Promise<Exposition> => {
  const registry = new Registry<RegistryContentType>();
  if (format === 'openmetrics') registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const family of families) {
    const made = named(family, format);
    // The library asks for no more than this of a metric, but its type names a class.
    registry.registerMetric({ ...made, get: () => Promise.resolve(made) } as unknown as Metric);
  }
  return { type: registry.contentType, text: await registry.metrics() };
};
