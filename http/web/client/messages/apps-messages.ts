// The messages of the screen for apps and keys, loaded with it.
import { type Language, language } from '../state/appearance.js';
import { type AppsMessages, appsEn } from './apps-en.js';

export let a: AppsMessages = appsEn;

const OTHERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<AppsMessages>>> = {
  de: async () => (await import('./apps-de.js')).appsDe,
};

export const loadAppsMessages = async (): Promise<void> => {
  if (language !== 'en') a = await OTHERS[language]();
};
