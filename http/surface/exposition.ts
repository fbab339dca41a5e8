// The measurements of the server as text for Prometheus, and when a client wants that rather than JSON (RFC 9110 12.5.1).

export type TextFormat = 'prometheus' | 'openmetrics';

export interface Exposition {
  readonly type: string;
  readonly text: string;
}

/** Collects all measurements now. */
export type Scrape = (format: TextFormat) => Promise<Exposition>;

const TYPES = { openmetrics: 'application/openmetrics-text', prometheus: 'text/plain' } as const;
const JSON_TYPE = 'application/json';

interface Range {
  readonly type: string;
  readonly weight: number;
}

const WEIGHT = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i;

const rangesOf = (accept: string): readonly Range[] =>
  accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';');
    const given = parameters.find((one) => /^\s*q\s*=/i.test(one));
    const weight = given === undefined ? 1 : Number(WEIGHT.exec(given)?.[1] ?? 0);
    return { type: type.trim().toLowerCase(), weight };
  });

/** By the most specific range that covers the type. */
const weightOf = (ranges: readonly Range[], type: string): number => {
  const any = `${type.split('/')[0]}/*`;
  for (const wanted of [type, any, '*/*']) {
    const found = ranges.find((range) => range.type === wanted);
    if (found !== undefined) return found.weight;
  }
  return 0;
};

/** Null for JSON: it is also the answer to a client that has no preference. */
export const textFormatFor = (accept: string): TextFormat | null => {
  const ranges = rangesOf(accept);
  const open = weightOf(ranges, TYPES.openmetrics);
  const plain = weightOf(ranges, TYPES.prometheus);
  if (Math.max(open, plain) <= weightOf(ranges, JSON_TYPE)) return null;
  return open > plain || (open === plain && ranges.some(({ type }) => type === TYPES.openmetrics))
    ? 'openmetrics'
    : 'prometheus';
};
