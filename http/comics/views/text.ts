// Ids, times and sizes as the comic-server API writes them.
import { releaseDayOf } from '../../../core/catalog/release-date.js';
import { hexOfUuid } from '../../../core/model/ids.js';

/** Apps take a hyphen in an id for a separator. */
export const idText = (uuid: string): string => hexOfUuid(uuid);

const LAST_MS = Date.UTC(9999, 11, 31);

const clamped = (ms: number): number => Math.max(0, Math.min(ms, LAST_MS));

/** Without a fraction, which strict readers of dates refuse. */
export const moment = (ms: number): string => `${new Date(clamped(ms)).toISOString().slice(0, 19)}Z`;

/** A stored day: year, month and day as one number, with zeros for unknown parts. */
export const dateOrNull = (day: number | null): string | null =>
  day === null
    ? null
    : releaseDayOf({ year: Math.floor(day / 10_000), month: Math.floor(day / 100) % 100 || null, day: day % 100 });

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** As people read it: `35.5 KiB`. */
export const sizeText = (bytes: number): string => {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) [size, unit] = [size / 1024, unit + 1];
  return `${unit === 0 ? size : Number(size.toFixed(1))} ${UNITS[unit] ?? ''}`;
};
