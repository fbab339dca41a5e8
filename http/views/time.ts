// Times on the wire: RFC 3339 in UTC. Internally they are milliseconds since the epoch.

export const instant = (ms: number): string => new Date(ms).toISOString();

export const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms));
