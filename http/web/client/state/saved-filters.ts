// Filters that a person saved under a name: one of their preferences, so that each of their devices has them.
import { preferencesPut } from './api.js';
import type { WallOf } from './filters.js';
import type { RequestOptions } from './lists.js';
import { preferenceValue } from './preference.js';

export interface SavedFilter {
  readonly name: string;
  readonly of: WallOf;
  /** As it stands in the address. */
  readonly filter: string;
}

const KEY = 'web.filters';
export const SAVED_MAX = 50;

const isSaved = (one: unknown): one is SavedFilter => {
  if (typeof one !== 'object' || one === null) return false;
  const { name, of, filter } = one as Partial<SavedFilter>;
  return typeof name === 'string' && typeof filter === 'string' && (of === 'series' || of === 'books');
};

export const savedFilters = async (opts: RequestOptions): Promise<readonly SavedFilter[]> => {
  const value = await preferenceValue(KEY, opts);
  return Array.isArray(value) ? value.filter(isSaved) : [];
};

export const storeFilters = async (filters: readonly SavedFilter[]): Promise<void> => {
  await preferencesPut({ key: KEY, body: { value: filters } });
};
