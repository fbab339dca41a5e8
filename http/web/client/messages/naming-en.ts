// What is said about where titles and numbers come from, in English.
import { numbersIn } from './numbers.js';

const { number, counted } = numbersIn('en');

export const namingEn = {
  label: 'Titles and numbers',
  options: {
    metadata: 'Metadata, then file names',
    names: 'File names, in their order',
    other: 'As set by another app',
  },
  hint: 'Metadata is information stored in the files or next to them (ComicInfo, OPF).',
  examples: 'For example',
  byOrder: 'Numbers follow the order of the files in their folder.',
  changes: (changed: number, books: number): string =>
    `${number(changed)} of ${counted(books, 'book', 'books')} would get a different title or number.`,
  changesMore: (changed: number, books: number): string =>
    `${number(changed)} of the first ${counted(books, 'book', 'books')} would get a different title or number.`,
  none: 'No book would get a different title or number.',
  looking: 'Looking at the books …',
  applied:
    'When you save, this applies to new books at once. A deep scan then starts and applies it to all other books.',
  begun: (name: string): string =>
    `The books in ${name} are being read again. Their titles and numbers are updated along the way.`,
  offer: (changed: number): string =>
    `Titles here come from file names: ${counted(changed, 'book', 'books')} would get titles and numbers from metadata.`,
  show: 'Show what would change',
  decline: 'Leave as it is',
};

export type NamingMessages = typeof namingEn;

export const discardEn = {
  discardTitle: 'Discard your changes?',
  discardText: 'What you entered has not been saved.',
  discard: 'Discard',
  keep: 'Keep editing',
};
