// What a list of pages means for its book: whether it can be read at all, and what is worth a remark. Pure.
import { AppError, type Fault, faultOf } from './errors.js';
import { groupedBy } from './grouped.js';
import type { Note, PageEntry } from './jobs.js';
import { mediaOf } from './media.js';
import { faultNumber, METHOD, PAGE_FAULTS } from './page-table.js';

type Judged = Pick<PageEntry, 'fault' | 'method'>;

const ENCRYPTED = faultNumber('encrypted');

/** An archive without pages, and what it contains instead. */
export const emptyBook = (leftOut: Note | null = null): Fault =>
  faultOf(
    new AppError(
      'EmptyBook',
      leftOut === null
        ? 'The archive contains no images.'
        : `The archive contains no images that can be pages. ${leftOut.message}`,
    ),
  );

const LISTED_MAX = 10;

/** Numbers of pages in a sentence. */
export const listed = (numbers: readonly number[]): string =>
  `${numbers.slice(0, LISTED_MAX).join(', ')}${numbers.length > LISTED_MAX ? ' and more' : ''}`;

interface Reason {
  readonly reason: string;
  /** The numbers of the pages that have it. */
  readonly pages: readonly number[];
}

/** In the order of their first pages. */
const reasonsOf = (pages: readonly Judged[]): readonly Reason[] => {
  const bad = pages.flatMap(({ fault }, index) => {
    const reason = PAGE_FAULTS[fault] ?? null;
    return reason === null ? [] : [{ reason, number: index + 1 }];
  });
  return [...groupedBy(bad, ({ reason }) => reason)].map(([reason, some]) => ({
    reason,
    pages: some.map(({ number }) => number),
  }));
};

/** `Page 3: The image is damaged. Pages 4, 5: The page is empty.` */
const whyEach = (pages: readonly Judged[]): string =>
  reasonsOf(pages)
    .map(({ reason, pages: bad }) => `${bad.length === 1 ? 'Page' : 'Pages'} ${listed(bad)}: ${reason}`)
    .join(' ');

/** A book without any readable page cannot be read; one bad page is only a note on that page. */
export const faultOfPages = (all: readonly Judged[]): Fault | null => {
  const pages = all.filter(({ method, fault }) => method !== METHOD.blank || fault !== 0);
  if (pages.length === 0 || pages.some(({ fault }) => fault === 0)) return null;
  const which = pages.length === 1 ? 'The only page cannot be read.' : `None of the ${pages.length} pages can be read.`;
  const [first, ...others] = reasonsOf(pages);
  const message = `${which} ${others.length === 0 ? (first?.reason ?? '') : whyEach(all)}`.trim();
  const isLocked = pages.every(({ fault }) => fault === ENCRYPTED);
  return { kind: isLocked ? 'EncryptedArchive' : 'CorruptArchive', message, details: null };
};

export const noCover = (): Note => ({
  type: 'thumbnail',
  message: 'None of the first pages can be decoded, so the book has no cover.',
});

/** Bad pages by their numbers, and why they are bad. */
export const notesOfPages = (pages: readonly Judged[]): Note[] => {
  const count = pages.filter(({ fault }) => fault !== 0).length;
  if (count === 0 || count === pages.length) return [];
  return [{ type: 'page_extraction', message: `${count} of ${pages.length} pages cannot be shown. ${whyEach(pages)}` }];
};

/** At most one note of each type is stored, so all messages of one type become one text. */
export const joinedByType = (notes: readonly Note[]): Note[] =>
  [...groupedBy(notes, ({ type }) => type)].map(([type, same]) => ({
    type,
    message: same.map(({ message }) => message).join(' '),
  }));

/** The numbers of some pages. */
const numbersOf = <T>(pages: readonly T[], isOne: (page: T) => boolean): number[] => {
  const numbers: number[] = [];
  for (const [index, page] of pages.entries()) if (isOne(page)) numbers.push(index + 1);
  return numbers;
};

/** Pages that are shown, though not as they should be: images that end too early, and those that only some apps can show. */
export const notesOfImages = (
  pages: readonly Pick<PageEntry, 'fault' | 'media'>[],
  cutPages: readonly number[],
): Note[] => {
  const notes: Note[] = [];
  const add = (message: string): void => {
    notes.push({ type: 'page_extraction', message });
  };
  if (cutPages.length > 0)
    add(`The images of these pages end too early, so parts of them may be missing: ${listed(cutPages)}.`);
  const heif = numbersOf(pages, ({ fault, media }) => fault === 0 && mediaOf(media).name === 'heif');
  if (heif.length > 0)
    add(
      `These pages are HEIC images (HEVC), which this server cannot decode; only apps that accept them can show them: ${listed(heif)}.`,
    );
  return notes;
};
