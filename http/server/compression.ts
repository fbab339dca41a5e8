// Which answers are compressed, how, and what their headers then say (RFC 9110 8.4, 8.8, 12.5). Pure.
import type { Reply } from './adapter.js';

export type Coding = 'br' | 'gzip';

/** The one that is used when a client likes both equally. */
const PREFERRED: readonly Coding[] = ['br', 'gzip'];

/** Below this an answer fits into one packet anyway. */
export const MIN_BYTES = 1400;

/** Text. Images, archives and PDFs are compressed already, and events must not wait for each other. */
const TEXT =
  /^(?:application\/(?:[\w.+-]+\+)?(?:json|xml)|application\/javascript|text\/(?:html|css|javascript|plain|xml)|image\/svg\+xml)\s*(?:;|$)/i;

const CONTENT_TYPE = 'content-type';
const ENCODING = 'content-encoding';
const CACHE = 'cache-control';
const NO_TRANSFORM = /\bno-transform\b/i;

/** A weight (RFC 9110 12.4.2); anything malformed counts as "not acceptable". */
const weightOf = (parameters: readonly string[]): number => {
  const given = parameters.find((one) => /^\s*q\s*=/i.test(one));
  if (given === undefined) return 1;
  const [, digits = '0'] = /^\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(given) ?? [];
  return Number(digits);
};

const weightsOf = (header: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const element of header.split(',')) {
    const [name = '', ...parameters] = element.split(';');
    const coding = name.trim().toLowerCase();
    if (coding !== '') weights.set(coding === 'x-gzip' ? 'gzip' : coding, weightOf(parameters));
  }
  return weights;
};

/** The coding that an Accept-Encoding header likes best; null for none, as also when there is no such header (RFC 9110 12.5.3). */
export const codingOf = (header: string): Coding | null => {
  if (header === '') return null;
  const weights = weightsOf(header);
  const others = weights.get('*');
  let best: Coding | null = null;
  // Not compressed is acceptable unless it is excluded; it is chosen over a coding only where it is named with a higher weight.
  let most = weights.get('identity') ?? 0;
  for (const coding of PREFERRED) {
    const weight = weights.get(coding) ?? others ?? 0;
    if (weight === 0 || weight < most || (weight === most && best !== null)) continue;
    [best, most] = [coding, weight];
  }
  return best;
};

/** Statuses without a body of their own, or with a part of one. */
const isBodiless = (status: number): boolean => status === 204 || status === 206 || status === 304;

/** In one pass, and names are compared by their length first: every answer of some size comes here. */
const isPlainText = (headers: Reply['headers']): boolean => {
  let isText = false;
  for (const [name, value] of headers) {
    if (name.length === CONTENT_TYPE.length && name.toLowerCase() === CONTENT_TYPE) isText = TEXT.test(value);
    else if (name.length === ENCODING.length && name.toLowerCase() === ENCODING) return false;
    else if (name.length === CACHE.length && name.toLowerCase() === CACHE && NO_TRANSFORM.test(value)) return false;
  }
  return isText;
};

/** True when the form of this reply depends on Accept-Encoding. */
export const isCompressible = ({ status, headers, body }: Reply): boolean =>
  body.kind === 'bytes' && body.bytes.length >= MIN_BYTES && !isBodiless(status) && isPlainText(headers);

const VARY = ['Vary', 'Accept-Encoding'] as const;

/** Caches must know that there are several forms, also when they get the plain one. */
export const plainHeaders = (headers: Reply['headers']): Reply['headers'] => [...headers, VARY];

/** A strong tag names exact bytes, which these are not. */
export const codedHeaders = (headers: Reply['headers'], coding: Coding): Reply['headers'] => [
  ...headers.map(([name, value]): Reply['headers'][number] =>
    name.toLowerCase() === 'etag' && !value.startsWith('W/') ? [name, `W/${value}`] : [name, value],
  ),
  VARY,
  ['Content-Encoding', coding],
];
