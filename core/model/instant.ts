// Instants as clients write them (RFC 3339, or a day alone): one rule for everything that names a moment. Pure.

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]((?:[01]\d|2[0-3]):\d{2}(?::\d{2}(?:\.\d+)?)?)([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** A parser may take the 31st of February for a day in March. */
const dayExists = (day: string): boolean => {
  const ms = Date.parse(day);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day);
};

const zoneOf = (zone: string): string => (/^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone);

/** In milliseconds; undefined when the text names no moment there is. Without a zone it is UTC, whatever the server's clock shows. */
export const instantOf = (text: string): number | undefined => {
  const [, day, time = '00:00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (day === undefined || !dayExists(day)) return undefined;
  const ms = Date.parse(`${day}T${time}${zoneOf(zone.toUpperCase())}`);
  return Number.isFinite(ms) ? ms : undefined;
};
