// Ids, times and sizes as the comic-server API writes them.
import { hexOfUuid } from '../../../core/model/ids.js';

/** Apps take a hyphen in an id for a separator. */
export const idText = (uuid: string): string => hexOfUuid(uuid);

const two = (value: number): string => String(value).padStart(2, '0');

const LAST_MS = Date.UTC(9999, 11, 31);

const clamped = (ms: number): number => Math.max(0, Math.min(ms, LAST_MS));

/** Without a fraction, which strict readers of dates refuse. */
export const moment = (ms: number): string => `${new Date(clamped(ms)).toISOString().slice(0, 19)}Z`;

/** A stored day (year, month and day as one number); an unknown month or day is the first, a day beyond its month the last one. */
export const dateOrNull = (day: number | null): string | null => {
  if (day === null) return null;
  const [year, month] = [Math.floor(day / 10_000), Math.floor(day / 100) % 100 || 1];
  if (year < 1 || year > 9999 || month > 12) return null;
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  const inMonth = Math.min(day % 100 || 1, last.getUTCDate());
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(inMonth)}`;
};

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** As people read it: `35.5 KiB`. */
export const sizeText = (bytes: number): string => {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) [size, unit] = [size / 1024, unit + 1];
  return `${unit === 0 ? size : Number(size.toFixed(1))} ${UNITS[unit] ?? ''}`;
};
