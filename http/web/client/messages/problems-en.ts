// What is said about files that cannot be read, and about the ends of scans, in English.
import { numbersIn } from './numbers.js';

const { number, counted } = numbersIn('en');

export const problemsEn = {
  title: 'Problems with files',
  none: 'All files can be read, and no problems were found.',
  lead: 'Files are never changed. Replace a damaged file with a good copy; the next scan will notice.',
  unreadable: (count: number): string => `${counted(count, 'book', 'books')} cannot be read`,
  /** Follows the number of books. */
  among: (count: number): string => `${number(count)} cannot be read`,
  cannotBeRead: 'Cannot be read',
  canBeRead: 'Can be read, with problems',
  retry: 'Try again',
  retryOf: (title: string): string => `Try again: ${title}`,
  retryAll: 'Try all again',
  begun: (count: number): string => `${counted(count, 'file is', 'files are')} being read again.`,
  more: 'Show more',
  kinds: {
    format_detection: 'Name and content differ',
    parser: 'Reading the file',
    metadata: 'Metadata',
    thumbnail: 'Cover',
    page_extraction: 'Pages',
    pdf_rendering: 'Pages of PDF documents',
    zero_pages: 'No pages',
    other: 'Other',
  },
  nothingNew: 'Nothing new',
  isNew: (count: number): string => `${number(count)} new`,
  changed: (count: number): string => `${number(count)} changed`,
  gone: (count: number): string => `${number(count)} gone`,
  stopped: 'The scan was stopped.',
  failed: 'The scan failed.',
};

export type ProblemMessages = typeof problemsEn;
