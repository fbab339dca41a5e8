// The page window of a list and what comes back. Page numbers are 1-based.

export interface Window {
  readonly page: number;
  readonly pageSize: number;
}

export interface PageOf<T> extends Window {
  readonly items: readonly T[];
  readonly total: number;
}

export const offsetOf = ({ page, pageSize }: Window): number => (page - 1) * pageSize;

export const totalPagesOf = (total: number, pageSize: number): number => Math.ceil(total / pageSize);
