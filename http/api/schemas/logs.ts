// Log lines, as returned by the API.
import Type from 'typebox';
import { orNull, record, text, time, word } from '../../surface/wire.js';

export const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export const LogLines = record('LogLines', {
  lines: Type.Array(
    record('LogLine', {
      time: time(),
      level: word(LEVELS),
      message: text('SIGTERM: stopping'),
      facts: Type.Record(Type.String(), Type.Unknown(), { description: 'Structured fields of the line.' }),
      stack: orNull(text('Error: …', 'The stack trace of an error.')),
    }),
  ),
});
