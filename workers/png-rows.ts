// The rows of a PNG (PNG specification, 7, 8 and 9): undoes filters, and puts the passes of an interlaced one where they belong.

export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly isInterlaced: boolean;
}

/** One pass over an image: every `stepX`th pixel of every `stepY`th row, and how many pixels each stands for until later ones come. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
  readonly blockX: number;
  readonly blockY: number;
  readonly columns: number;
  readonly rows: number;
  readonly rowBytes: number;
}

/** Adam7: where each pass begins, its steps, and its blocks. */
const ADAM7 = [
  [0, 0, 8, 8, 8, 8],
  [4, 0, 8, 8, 4, 8],
  [0, 4, 4, 8, 4, 4],
  [2, 0, 4, 4, 2, 4],
  [0, 2, 2, 4, 2, 2],
  [1, 0, 2, 2, 1, 2],
  [0, 1, 1, 2, 1, 1],
] as const;
const IN_ORDER = [[0, 0, 1, 1, 1, 1]] as const;

export const passesOf = ({ width, height, bitsPerPixel, isInterlaced }: Raster): readonly Pass[] =>
  (isInterlaced ? ADAM7 : IN_ORDER)
    .map(([x, y, stepX, stepY, blockX, blockY]) => {
      const columns = Math.max(0, Math.ceil((width - x) / stepX));
      const rows = Math.max(0, Math.ceil((height - y) / stepY));
      return { x, y, stepX, stepY, blockX, blockY, columns, rows, rowBytes: Math.ceil((columns * bitsPerPixel) / 8) };
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0);

const paeth = (left: number, up: number, corner: number): number => {
  const guess = left + up - corner;
  const toLeft = Math.abs(guess - left);
  const toUp = Math.abs(guess - up);
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
};

type Predict = (left: number, up: number, corner: number) => number;

/** By filter type. */
const PREDICT: readonly Predict[] = [() => 0, (left) => left, (_left, up) => up, (left, up) => (left + up) >> 1, paeth];

/** In place. The row before it is already plain. */
const unfilter = (row: Buffer, before: Buffer, filter: number, pixelBytes: number): void => {
  const predict = PREDICT[filter];
  if (predict === undefined || filter === 0) return;
  for (let at = 0; at < row.length; at += 1) {
    const isFirst = at < pixelBytes;
    const left = isFirst ? 0 : (row[at - pixelBytes] ?? 0);
    const corner = isFirst ? 0 : (before[at - pixelBytes] ?? 0);
    row[at] = (row[at] ?? 0) + predict(left, before[at] ?? 0, corner);
  }
};

/** One pixel into a block of the target. */
const fillBlock = (
  target: Buffer,
  raster: Raster,
  from: Buffer,
  column: number,
  place: readonly [number, number, Pass],
): void => {
  const { width, height, bitsPerPixel: bits } = raster;
  const [left, top, { blockX, blockY }] = place;
  const lineBytes = Math.ceil((width * bits) / 8) + 1;
  const right = Math.min(width, left + blockX);
  const bottom = Math.min(height, top + blockY);
  for (let y = top; y < bottom; y += 1) {
    const line = y * lineBytes + 1;
    for (let x = left; x < right; x += 1) {
      if (bits >= 8) {
        const size = bits >> 3;
        from.copy(target, line + x * size, column * size, column * size + size);
        continue;
      }
      const mask = (1 << bits) - 1;
      const value = ((from[(column * bits) >> 3] ?? 0) >> (8 - bits - ((column * bits) & 7))) & mask;
      const shift = 8 - bits - ((x * bits) & 7);
      const at = line + ((x * bits) >> 3);
      target[at] = ((target[at] ?? 0) & ~(mask << shift)) | (value << shift);
    }
  }
};

/** Puts all whole rows of `filtered` into `target`, which has plain rows of the full width, each after a filter byte, already blank. */
export const placeRows = (filtered: Buffer, raster: Raster, target: Buffer): void => {
  const lineBytes = Math.ceil((raster.width * raster.bitsPerPixel) / 8) + 1;
  for (let y = 0; y < raster.height; y += 1) target[y * lineBytes] = 0;
  const pixelBytes = Math.max(1, raster.bitsPerPixel >> 3);
  let at = 0;
  for (const pass of passesOf(raster)) {
    let before: Buffer = Buffer.alloc(pass.rowBytes);
    for (let row = 0; row < pass.rows; row += 1, at += pass.rowBytes + 1) {
      if (at + 1 + pass.rowBytes > filtered.length) return;
      const plain = filtered.subarray(at + 1, at + 1 + pass.rowBytes);
      unfilter(plain, before, filtered[at] ?? 0, pixelBytes);
      before = plain;
      const y = pass.y + row * pass.stepY;
      if (!raster.isInterlaced) plain.copy(target, y * lineBytes + 1);
      else
        for (let column = 0; column < pass.columns; column += 1)
          fillBlock(target, raster, plain, column, [pass.x + column * pass.stepX, y, pass]);
    }
  }
};
