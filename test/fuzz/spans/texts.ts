// Parts of texts that readers look at: tags, attributes and contents of XML, rules of CSS, dictionaries and objects of PDF.
import { SPANS_MAX, type Span, spanOf } from './span.js';

const matchesOf = (text: string, is: Span['is'], pattern: RegExp, isFixed: boolean): Span[] => {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    if (spans.length >= SPANS_MAX) break;
    const [all, before = '', kept = all.slice(before.length)] = match;
    spans.push(spanOf(is, match.index + before.length, kept.length, isFixed));
  }
  return spans.filter(({ from, to }) => from < to);
};

/** Latin-1, so that places in the text are places in the file. */
const textOf = (bytes: Buffer): string => bytes.toString('latin1');

export const markupSpans = (bytes: Buffer): Span[] => {
  const text = textOf(bytes);
  return [
    ...matchesOf(text, 'part', /<[^<>]{1,2000}>/g, false),
    ...matchesOf(text, 'text', /(=\s*["'])([^"'<>]{1,500})/g, false),
    ...matchesOf(text, 'text', /(>)([^<>]{1,2000})/g, false),
    ...matchesOf(text, 'text', /(url\(\s*["']?)([^"')]{1,500})/g, false),
    ...matchesOf(text, 'number', /()(\d{1,20})/g, false),
  ];
};

export const pdfSpans = (bytes: Buffer): Span[] => {
  const text = textOf(bytes);
  return [
    ...matchesOf(text, 'part', /\d+ \d+ obj\b[\s\S]{0,20000}?endobj/g, true),
    ...matchesOf(
      text,
      'part',
      /\/[A-Za-z][A-Za-z0-9]{0,40}\s*(?:\[[^\]]{0,200}\]|\d+ \d+ R|[-\d.]+|\/[A-Za-z0-9]+)/g,
      true,
    ),
    ...matchesOf(
      text,
      'text',
      /\/[A-Za-z][A-Za-z0-9]{0,40}\s*(?:\[[^\]]{0,200}\]|\d+ \d+ R|[-\d.]+|\/[A-Za-z0-9]+)/g,
      true,
    ),
    ...matchesOf(text, 'number', /()(\d{1,10})(?=[\s/\]>])/g, true),
    ...matchesOf(text, 'data', /(stream\r?\n)([\s\S]{1,20000}?)(?=endstream)/g, true),
  ];
};
