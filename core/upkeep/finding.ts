// The result of one check of the server's health: in words, with what to do about it.

export type Condition = 'ok' | 'warning' | 'failing';

export interface Finding {
  /** What was checked: `database`, `library "Comics"`. */
  readonly name: string;
  /** Warning: the server works, with less. Failing: something does not work. */
  readonly status: Condition;
  readonly message: string;
  /** What the owner can do; null when nothing has to be done. */
  readonly action: string | null;
}

export const fine = (name: string, message: string): Finding => ({ name, status: 'ok', message, action: null });

export const warning = (name: string, message: string, action: string): Finding => ({
  name,
  status: 'warning',
  message,
  action,
});

export const failing = (name: string, message: string, action: string): Finding => ({
  name,
  status: 'failing',
  message,
  action,
});

export const wordsOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** `2 s`, `5 min`, `3 h`. */
export const span = (ms: number): string => {
  if (ms < 2 * MINUTE_MS) return `${Math.max(1, Math.round(ms / 1000))} s`;
  return ms < 2 * HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${Math.round(ms / HOUR_MS)} h`;
};

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** `512 B`, `1.5 MB`. */
export const sizeInWords = (bytes: number): string => {
  const unit = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const amount = bytes / 1024 ** unit;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit]}`;
};
