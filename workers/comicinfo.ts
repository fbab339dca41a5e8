// ComicInfo.xml as metadata (the ComicInfo schema of the Anansi project, versions 1.0 to 2.1). Only importer of fast-xml-parser.
// No DTD and no entity beyond those of XML itself: a document that declares any is read without them.
import { XMLParser } from 'fast-xml-parser';
import { type EmbeddedMetadata, NO_BOOK_FACTS, NO_SERIES_FACTS } from '../core/model/metadata.js';

const DECLARED = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.-]{1,40})["']/i;

/** Bytes as text: a byte order mark wins, then the declaration, then UTF-8 if the bytes are that, then Windows-1252. */
export const decodeXml = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const declared = DECLARED.exec(Buffer.from(bytes.subarray(0, 300)).toString('latin1'))?.[1]?.toLowerCase();
  for (const label of [declared === 'utf-16' ? undefined : declared, 'utf-8', 'windows-1252']) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      // not in this encoding, or a label nobody knows: the next one is tried
    }
  }
  return new TextDecoder('utf-8').decode(bytes);
};

const DOCTYPE = /<!DOCTYPE[^[>]*(?:\[[\s\S]*?\]\s*)?>/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The five entities of XML and character references; any other is dropped, since nothing may say what it stands for. */
const resolveEntities = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{1,10});/gi, (_, body: string) => {
    if (!body.startsWith('#')) return NAMED[body] ?? '';
    const code = /^#x/i.test(body) ? Number.parseInt(body.slice(2), 16) : Number(body.slice(1));
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '';
  });

const parser = new XMLParser({
  processEntities: false,
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: true,
  ignoreDeclaration: true,
});

const FIELD_MAX = 100_000;

/** The text of the first element of that name directly in the root; undefined when it is missing or empty. */
const fieldIn = (root: Readonly<Record<string, unknown>>, name: string): string | null => {
  const found = Object.entries(root).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  const value: unknown = Array.isArray(found) ? found.find((one) => typeof one === 'string' && one !== '') : found;
  if (typeof value !== 'string') return null;
  const text = resolveEntities(value).slice(0, FIELD_MAX).trim();
  return text === '' ? null : text;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const FIELDS = ['Title', 'Series', 'Number', 'Volume', 'Summary', 'Manga'] as const;

/** What can be found in a document that is not well formed: elements that are whole by themselves. */
const salvage = (xml: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    FIELDS.flatMap((name) => {
      const open = xml.indexOf(`<${name}>`);
      const close = open < 0 ? -1 : xml.indexOf(`</${name}>`, open);
      const value = close < 0 ? '' : xml.slice(open + name.length + 2, close);
      return value === '' || value.includes('<') ? [] : [[name, value]];
    }),
  );

const rootOf = (xml: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = parser.parse(xml);
    const root = isRecord(parsed)
      ? Object.entries(parsed).find(([name]) => /(?:^|:)ComicInfo$/i.test(name))?.[1]
      : undefined;
    return isRecord(root) ? root : salvage(xml);
  } catch {
    return salvage(xml); // not well formed: read as far as it goes
  }
};

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null;

export const readComicInfo = (bytes: Uint8Array): EmbeddedMetadata | null => {
  const root = rootOf(decodeXml(bytes).replace(DOCTYPE, ''));
  const manga = fieldIn(root, 'Manga');
  const book = {
    title: fieldIn(root, 'Title'),
    series: fieldIn(root, 'Series'),
    number: fieldIn(root, 'Number'),
    volume: wholeNumber(fieldIn(root, 'Volume')),
    summary: fieldIn(root, 'Summary'),
  };
  const readingDirection = manga === 'YesAndRightToLeft' ? 'rtl' : null;
  if (readingDirection === null && Object.values(book).every((value) => value === null)) return null;
  return { book: { ...NO_BOOK_FACTS, ...book }, series: { ...NO_SERIES_FACTS, readingDirection } };
};
