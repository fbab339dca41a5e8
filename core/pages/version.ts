// The content version of a book, and the cache keys and tags made from it. Different bytes, another page order or other image settings give
// another version, so nothing stale is ever found.
import { hexOfUuid } from '../model/ids.js';
import type { FileState, ThumbnailOptions } from '../model/jobs.js';
import type { EpubKind } from '../model/outline.js';
import { CONTENTS_RULE, IMAGE_RULES, STORED_RULES } from '../model/stored-rules.js';

/**
 * Revision counts changes that size and time did not show; together they identify one state of the file. The rule decides which page is
 * which.
 */
export const versionOf = (revision: number, sizeBytes: number, mtimeMs: number): string =>
  `${STORED_RULES.pages}.${revision.toString(36)}.${sizeBytes.toString(36)}.${mtimeMs.toString(36)}`;

/** How covers are made, in short form. */
export const coverForm = ({ side, quality }: ThumbnailOptions): string => `c${side}q${quality}.${IMAGE_RULES.cover}`;

/** How derived pages are made, apart from their size and type. */
export const pageForm = (quality: number): string => `q${quality}.${IMAGE_RULES.page}`;

export const coverKey = (bookId: string, version: string, thumbnail: ThumbnailOptions): string =>
  `cover/${hexOfUuid(bookId)}/${version}/${coverForm(thumbnail)}`;

export const pageKey = (bookId: string, version: string, pageNumber: number, form: string): string =>
  `page/${hexOfUuid(bookId)}/${version}/${pageNumber}/${form}`;

/** One pass over a solid archive. */
export const archiveKey = (bookId: string, version: string): string => `archive/${hexOfUuid(bookId)}/${version}`;

/** One page of a PDF, as a PDF of its own. */
export const SINGLE_FORM = 'pdf.1';

/** How sheets of small pages are made. */
export const sheetForm = (quality: number): string => `q${quality}.${IMAGE_RULES.sheet}`;

export const sheetKey = (bookId: string, version: string, sheet: number, form: string): string =>
  `sheet/${hexOfUuid(bookId)}/${version}/${sheet}/${form}`;

/** Where the borders of all pages end. */
export const bordersKey = (bookId: string, version: string): string =>
  `borders/${hexOfUuid(bookId)}/${version}/${IMAGE_RULES.borders}`;

/** How some of its pages look, to compare them. */
export const lookKey = (bookId: string, version: string): string => `look/${hexOfUuid(bookId)}/${version}`;

/** What an EPUB contains; its positions depend on how it is laid out. */
export const contentsKey = (bookId: string, version: string, kind: EpubKind): string =>
  `contents/${hexOfUuid(bookId)}/${version}/${kind}/${CONTENTS_RULE}`;

/** Whose image or contents a key stands for, as hex digits; undefined for a key of another kind. */
export const ownerInKey = (key: string): string | undefined =>
  /^(?:cover|page|contents|borders|sheet|look|archive)\/([0-9a-f]{32})\//.exec(key)?.[1];

/** Strong: other content, another page or form means another tag. Two books never share one. */
export const tagOf = (file: { readonly id: string; readonly version: string }, part: string): string =>
  `${file.id.slice(-12)}-${file.version}-${part}`;

/** What a job must find at the path of a book. */
export const stateOf = (file: { readonly size: number; readonly mtimeMs: number }): FileState => ({
  sizeBytes: file.size,
  mtimeMs: file.mtimeMs,
});
