// The messages in the language of the page. `t` is set before the first screen is shown, and stays: another language loads the page again.
import { type Language, language } from '../state/appearance.js';
import { en, type Messages } from './en.js';
import { formatterIn } from './numbers.js';

export let t: Messages = en;

const OTHERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Messages>>> = {
  de: async () => (await import('./de.js')).de,
};

export const loadMessages = async (): Promise<void> => {
  document.documentElement.lang = language;
  if (language !== 'en') t = await OTHERS[language]();
};

/** As the browser's own region writes them, if it speaks the language. */
const locale = navigator.languages.find((one) => one.split('-')[0] === language) ?? language;

/** Created when it is first needed: loading the browser's locale data takes longer than starting the rest of the client. */
const lazy = <T>(create: () => T): (() => T) => {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
};

const dates = lazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
const times = lazy(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));
const clocks = lazy(() => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }));
const percents = lazy(() => new Intl.NumberFormat(locale, { style: 'percent' }));

export const numberText = formatterIn(locale);
export const dateText = (value: string | Date): string => dates().format(new Date(value));
export const timeText = (value: string | Date): string => times().format(new Date(value));
/** The time of the day. */
export const clockText = (value: string | Date): string => clocks().format(new Date(value));
export const percentText = (share: number): string => percents().format(share);

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export const bytesText = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const style = {
    style: 'unit',
    unit: UNITS[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  } as const;
  return new Intl.NumberFormat(locale, style).format(bytes / 1000 ** step);
};
