// Which entries of an archive are pages, and in which order, by name alone. STORED_RULES.pages is the version of these rules.
import { IMAGE_EXTENSIONS, otherImageType } from './image-names.js';
import type { Note } from './jobs.js';
import { isJunk } from './junk.js';
import { sortNaturally } from './natural-order.js';
import { spreadNames } from './page-spreads.js';

interface Named {
  readonly name: string;
}

const IMAGE = new RegExp(`\\.(?:${IMAGE_EXTENSIONS})$`, 'i');

/** Separators of both kinds of systems. A drive letter is only part of a name here; `.` and `..` lead nowhere. */
const partsOf = (name: string): string[] =>
  name.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');

const ODD = /\\|(?:^|\/)\.{0,2}(?:\/|$)/;

/** The name of an entry with one kind of separator, and without the parts that mean nothing: `./a//1.jpg` is `a/1.jpg`. */
export const plainName = (name: string): string => (ODD.test(name) ? partsOf(name).join('/') : name);

/** An image by its name that no system left behind; maybe a hidden one. */
const isImageName = (name: string): boolean => IMAGE.test(name) && !isJunkPath(name);

export const isJunkPath = (name: string): boolean => partsOf(name).some(isJunk);

const isHidden = (name: string): boolean => partsOf(name).some((part) => part.startsWith('.'));

/**
 * The pages among the entries of an archive. What begins with a dot is hidden only while there are other pages: some series and chapters are
 * called so (`.hack`).
 */
export const pagesAmong = <T extends Named>(entries: readonly T[]): T[] => {
  const images = entries.filter(({ name }) => isImageName(name));
  const shown = images.filter(({ name }) => !isHidden(name));
  return shown.length > 0 ? shown : images;
};

/** Mac systems write such a file for each real one; they hold no image. */
const isCompanion = (name: string): boolean => partsOf(name).some((part) => /^(?:\._|__macosx$)/i.test(part));

const listed = (words: readonly string[]): string => [...new Set(words)].slice(0, 3).join(', ');

/** How many images are not pages although their names end like images, and why; null when there are none. */
export const leftOut = (entries: readonly Named[], pages: readonly Named[]): Note | null => {
  const taken = new Set(pages.map(({ name }) => name));
  const names = entries.map(({ name }) => name).filter((name) => !taken.has(name) && !isCompanion(name));
  const images = names.filter((name) => IMAGE.test(name));
  const junk = images.filter(isJunkPath);
  const hidden = images.filter((name) => !isJunkPath(name));
  const other = names.filter((name) => otherImageType(name) !== undefined && !isJunkPath(name));
  const total = images.length + other.length;
  if (total === 0) return null;
  const reasons = [
    [hidden, `hidden, since a name begins with a dot (${listed(hidden.map(dotPart))})`],
    [junk, `in folders that systems leave behind (${listed(junk.map(junkPart))})`],
    [other, `of a type that cannot be shown (${listed(other.map((name) => otherImageType(name) ?? ''))})`],
  ] as const;
  const why = reasons.filter(([{ length }]) => length > 0).map(([{ length }, reason]) => `${length} ${reason}`);
  return { type: 'other', message: `Images left out: ${total}; ${why.join(', ')}.` };
};

const PART_MAX = 60;

const dotPart = (name: string): string => (partsOf(name).find((part) => part.startsWith('.')) ?? '').slice(0, PART_MAX);

const junkPart = (name: string): string => (partsOf(name).find(isJunk) ?? '').slice(0, PART_MAX);

/** Japanese, Chinese and Korean for a cover, alone or with a number. These words sort after all digits, Latin letters and kana. */
const COVER = /(^|\/)(?=(?:表紙|封面|표지)(?!\p{L}))/gu;

/** In natural order by plain names; a cover comes first in its folder. */
export const inPageOrder = <T extends Named>(pages: readonly T[]): T[] => {
  const named = pages.map((page) => ({ page, name: plainName(page.name) }));
  const spreads = spreadNames(named.map(({ name }) => name));
  return sortNaturally(named, ({ name }) => (spreads.get(name) ?? name).replace(COVER, '$1!')).map(({ page }) => page);
};
