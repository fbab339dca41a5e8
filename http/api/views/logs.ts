// Log lines in the wire format.
import type { LogLine } from '../../surface/recent-log.js';
import { LEVELS } from '../schemas/logs.js';
import { instant } from './time.js';

export const logLineView = ({ at, level, message, facts, stack }: LogLine) => ({
  time: instant(at),
  level: LEVELS.find((one) => one === level) ?? ('info' as const),
  message,
  facts: { ...facts },
  stack,
});
