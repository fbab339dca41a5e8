// Converts a description written in HTML to plain text.
import { namedCharacter } from './entities.js';
import { characterOf } from './xml-node.js';

/** Spaces and hyphens that only matter for typesetting. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['shy', ''],
]);

const isMarkup = /<[/!a-z][^<>]*>|&(?:#\w{1,8}|[a-z][a-z0-9]{1,9});/i;

/** Scripts and styles are not text of the book; one that never ends swallows the rest. */
const withoutScripts = (html: string): string =>
  html
    .split(/<(?=(?:script|style)\b)/i)
    .map((part, index) => (index === 0 ? part : (/<\/(?:script|style)\s{0,20}>([\s\S]*)$/i.exec(part)?.[1] ?? '')))
    .join('');

/** Paragraphs and breaks become lines; a text without markup stays as it is. Null when nothing is left. */
export const plainText = (html: string | null): string | null => {
  if (html === null || !isMarkup.test(html)) return html;
  const text = withoutScripts(html)
    .replace(/\s+/g, ' ')
    .replace(/<br\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|blockquote)\s{0,20}>/gi, '\n')
    .replace(/<[/!a-z][^<>]*>/gi, '')
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,9});/gi, (whole, body: string) =>
      body.startsWith('#') ? characterOf(body) : (PLAIN.get(body) ?? namedCharacter(body) ?? whole),
    )
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return text === '' ? null : text;
};
