// Cron patterns with time zones: when a pattern is next due, and why a pattern is invalid.
import { Cron } from 'croner';

/** Five fields, six with leading seconds, or seven with trailing years; no single dates, which would run once. */
const FIELDS = /^(?:@\w+|(?:\S+\s+){4,6}\S+)$/;

/** A field for seconds that names several of them. Nothing that is scheduled here is worth more than one run a minute. */
const MANY_SECONDS = /^(?!\d{1,2}\s)\S+\s+(?:\S+\s+){4,5}\S+$/;

/** The next time after this one, or null if there is none. Throws for an invalid pattern or zone. */
export const nextRun = (pattern: string, zone: string, afterMs: number): number | null =>
  new Cron(pattern.trim(), { timezone: zone, paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null;

/** Undefined for a valid pattern. */
export const patternFault = (pattern: string, nowMs: number): string | undefined => {
  if (!FIELDS.test(pattern.trim()))
    return 'must be a cron pattern of five fields (minute, hour, day, month, weekday), optionally preceded by seconds';
  if (MANY_SECONDS.test(pattern.trim()))
    return 'must not run more often than once a minute: if there is a field for seconds, give it one number';
  try {
    return nextRun(pattern, 'UTC', nowMs) === null ? 'matches no future time' : undefined;
  } catch {
    return 'is not a valid cron pattern';
  }
};

export const zoneFault = (zone: string, nowMs: number): string | undefined => {
  try {
    if (zone.trim() !== zone || zone === '') throw new RangeError('no zone'); // croner would use the zone of the machine
    nextRun('0 0 * * *', zone, nowMs);
    return undefined;
  } catch {
    return 'must be a time zone such as Europe/Berlin';
  }
};
