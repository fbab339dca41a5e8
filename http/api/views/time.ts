// Times on the wire: RFC 3339 in UTC. Internally they are milliseconds since the epoch.

const DAY_MS = 86_400_000;

/** The day that was written last: the rows of a list were mostly added on few days. */
let day = Number.NaN;
let dayText = '';

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** Like `toISOString`, which takes some five times as long: a list writes over a hundred of them. */
export const instant = (ms: number): string => {
  const days = Math.floor(ms / DAY_MS);
  if (days !== day) {
    dayText = new Date(days * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    day = days;
  }
  const rest = Math.trunc(ms) - days * DAY_MS;
  const seconds = Math.floor(rest / 1000);
  const fraction = String((rest % 1000) + 1000).slice(1);
  return `${dayText}${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${fraction}Z`;
};

export const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms));
