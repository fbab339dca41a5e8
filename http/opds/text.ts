// Text from files and users as feeds may contain it: no characters that XML 1.0 forbids, no half of a pair of surrogates.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export const cleanText = (text: string): string => text.toWellFormed().replace(FORBIDDEN, '');

const SPACES = /\s+/g;

/** One line. A title that has no character left still needs one. */
export const cleanTitle = (text: string): string => cleanText(text).replace(SPACES, ' ').trim() || 'Untitled';

/** A tag as HTML has it, not `a < b`. */
const TAG = /<\/?[a-z][^<>]*>/i;

export const isHtml = (text: string): boolean => TAG.test(text);

const BREAK = /<(?:br|\/p|\/div|\/li)\b[^<>]*>/gi;
const TAGS = /<\/?[a-z!][^<>]*>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** The text of HTML. */
export const plainOf = (html: string): string =>
  html
    .replace(BREAK, '\n')
    .replace(TAGS, '')
    .replace(/&(?:lt|gt|quot|apos|#39|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .trim();
