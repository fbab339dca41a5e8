// XML as text: elements, attributes, escaping. No comments, no CDATA, no instructions: some apps have parsers that know none of them.
import { cleanText } from '../text.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // A parser turns them into spaces in an attribute.
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to look for
const NEEDS_CARE = /[\u0000-\u001f&<>"'\ud800-\udfff\ufffe\uffff]/;

/** Most texts are as they should be, and one look at them tells. */
const escaped = (text: string, special: RegExp): string =>
  NEEDS_CARE.test(text) ? cleanText(text).replace(special, (character) => ENTITIES[character] ?? character) : text;

/** Text that is already XML. */
export interface Markup {
  readonly xml: string;
}

export const textOf = (text: string): Markup => ({ xml: escaped(text, /[&<>"'\r]/g) });

type Attributes = Readonly<Record<string, string | number | null | undefined>>;

const attributesText = (attributes: Attributes): string => {
  let text = '';
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) text += ` ${name}="${escaped(String(value), /[&<>"'\n\r\t]/g)}"`;
  return text;
};

/** Attributes without a value are left out. */
export const element = (name: string, attributes: Attributes, ...content: readonly Markup[]): Markup => {
  const start = `<${name}${attributesText(attributes)}`;
  return { xml: content.length === 0 ? `${start}/>` : `${start}>${content.map(({ xml }) => xml).join('')}</${name}>` };
};

/** An element with nothing but text. */
export const said = (name: string, text: string, attributes: Attributes = {}): Markup =>
  element(name, attributes, textOf(text));

export const documentOf = (root: Markup): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}`;
