// Natural order for file and entry names: folder by folder, ignoring case, digits by value, extensions only to break ties. The order is
// total: names are equal only when identical. A change here must raise STORED_RULES.pages and STORED_RULES.numbers.

const CHUNK = /\d+|\D+/g;

interface Part {
  readonly chunks: readonly string[];
}

interface Key {
  readonly name: string;
  readonly parts: readonly Part[];
}

const DIGIT = /^\d/;
/** Only known ones: `Vol 1.5` has no extension. A name is more than its extension. */
const EXTENSION = /(?<=[^/])\.(?:jpe?g|png|gif|webp|avif|jxl|bmp|tiff?|jp2|svg|cbz|cbr|epub|pdf)$/;

const keyOf = (name: string): Key => ({
  name,
  parts: name
    .normalize('NFKC')
    .toLowerCase()
    .replace(EXTENSION, '')
    .split('/')
    .map((part) => ({ chunks: part.match(CHUNK) ?? [] })),
});

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const compareDigits = (a: string, b: string): number => {
  const x = a.replace(/^0+(?=\d)/, '');
  const y = b.replace(/^0+(?=\d)/, '');
  return x.length - y.length || compareText(x, y);
};

const compareChunk = (a: string, b: string): number => {
  const digits = DIGIT.test(a) && DIGIT.test(b);
  return digits ? compareDigits(a, b) : compareText(a, b);
};

const comparePart = (a: Part, b: Part): number => {
  const shared = Math.min(a.chunks.length, b.chunks.length);
  for (let at = 0; at < shared; at += 1) {
    const order = compareChunk(a.chunks[at] ?? '', b.chunks[at] ?? '');
    if (order !== 0) return order;
  }
  return a.chunks.length - b.chunks.length;
};

/**
 * Files and folders of one level are sorted together; ties (`01` and `1`, `A` and `a`) are broken by the exact name, extension included.
 */
const compareKeys = (a: Key, b: Key): number => {
  const shared = Math.min(a.parts.length, b.parts.length);
  for (let at = 0; at < shared; at += 1) {
    const [x, y] = [a.parts[at], b.parts[at]];
    if (x === undefined || y === undefined) break;
    const order = comparePart(x, y);
    if (order !== 0) return order;
  }
  return a.parts.length - b.parts.length || compareText(a.name, b.name);
};

/** Sorts anything that has a name; stable for equal names. Keys are computed once per item. */
export const sortNaturally = <T>(items: readonly T[], nameOf: (item: T) => string): T[] =>
  items
    .map((item) => ({ item, key: keyOf(nameOf(item)) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ item }) => item);
