// Converts a description written in HTML to plain text.
import { namedCharacter } from './entities.js';
import { characterOf } from './xml-node.js';

/** Spaces and hyphens that only matter for typesetting. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['shy', ''],
]);

/** `<3`, `a < b` and `<Batman>` are text: only an element of HTML, written as one, is markup. */
const ELEMENT =
  /<\/?(?:a|abbr|address|article|b|big|blockquote|body|br|center|cite|code|dd|div|dl|dt|em|figure|font|h[1-6]|head|hr|html|i|img|li|ol|p|pre|q|s|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|th|tr|tt|u|ul)(?:\s[^<>]*=[^<>]*)?\s*\/?>/i;
const BLOCK = /<\/?(?:p|br|div|li|h[1-6]|tr|blockquote|table|ul|ol|body|section|article)\b/i;
const ENTITY = /&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,9});/gi;

const withoutEntities = (text: string): string =>
  text.replace(ENTITY, (whole, body: string) =>
    body.startsWith('#') ? characterOf(body) : (PLAIN.get(body) ?? namedCharacter(body) ?? whole),
  );

/** Scripts and styles are not text of the book; one that never ends swallows the rest. */
const withoutScripts = (html: string): string =>
  html
    .split(/<(?=(?:script|style)\b)/i)
    .map((part, index) => (index === 0 ? part : (/<\/(?:script|style)\s{0,20}>([\s\S]*)$/i.exec(part)?.[1] ?? '')))
    .join('');

/** Paragraphs and breaks become lines; without any, the lines of the text stay. Without markup, so does all else. Null when nothing is left. */
export const plainText = (html: string | null): string | null => {
  if (html === null) return null;
  if (!ELEMENT.test(html)) return withoutEntities(html).trim() || null;
  const withLines = withoutScripts(html);
  const text = withoutEntities(
    (BLOCK.test(html) ? withLines.replace(/\s+/g, ' ') : withLines)
      .replace(/<br\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|blockquote)\s{0,20}>/gi, '\n')
      .replace(/<[/!a-z][^<>]*>/gi, ''),
  )
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return text === '' ? null : text;
};
