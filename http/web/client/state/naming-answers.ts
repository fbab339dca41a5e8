// For which libraries a person does not want to be asked again where titles and numbers should come from: one of their preferences.
import { preferencesPut } from './api.js';
import type { RequestOptions } from './lists.js';
import { preferenceValue } from './preference.js';

const KEY = 'web.naming';

const answered = async (opts?: RequestOptions): Promise<readonly string[]> => {
  const value = await preferenceValue(KEY, opts);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
};

export const isAnswered = async (libraryId: string, opts: RequestOptions): Promise<boolean> =>
  (await answered(opts)).includes(libraryId);

export const answerOffer = async (libraryId: string): Promise<void> => {
  await preferencesPut({ key: KEY, body: { value: [...new Set([...(await answered()), libraryId])] } });
};
