// For which libraries a person does not want to be asked again where titles and numbers should come from: one of their preferences.
import { preferencesList, preferencesPut } from './api.js';
import type { RequestOptions } from './lists.js';

const KEY = 'web.naming';

const answered = async (opts?: RequestOptions): Promise<readonly string[]> => {
  const { preferences } = await preferencesList(opts);
  const value: unknown = preferences.find(({ key }) => key === KEY)?.value;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
};

export const isAnswered = async (libraryId: string, opts: RequestOptions): Promise<boolean> =>
  (await answered(opts)).includes(libraryId);

export const answerOffer = async (libraryId: string): Promise<void> => {
  await preferencesPut({ key: KEY, body: { value: [...new Set([...(await answered()), libraryId])] } });
};
