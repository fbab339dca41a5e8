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
  hint: 'Metadata is what files say about themselves (ComicInfo, OPF).',
  examples: 'For example',
  byOrder: 'Numbers follow the order of the files in their folder.',
  changes: (changed: number, books: number): string =>
    `${number(changed)} of ${counted(books, 'book', 'books')} would be called or numbered differently.`,
  changesMore: (changed: number, books: number): string =>
    `${number(changed)} of the first ${counted(books, 'book', 'books')} would be called or numbered differently.`,
  none: 'No book would be called or numbered differently.',
  looking: 'Looking at the books …',
  applied:
    'When you save, new books are named this way at once. All others follow after a deep scan, which starts now.',
  begun: (name: string): string => `The books of ${name} are being read again. Titles and numbers change as they are.`,
  offer: (changed: number): string =>
    `The files say more than is shown: ${counted(changed, 'book', 'books')} would get titles and numbers from metadata.`,
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
