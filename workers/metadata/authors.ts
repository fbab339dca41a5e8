// Who made a book: the names of roles in various formats, and lists of names.
import type { Author, AuthorRole } from '../../core/model/metadata.js';
import { joined } from './values.js';
import { oneLine } from './xml-node.js';

const AUTHORS_MAX = 1000;

/** First match wins; the words are those of ComicInfo, MetronInfo, ComicBookInfo and CoMet. */
const ROLES: readonly (readonly [words: RegExp, role: AuthorRole])[] = [
  [/^co-?_?author$/, 'co_author'],
  [/\beditor(?:[ -]in[ -]chief)?s?$|^edit(?:s|ing)$/, 'editor'],
  [/^cover|\bcovers?$/, 'cover_artist'],
  [/^writers?$|^script(?:s|er|ing)?$|^plot(?:s|ter|ting)?$|^story$/, 'writer'],
  [/^pencill?(?:s|er|ers|ing)?$|^artists?$|^breakdowns?$|^layouts?$|^art$/, 'penciller'],
  [/^ink(?:s|er|ers|ing)?$|^finish(?:es|er)$|^embellisher$/, 'inker'],
  [/^colou?r(?:s|er|ers|ist|ists|ing)?$/, 'colorist'],
  [/^letter(?:s|er|ers|ing)$/, 'letterer'],
  [/^translat(?:or|ors|ion)$/, 'translator'],
  [/^illustrat(?:or|ors|ion|ions)$/, 'illustrator'],
  [/^(?:author|creator)s?$/, 'author'],
];

/** An unknown role becomes contributor. */
export const roleOf = (word: string): AuthorRole => {
  const text = word.trim().toLowerCase().slice(0, 100);
  return ROLES.find(([words]) => words.test(text))?.[1] ?? 'contributor';
};

export const authorsOf = (names: readonly string[], role: AuthorRole): readonly Author[] =>
  names.map((name) => ({ name, role, sortName: null }));

/** Each person once per role. */
export const distinctAuthors = (authors: readonly Author[]): readonly Author[] => {
  const seen = new Map<string, Author>();
  for (const author of authors) {
    const name = oneLine(author.name);
    const key = `${author.role} ${name.toLowerCase()}`;
    if (name !== '' && !seen.has(key) && seen.size < AUTHORS_MAX) seen.set(key, { ...author, name });
  }
  return [...seen.values()];
};

export const translatorOf = (authors: readonly Author[]): string | null =>
  joined(authors.filter(({ role }) => role === 'translator').map(({ name }) => name));
