// Names as archives and folders really have them, at random: scripts, encodings, separators, numbers. Order of pages, books and titles is
// tested with them.
import fc from 'fast-check';

/** Letters of one language, which also decide the encodings its names are found in. */
interface Script {
  readonly words: readonly string[];
  readonly encodings: readonly string[];
}

export const SCRIPTS: readonly Script[] = [
  { words: ['page', 'Vol', 'c', 'Chapter ', 'x', 'IMG_'], encodings: ['utf-8'] },
  { words: ['表紙', 'ソ', '第', '話', 'ページ', '能', '巻'], encodings: ['utf-8', 'shift_jis'] },
  { words: ['第', '话', '页', '卷', '封面', '漫画'], encodings: ['utf-8', 'gbk'] },
  { words: ['第', '話', '頁', '卷', '功', '許', '蓋'], encodings: ['utf-8', 'big5'] },
  { words: ['한글', '표지', '제', '화', '권'], encodings: ['utf-8', 'euc-kr'] },
  { words: ['Глава ', 'Том ', 'страница', 'обложка'], encodings: ['utf-8', 'ibm866', 'windows-1251'] },
];

const NUMBERS = ['', '0', '1', '01', '001', '2', '10', '129.5', '42', '½', '１２', '٣', 'Ⅸ', '十二', '0304', '1000000'];
const TAILS = ['', ' ', '_', '-', ' - Extra', '(1)', '.5', 'a', '~', '!'];
const SEPARATORS = ['/', '\\', '//', '/./', '\\.\\'];
const BEFORE = ['', './', '/', '.\\'];
const EXTENSIONS = ['.jpg', '.JPG', '.jpeg', '.jfif', '.png', '.webp'];

const partOf = ({ words }: Script): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...words), fc.constantFrom(...NUMBERS), fc.constantFrom(...TAILS))
    .map((parts) => parts.join(''));

/** A name without extension and folder, as of a book or a title. */
export const oddStem: fc.Arbitrary<string> = fc.constantFrom(...SCRIPTS).chain(partOf);

/** The path of a page, with the separators that archives have. */
export const oddPath = (script: Script): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...BEFORE),
      fc.array(fc.tuple(partOf(script), fc.constantFrom(...SEPARATORS)), { maxLength: 2 }),
      partOf(script),
      fc.constantFrom(...EXTENSIONS),
    )
    .map(([before, folders, last, extension]) => `${before}${folders.flat().join('')}${last}${extension}`);

export interface OddNames {
  readonly paths: readonly string[];
  readonly encoding: string;
}

/** The names of one archive, in one script, and an encoding that has its letters. */
export const oddNames: fc.Arbitrary<OddNames> = fc.constantFrom(...SCRIPTS).chain((script) =>
  fc.record({
    paths: fc.uniqueArray(oddPath(script), { minLength: 1, maxLength: 12 }),
    encoding: fc.constantFrom(...script.encodings),
  }),
);

/** Every pair of bytes that decodes to one character, for encoders that the runtime lacks. */
const tableOf = (encoding: string): ReadonlyMap<string, readonly number[]> => {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const table = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if ([...text].length === 1 && !table.has(text)) table.set(text, bytes);
    } catch {
      // no character: nothing to add
    }
  };
  for (let lead = 0; lead < 256; lead += 1) add([lead]);
  for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) add([lead, trail]);
  return table;
};

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Undefined when the encoding lacks a character. */
export const encoded = (text: string, encoding: string): Buffer | undefined => {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const table = tables.get(encoding) ?? tableOf(encoding);
  tables.set(encoding, table);
  const bytes = [...text].map((char) => table.get(char));
  return bytes.includes(undefined) ? undefined : Buffer.from(bytes.flatMap((some) => some ?? []));
};
