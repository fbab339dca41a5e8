// What a list of pages means for its book: whether it can be read at all, and what is worth a remark. Pure.
import { AppError, type Fault, faultOf } from './errors.js';
import type { Note, PageEntry } from './jobs.js';
import { mediaOf } from './media.js';
import { METHOD, PAGE_FAULTS } from './page-table.js';

type Judged = Pick<PageEntry, 'fault' | 'method'>;

export const emptyBook = (): Fault => faultOf(new AppError('EmptyBook', 'The archive contains no images.'));

/** A book without any readable page cannot be read; one bad page is only a note on that page. */
export const faultOfPages = (all: readonly Judged[]): Fault | null => {
  const pages = all.filter(({ method }) => method !== METHOD.blank);
  if (pages.length === 0 || pages.some(({ fault }) => fault === 0)) return null;
  const why = PAGE_FAULTS[pages[0]?.fault ?? 0] ?? '';
  const which = pages.length === 1 ? 'The only page cannot be read.' : `None of the ${pages.length} pages can be read.`;
  const message = `${which} ${why}`.trim();
  return { kind: 'CorruptArchive', message, details: null };
};

export const noCover = (): Note => ({
  type: 'thumbnail',
  message: 'None of the first pages can be decoded, so the book has no cover.',
});

const LISTED_MAX = 10;

const listed = (numbers: readonly number[]): string =>
  `${numbers.slice(0, LISTED_MAX).join(', ')}${numbers.length > LISTED_MAX ? ' and more' : ''}`;

/** Bad pages by their numbers. */
export const notesOfPages = (pages: readonly Judged[]): Note[] => {
  const bad = pages.flatMap(({ fault }, index) => (fault === 0 ? [] : [index + 1]));
  if (bad.length === 0 || bad.length === pages.length) return [];
  return [
    { type: 'page_extraction', message: `${bad.length} of ${pages.length} pages cannot be shown: ${listed(bad)}.` },
  ];
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
    add(`The images of these pages end too early, so that part of them may be missing: ${listed(cutPages)}.`);
  const heif = pages.flatMap(({ fault, media }, index) =>
    fault === 0 && mediaOf(media).name === 'heif' ? [index + 1] : [],
  );
  if (heif.length > 0)
    add(
      `These pages are HEIC images (HEVC), which this server cannot decode; only apps that accept them can show them: ${listed(heif)}.`,
    );
  return notes;
};
