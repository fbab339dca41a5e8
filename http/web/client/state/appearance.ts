// Theme and language of this browser: stored here rather than on the server, since they depend on the screen and not on the person.
import { effect, signal } from '@preact/signals';
import { loadItem, saveItem } from './local-storage.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

const oneOf = <T extends string>(words: readonly T[], given: string | null): T | undefined =>
  words.find((word) => word === given);

const THEME = 'longbox.theme';
const LANGUAGE = 'longbox.language';

export const theme = signal<Theme>(oneOf(THEMES, loadItem(THEME)) ?? 'system');

export const chooseTheme = (chosen: Theme): void => {
  theme.value = chosen;
  saveItem(THEME, chosen);
};

/** The style sheet follows the attribute; without it, the system. */
export const applyTheme = (): void => {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
};

/** The chosen one, or the first of the browser's that we have. */
export const language: Language =
  oneOf(LANGUAGES, loadItem(LANGUAGE)) ??
  navigator.languages.map((one) => oneOf(LANGUAGES, one.split('-')[0] ?? null)).find((one) => one !== undefined) ??
  'en';

export const chooseLanguage = (chosen: Language): void => {
  saveItem(LANGUAGE, chosen);
  location.reload();
};
