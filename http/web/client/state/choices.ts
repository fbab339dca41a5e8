// What this browser is to look like: kept in the browser, since it is about the screen and not about the person.
import { effect, signal } from '@preact/signals';
import { keep, kept } from './kept.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

const oneOf = <T extends string>(words: readonly T[], given: string | null): T | undefined =>
  words.find((word) => word === given);

const THEME = 'longbox.theme';
const LANGUAGE = 'longbox.language';

export const theme = signal<Theme>(oneOf(THEMES, kept(THEME)) ?? 'system');

export const chooseTheme = (chosen: Theme): void => {
  theme.value = chosen;
  keep(THEME, chosen);
};

/** The style sheet follows the attribute; without it, the system. */
export const followTheme = (): void => {
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
};

/** The chosen one, or the first of the browser's that we have. */
export const language: Language =
  oneOf(LANGUAGES, kept(LANGUAGE)) ??
  navigator.languages.map((one) => oneOf(LANGUAGES, one.split('-')[0] ?? null)).find((one) => one !== undefined) ??
  'en';

export const chooseLanguage = (chosen: Language): void => {
  keep(LANGUAGE, chosen);
  location.reload();
};
