// Parses the bytes of an XML document to a tree.
// No DTD and no entities beyond those of XML and HTML: a document that declares any is read without them.
import { windows1252, withWindowsSigns } from '../formats/encodings.js';
import { decodeUndeclared } from '../formats/entry-names.js';
import { LENGTH_MAX, type XmlNode } from './xml-node.js';
import { salvage } from './xml-salvage.js';
import { parseWhole } from './xml-whole.js';

export { child, children, find, text, texts, type XmlNode } from './xml-node.js';

const DECLARED = /^\s{0,100}<\?xml[^>]{0,200}encoding\s{0,20}=\s{0,20}["']([\w.-]{1,40})["']/i;

/** UTF-16 without a byte order mark is recognised by the zeros around its first character. */
const wideLabel = ([first, second]: Uint8Array): string | null => {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? 'utf-16be' : null;
};

/** What is between marks of markup, where it is not ASCII. The bytes of the marks are no parts of characters in any encoding. */
const wordsIn = (bytes: Uint8Array): readonly Uint8Array[] => {
  const words: Uint8Array[] = [];
  let start = 0;
  let isAscii = true;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at] ?? LESS;
    if (byte >= 0x80) isAscii = false;
    if (byte !== LESS && byte !== GREATER && byte !== LINE_END) continue;
    if (!isAscii) words.push(bytes.subarray(start, at));
    start = at + 1;
    isAscii = true;
  }
  return words;
};

const [LESS, GREATER, LINE_END] = [0x3c, 0x3e, 0x0a];

/** UTF-8 in which some bytes are damaged: much more of it is right than wrong. */
const damagedUtf8 = (bytes: Uint8Array): string | undefined => {
  const text = new TextDecoder('utf-8').decode(bytes);
  const [all, wrong] = [text.match(/[^\0-\x7f]/g)?.length ?? 0, text.match(/\ufffd/g)?.length ?? 0];
  return all - wrong >= wrong * RIGHT_PER_WRONG ? text : undefined;
};

const RIGHT_PER_WRONG = 10;

/**
 * Bytes as text: a byte order mark takes precedence, then the declaration, then UTF-8 if the bytes are valid, then the encoding of East Asia
 * or of Cyrillic that they are most likely in, then Windows-1252.
 */
export const decodeXml = (bytes: Uint8Array): string => {
  const wide = wideLabel(bytes);
  if (wide !== null) return new TextDecoder(wide).decode(bytes);
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const declared = DECLARED.exec(Buffer.from(bytes.subarray(0, 400)).toString('latin1'))?.[1]?.toLowerCase();
  // A declaration of UTF-16 that could be read as single bytes is wrong.
  const labels = marked || declared?.startsWith('utf-16') ? [] : [declared ?? 'utf-8'];
  for (const label of [...labels, 'utf-8']) {
    try {
      const decoder = new TextDecoder(label, { fatal: true });
      const text = decoder.decode(bytes);
      return decoder.encoding === 'windows-1252' ? withWindowsSigns(text) : text;
    } catch {
      // not in this encoding, or an unknown label: the next one is tried
    }
  }
  const guessed = marked ? undefined : (damagedUtf8(bytes) ?? decodeUndeclared(bytes, wordsIn(bytes)));
  return guessed ?? windows1252(bytes);
};

/** Where the document type declaration that starts at `start` ends; the end of the text if it does not. */
const endOfDoctype = (xml: string, start: number): number => {
  const marks = /<!--|["'[\]>]/g;
  marks.lastIndex = start;
  let isInside = false;
  for (let mark = marks.exec(xml); mark !== null; mark = marks.exec(xml)) {
    const [found] = mark;
    if (found === '[') isInside = true;
    else if (found === ']') isInside = false;
    else if (found === '>' && !isInside) return marks.lastIndex;
    else if (found === '<!--' || found === '"' || found === "'") {
      const closing = found === '<!--' ? '-->' : found;
      const end = xml.indexOf(closing, marks.lastIndex);
      if (end < 0) return xml.length;
      marks.lastIndex = end + closing.length;
    }
  }
  return xml.length;
};

const withoutDoctype = (xml: string): string => {
  const start = xml.search(/<!DOCTYPE/i);
  const isMarkup = start >= 0 && !/<[\p{L}_]/u.test(xml.slice(0, start));
  return isMarkup ? xml.slice(0, start) + xml.slice(endOfDoctype(xml, start)) : xml;
};

export interface ReadXml {
  /** The root element; of a malformed document, what can be read of it. Null when there is no element. */
  readonly root: XmlNode | null;
  /** The document goes on beyond what is read of one. */
  readonly isCut: boolean;
  /** The document ends before its root element does, or there is none. */
  readonly isIncomplete: boolean;
}

export const readXml = (source: string): ReadXml => {
  const xml = withoutDoctype(source.slice(0, LENGTH_MAX)).trimStart().replace(/\r\n?/g, '\n');
  const whole = parseWhole(xml);
  const found = whole === null ? salvage(xml) : { root: whole, isCut: false, isIncomplete: false };
  return { ...found, isCut: found.isCut || source.length > LENGTH_MAX };
};

export const parseXml = (source: string): XmlNode | null => readXml(source).root;

export const readXmlBytes = (bytes: Uint8Array): ReadXml => readXml(decodeXml(bytes.subarray(0, LENGTH_MAX * 2)));

export const parseXmlBytes = (bytes: Uint8Array): XmlNode | null => readXmlBytes(bytes).root;
