// The content stream of a page that only paints one image. ISO 32000-2, 7.8 (content streams), 8.9 (images), 14.6 (marked content).

/** Everything such a page may do: save and restore, place, paint, and mark content. */
const HARMLESS = new Set(['q', 'Q', 'BMC', 'BDC', 'EMC']);
const TOKEN = /<<[^>]{0,200}>>|\/[^\s/<>[\]()]{1,100}|[^\s/<>[\]()]{1,40}/g;

/** a, b, c, d, e, f of ISO 32000-2, 8.3.4. */
export type Matrix = readonly [number, number, number, number, number, number];
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

const multiply = (m: Matrix, n: Matrix): Matrix => [
  m[0] * n[0] + m[1] * n[2],
  m[0] * n[1] + m[1] * n[3],
  m[2] * n[0] + m[3] * n[2],
  m[2] * n[1] + m[3] * n[3],
  m[4] * n[0] + m[5] * n[2] + n[4],
  m[4] * n[1] + m[5] * n[3] + n[5],
];

export interface Placed {
  readonly name: string;
  readonly matrix: Matrix;
}

const numbersOf = (operands: readonly string[]): Matrix | undefined => {
  const [a, b, c, d, e, f] = operands.slice(-6).map(Number);
  const all = [a, b, c, d, e, f];
  if (operands.length < 6 || !all.every((one) => one !== undefined && Number.isFinite(one))) return undefined;
  return all as unknown as Matrix;
};

/** Marked content that belongs to a layer, which may be hidden. */
const isOptional = (operator: string, operands: readonly string[]): boolean =>
  operator === 'BDC' && operands.at(-2) === '/OC';

/** The one image a content stream paints; undefined when it does anything else. */
export const placedImage = (content: string): Placed | undefined => {
  const saved: Matrix[] = [];
  let matrix = IDENTITY;
  let operands: string[] = [];
  let placed: Placed | undefined;
  for (const [token] of content.matchAll(TOKEN)) {
    if (/^[-+.\d/<]/.test(token)) {
      operands.push(token);
      continue;
    }
    if (token === 'q') saved.push(matrix);
    else if (token === 'Q') matrix = saved.pop() ?? IDENTITY;
    else if (token === 'cm') {
      const by = numbersOf(operands);
      if (by === undefined) return undefined;
      matrix = multiply(by, matrix);
    } else if (token === 'Do' && placed === undefined) placed = { name: operands.at(-1)?.slice(1) ?? '', matrix };
    else if (!HARMLESS.has(token) || isOptional(token, operands)) return undefined;
    operands = [];
  }
  return placed;
};
