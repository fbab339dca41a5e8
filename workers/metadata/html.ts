// Converts a description written in HTML to plain text.
import { unescapedText, withoutReferences } from './entities.js';

/** `<3`, `a < b` and `<Batman>` are text: only an element of HTML, written as one, is markup. */
const ELEMENT =
  /<\/?(?:a|abbr|address|article|b|big|blockquote|body|br|center|cite|code|dd|div|dl|dt|em|figure|font|h[1-6]|head|hr|html|i|img|li|ol|p|pre|q|s|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|th|tr|tt|u|ul)(?:\s[^<>]*=[^<>]*)?\s*\/?>/i;
const BLOCK = /<\/?(?:p|br|div|li|h[1-6]|tr|blockquote|table|ul|ol|body|section|article)\b/i;
/** Scripts and styles are not text of the book; one that never ends swallows the rest. */
const withoutScripts = (html: string): string =>
  html
    .split(/<(?=(?:script|style)\b)/i)
    .map((part, index) => (index === 0 ? part : (/<\/(?:script|style)\s{0,20}>([\s\S]*)$/i.exec(part)?.[1] ?? '')))
    .join('');

const ofMarkup = (html: string): string => {
  const withLines = withoutScripts(html);
  return withoutReferences(
    (BLOCK.test(html) ? withLines.replace(/\s+/g, ' ') : withLines)
      .replace(/<br\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|blockquote)\s{0,20}>/gi, '\n')
      .replace(/<[/!a-z][^<>]*>/gi, ''),
  )
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

/**
 * Paragraphs and breaks become lines; without any, the lines of the text stay. Without markup, so does all else, except that what was escaped
 * twice becomes plain text. Null when nothing is left.
 */
export const plainText = (html: string | null): string | null => {
  if (html === null) return null;
  const source = ELEMENT.test(html) ? html : unescapedText(html);
  return (ELEMENT.test(source) ? unescapedText(ofMarkup(source)) : source.trim()) || null;
};
