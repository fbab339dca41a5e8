// The page window of a list, and the page it returns. Page numbers are 1-based.

export interface Window {
  readonly page: number;
  readonly pageSize: number;
}

export interface PageOf<T> extends Window {
  readonly items: readonly T[];
  readonly total: number;
}

/** Beyond the end of any list, and still an integer to SQLite. */
const OFFSET_MAX = 2 ** 50;

export const offsetOf = ({ page, pageSize }: Window): number => Math.min((page - 1) * pageSize, OFFSET_MAX);

export const totalPagesOf = (total: number, pageSize: number): number => Math.ceil(total / pageSize);
