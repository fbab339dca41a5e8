// Instants as clients write them (RFC 3339, or a date alone): one rule for every field that names an instant; and days of months. Pure.

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]((?:[01]\d|2[0-3]):\d{2}(?::\d{2}(?:\.\d+)?)?)([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** A parser may take the 31st of February for a day in March. */
const dayExists = (day: string): boolean => {
  const ms = Date.parse(day);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day);
};

/** Of a month counted from 1. */
export const lastDayOf = (year: number, month: number): number => {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
};

const zoneOf = (zone: string): string => (/^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone);

/** In milliseconds; undefined when the text is not an existing instant. Without a zone it is UTC, whatever the server's time zone. */
export const instantOf = (text: string): number | undefined => {
  const [, day, time = '00:00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (day === undefined || !dayExists(day)) return undefined;
  const ms = Date.parse(`${day}T${time}${zoneOf(zone.toUpperCase())}`);
  return Number.isFinite(ms) ? ms : undefined;
};
