// The last lines of the log as answers show them.
import Type from 'typebox';
import { orNull, record, text, time, word } from '../../surface/wire.js';

export const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export const LogLines = record('LogLines', {
  lines: Type.Array(
    record('LogLine', {
      time: time(),
      level: word(LEVELS),
      message: text('SIGTERM: stopping'),
      facts: Type.Record(Type.String(), Type.Unknown(), { description: 'Names and numbers that belong to the line.' }),
      stack: orNull(text('Error: …', 'Where an error came from.')),
    }),
  ),
});
