// Times in feeds: RFC 3339 in UTC, in whole seconds.
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
