// How much of a document of an EPUB is text. Counted only as far as anybody asks.
import { resolveEntities } from '../metadata/xml-node.js';

/** Each `<` ends the tag before it, so that no text is read twice. */
const TAG = /<(\/?)(?:\w{1,20}:)?([a-z]\w{0,20})?[^<>]*>?/gi;
/** Elements whose text is not shown. */
const HIDDEN = new Set(['head', 'title', 'style', 'script', 'desc', 'metadata', 'template']);
const LETTER = /^\p{L}/u;

/** Most are ASCII: these are told without an expression, which takes ten times as long. */
const isLetterAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  if (code < 128) return (code | 32) >= 97 && (code | 32) <= 122;
  return LETTER.test(text.slice(at, at + 2));
};

/** Letters that a reader sees; at most `max`. Digits are numbers of pages. */
export const lettersOf = (text: string, max: number): number => {
  let [count, at, hidden] = [0, 0, ''];
  const take = (until: number): void => {
    const shown = hidden === '' ? text.slice(at, until) : '';
    if (shown.trim() === '') return; // between most tags
    const seen = resolveEntities(shown);
    for (let place = 0; place < seen.length && count < max; place += 1) if (isLetterAt(seen, place)) count += 1;
  };
  for (const tag of text.matchAll(TAG)) {
    take(tag.index);
    if (count >= max) return count;
    at = tag.index + tag[0].length;
    const name = tag[2]?.toLowerCase() ?? '';
    if (hidden === '' && tag[1] === '' && HIDDEN.has(name) && !tag[0].endsWith('/>')) hidden = name;
    else if (hidden === name && tag[1] === '/') hidden = '';
  }
  take(text.length);
  return count;
};

export const hasMoreLettersThan = (text: string, max: number): boolean => lettersOf(text, max + 1) > max;

/** An image inside of the document itself, larger than what only keeps a place. It is no entry that could be sent. */
export const hasPictureInside = (text: string): boolean =>
  text.includes('data:image/') && /data:image\/[^"'()]{1000}/.test(text);
