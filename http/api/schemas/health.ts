// Whether the server works, and what is failing.
import Type from 'typebox';
import { orNull, record, text, word } from '../../surface/wire.js';

const status = word(
  ['ok', 'degraded'],
  "Degraded: one of the server's own disks is full or failing, or the server is stopping.",
);
const version = text('0.1.0');

export const Health = record('Health', {
  status,
  version,
  database: word(['ok', 'failing'], 'Whether the database can be read.'),
});

const HealthCheck = record('HealthCheck', {
  name: text('library "Comics"'),
  status: word(
    ['ok', 'warning', 'failing'],
    'Warning: the server works, but with limitations. Failing: something does not work.',
  ),
  message: text('The folder /media/comics does not exist.'),
  action: orNull(text('Check that the disk or network share is connected and mounted at this folder.', 'What to do.')),
});

export const HealthDetails = record('HealthDetails', {
  status,
  version,
  cache: orNull(text('The disk of the data folder is full.')),
  database: orNull(text('The disk of the data folder is failing.')),
  checks: Type.Array(HealthCheck, { description: 'Libraries are included only if you see them.' }),
});
