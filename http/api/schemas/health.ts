// Whether the server answers, and what is failing.
import { orNull, record, text, word } from '../../surface/wire.js';

const status = word(['ok', 'degraded']);

export const Health = record('Health', { status });

export const HealthDetails = record('HealthDetails', {
  status,
  version: text('0.1.0'),
  cache: orNull(text('The disk of the data folder is full.')),
  database: orNull(text('The disk of the data folder is failing.')),
});
