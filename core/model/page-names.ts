// Which entries of an archive are pages, and in which order, by name alone. STORED_RULES.pages is the version of these rules.
import { isAscii } from './ascii.js';
import { IMAGE_EXTENSIONS, otherImageType } from './image-names.js';
import type { Note } from './jobs.js';
import { isJunk, isJunkPath } from './junk.js';
import { naturalKey, sortNaturally } from './natural-order.js';
import { coverKeys } from './page-covers.js';
import { spreadNames } from './page-spreads.js';

/** Files of text and data, which comics often contain. */
const TEXT = /\.(?:txt|nfo|xml|json|html?|xhtml|css|js|opf|ncx|url|ini|db|md|sfv|md5)$/i;

export const isText = (name: string): boolean => TEXT.test(name);

interface Named {
  readonly name: string;
}

const IMAGE = new RegExp(`\\.(?:${IMAGE_EXTENSIONS})$`, 'i');

/** Separated by `/` or `\`. A drive letter is only part of a name here; `.` and `..` are ignored. */
const partsOf = (name: string): string[] =>
  name.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');

const ODD = /\\|(?:^|\/)\.{0,2}(?:\/|$)/;

/** A dot at the beginning of a part. Most names have none, and are not split into their parts. */
const MAYBE_HIDDEN = /(?:^|[/\\])\./;

/** The name of an entry with one kind of separator, and without the parts that mean nothing: `./a//1.jpg` is `a/1.jpg`. */
export const plainName = (name: string): string => (ODD.test(name) ? partsOf(name).join('/') : name);

/** By its extension alone, wherever it lies. */
export const endsLikeImage = (name: string): boolean => IMAGE.test(name);

/** An image by its name that no system left behind; maybe a hidden one. */
export const isImageName = (name: string): boolean => endsLikeImage(name) && !isJunkPath(name);

export const isHidden = (name: string): boolean =>
  MAYBE_HIDDEN.test(name) && partsOf(name).some((part) => part.startsWith('.'));

/** An extension with something after it, or with a full-width dot: `02.jpg_large`, `03.jpg!d`, `05.jpg.tmp`, `第10頁．jpg`. */
const ODD_EXTENSION = new RegExp(`[.．](?:${IMAGE_EXTENSIONS})(?:[^\\p{L}\\d/\\\\][^/\\\\]*)?$`, 'iu');

/** The path without its extension, also an odd one. */
export const stemOf = (path: string): string => {
  const odd = path.search(ODD_EXTENSION);
  return odd < 0 ? path.replace(/\.[^./\\]*$/, '') : path.slice(0, odd);
};

/**
 * The pages among the entries of an archive. What begins with a dot is hidden only while there are other pages: some series and chapters are
 * called so (`.hack`).
 */
export const pagesAmong = <T extends Named>(entries: readonly T[]): T[] => {
  const images = entries.filter(({ name }) => isImageName(name));
  const shown = images.filter(({ name }) => !isHidden(name));
  return shown.length > 0 ? shown : images;
};

/** macOS writes such a file for each real one; they contain no image. */
const isCompanion = (name: string): boolean => partsOf(name).some((part) => /^(?:\._|__macosx$)/i.test(part));

const listed = (words: readonly string[]): string => [...new Set(words)].slice(0, 3).join(', ');

/** What an archive holds that is a book of its own. */
const ARCHIVE = /\.(cb[zrt7]|zip|rar|7z|tar|pdf|epub)$/i;

const endingIn = (pattern: RegExp, name: string): string => pattern.exec(name)?.[1]?.toLowerCase() ?? '';

/** Archives and books inside an archive. They are not opened. */
const archivesIn = (all: readonly string[]): string => {
  const archives = all.filter((name) => ARCHIVE.test(name) && !isJunkPath(name));
  const endings = listed(archives.map((name) => endingIn(ARCHIVE, name)));
  return archives.length === 0
    ? ''
    : `Archives and books inside: ${archives.length} (${endings}); unpack the file, and add each of them as a book.`;
};

/** For an archive without pages: what it contains instead. */
const insteadOfPages = (all: readonly string[]): string => {
  const companions = all.filter((name) => IMAGE.test(name) && isCompanion(name));
  return [
    companions.length === 0
      ? ''
      : `Files with macOS metadata, which contain no images: ${companions.length} (${listed(companions.map(lastPart))}).`,
    archivesIn(all),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
};

/** A name that was meant to be that of an image: `02.jpg_large`. */
export const hasOddExtension = (name: string): boolean =>
  !IMAGE.test(name) && ODD_EXTENSION.test(name) && !isText(name) && !isJunkPath(name);

const omittedImages = (names: readonly string[]): string => {
  const images = names.filter((name) => IMAGE.test(name));
  const junk = images.filter(isJunkPath);
  const hidden = images.filter((name) => !isJunkPath(name));
  const other = names.filter((name) => otherImageType(name) !== undefined && !isJunkPath(name));
  const odd = names.filter(hasOddExtension);
  const types = listed(other.map((name) => otherImageType(name) ?? ''));
  const total = images.length + other.length + odd.length;
  const reasons = [
    [hidden, `hidden by a leading dot (${listed(hidden.map(dotPart))})`],
    [junk, `in system folders (${listed(junk.map(junkPart))})`],
    [odd, `with an odd extension that are damaged or copies of pages (${listed(odd.map(lastPart))})`],
    [other, `of a type that cannot be shown (${types})`],
  ] as const;
  const why = reasons.filter(([{ length }]) => length > 0).map(([{ length }, reason]) => `${length} ${reason}`);
  if (total === 0) return '';
  const advice = other.length === 0 ? '' : ` Convert ${types} files to JPEG or PNG to show them as pages.`;
  return `Images left out: ${total}; ${why.join(', ')}.${advice}`;
};

/** What is not shown: images that are no pages although their names end like images, and why; archives inside. Null when there is neither. */
export const leftOut = (entries: readonly Named[], pages: readonly Named[]): Note | null => {
  if (entries.length === pages.length) return null;
  const taken = new Set(pages.map(({ name }) => name));
  const all = entries.map(({ name }) => name).filter((name) => !taken.has(name) && !isText(name));
  if (all.length === 0) return null;
  const images = omittedImages(all.filter((name) => !isCompanion(name)));
  const message = `${images} ${pages.length === 0 ? insteadOfPages(all) : archivesIn(all)}`.trim();
  return message === '' ? null : { type: 'other', message };
};

const PART_MAX = 60;

const dotPart = (name: string): string => (partsOf(name).find((part) => part.startsWith('.')) ?? '').slice(0, PART_MAX);

const lastPart = (name: string): string => (partsOf(name).at(-1) ?? '').slice(0, PART_MAX);

const junkPart = (name: string): string => (partsOf(name).find(isJunk) ?? '').slice(0, PART_MAX);

/** Japanese, Chinese and Korean for a cover, alone or with a number. These words sort after all digits, Latin letters and kana. */
const COVER = /(^|\/)(?=(?:表紙|封面|표지)(?!\p{L}))/gu;

const coverFirst = (name: string): string => (isAscii(name) ? name : name.replace(COVER, '$1!'));

/** In natural order by plain names; covers come first and last in their folders. */
export const inPageOrder = <T extends Named>(pages: readonly T[]): T[] => {
  const named = pages.map((page) => ({ page, name: plainName(page.name) }));
  const names = named.map(({ name }) => name);
  const spreads = spreadNames(names);
  const covers = coverKeys(names);
  const isPlain = covers.size === 0 && spreads.size === 0 && names.every(isAscii);
  const keyOf = (name: string): string => covers.get(name) ?? naturalKey(coverFirst(spreads.get(name) ?? name));
  return sortNaturally(named, ({ name }) => name, isPlain ? undefined : keyOf).map(({ page }) => page);
};
