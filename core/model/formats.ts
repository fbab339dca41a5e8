// The book formats, and everything that depends on them outside the readers in workers/formats. A new format is a row here and a
// reader there.

export type BookFormat = 'cbz' | 'cbr' | 'cbt' | 'epub' | 'pdf';

interface FormatFacts {
  /** How it is written in stored page tables; never changed, never reused. */
  readonly stored: number;
  readonly mediaType: string;
  /** With its article, for messages. */
  readonly described: string;
}

/** By file name extension. */
export const FORMATS = {
  cbz: { stored: 0, mediaType: 'application/zip', described: 'a zip archive' },
  cbr: { stored: 1, mediaType: 'application/x-rar-compressed', described: 'a RAR archive' },
  cbt: { stored: 4, mediaType: 'application/x-tar', described: 'a tar archive' },
  epub: { stored: 2, mediaType: 'application/epub+zip', described: 'an EPUB book' },
  pdf: { stored: 3, mediaType: 'application/pdf', described: 'a PDF document' },
} as const satisfies Record<BookFormat, FormatFacts>;

export const BOOK_FORMATS: readonly BookFormat[] = ['cbz', 'cbr', 'cbt', 'epub', 'pdf'];

const lastDot = (fileName: string): number => fileName.lastIndexOf('.');

/** A format by its name, in any case. */
export const formatNamed = (word: string): BookFormat | undefined => {
  const wanted = word.toLowerCase();
  return BOOK_FORMATS.find((format) => format === wanted);
};

/** The format that a file name claims; a name without an extension claims none. */
export const formatOf = (fileName: string): BookFormat | undefined =>
  lastDot(fileName) < 0 ? undefined : formatNamed(fileName.slice(lastDot(fileName) + 1));

/** A file name without its extension. `.kepub` before it says how an EPUB was prepared for a reader, and is no part of its name. */
export const stemOf = (fileName: string): string => {
  if (lastDot(fileName) <= 0) return fileName;
  const stem = fileName.slice(0, lastDot(fileName));
  return /.\.kepub$/i.test(stem) && /\.epub$/i.test(fileName) ? stem.slice(0, -'.kepub'.length) : stem;
};

/** The name under which a file is offered to apps that rely on its extension: its own name may have the extension of another format. */
export const offeredNameOf = (fileName: string, format: BookFormat): string =>
  fileName.toLowerCase().endsWith(`.${format}`) ? fileName : `${stemOf(fileName)}.${format}`;

/** The format in a stored page table. */
export const storedFormat = (stored: number): BookFormat | undefined =>
  BOOK_FORMATS.find((format) => FORMATS[format].stored === stored);
