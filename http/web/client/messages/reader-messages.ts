// The messages of the reader, loaded with it. `r` is set before a book is shown.
import { type Language, language } from '../state/appearance.js';
import { type ReaderMessages, readerEn } from './reader-en.js';

export let r: ReaderMessages = readerEn;

const OTHERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<ReaderMessages>>> = {
  de: async () => (await import('./reader-de.js')).readerDe,
};

export const loadReaderMessages = async (): Promise<void> => {
  if (language !== 'en') r = await OTHERS[language]();
};
