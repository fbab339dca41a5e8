// One of the preferences that the server stores for a person and this client.
import { preferencesList } from './api.js';
import type { RequestOptions } from './lists.js';

/** Undefined if it is not set. Of all preferences, since asking for one that is not set is an error. */
export const preferenceValue = async (key: string, opts?: RequestOptions): Promise<unknown> => {
  const { preferences } = await preferencesList(opts);
  return preferences.find((one) => one.key === key)?.value;
};
