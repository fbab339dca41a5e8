// Cron patterns with time zones: when one is due next, and what is wrong with one that cannot be.
import { Cron } from 'croner';

/** Five fields, six with seconds before them, or seven with years behind them; no dates, which run once. */
const FIELDS = /^(?:@\w+|(?:\S+\s+){4,6}\S+)$/;

/** The first time after this one; null: never again. Throws for a pattern or zone that does not exist. */
export const nextRun = (pattern: string, zone: string, afterMs: number): number | null =>
  new Cron(pattern.trim(), { timezone: zone, paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null;

/** Undefined for a pattern that runs. */
export const patternFault = (pattern: string, nowMs: number): string | undefined => {
  if (!FIELDS.test(pattern.trim()))
    return 'must be a cron pattern of five fields (minute, hour, day, month, weekday), or with seconds before them';
  try {
    return nextRun(pattern, 'UTC', nowMs) === null ? 'names no time that will ever come' : undefined;
  } catch {
    return 'is not a valid cron pattern';
  }
};

export const zoneFault = (zone: string, nowMs: number): string | undefined => {
  try {
    if (zone.trim() !== zone || zone === '') throw new RangeError('no zone'); // taken for that of the machine
    nextRun('0 0 * * *', zone, nowMs);
    return undefined;
  } catch {
    return 'must be a time zone such as Europe/Berlin';
  }
};
