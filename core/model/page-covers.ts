// Which pages are covers, by the last word of their names, and the keys that sort front covers before the pages they belong to and back covers
// after them. A change here must raise STORED_RULES.pages.
import { isAscii } from './ascii.js';
import { naturalKey } from './natural-order.js';
import { COUNTERS } from './numerals.js';

const GAP = '[\\s._([-]{0,3}';
/** The second and the third side of a cover, printed on its inside. */
const INSIDE_FRONT = `inside${GAP}(?:front${GAP})?cover|inside${GAP}front|ifc|(?:deuxième|2${GAP}(?:e|ème)) de couv(?:erture)?`;
const INSIDE_BACK = `inside${GAP}(?:back|rear)(?:${GAP}cover)?|ibc|(?:troisième|3${GAP}(?:e|ème)) de couv(?:erture)?`;
const BACK = [
  `(?:back|rear)${GAP}cover|cover${GAP}(?:back|rear)|back|bc`,
  `(?:quatrième|4${GAP}(?:e|ème)) de couv(?:erture)?|contrecouverture|contra(?:portada|cubierta|capa)`,
  `(?:quarta di |retro|contro)copertina|(?:umschlag${GAP})?(?:rückseite|rueckseite)|umschlag${GAP}hinten`,
  `arka${GAP}kapak|kapak${GAP}arka|achter(?:kant|plat)|bagside|baksida`,
  'tylna okładka|zadní obálka|задняя обложка|задня обкладинка|裏表紙|封底|[뒤뒷] ?표지',
].join('|');
const FRONT = [
  `(?:front${GAP})?cover(?:${GAP}front)?|front|fc`,
  `couverture|couv|cubierta|portada|copertina|capa|titelbild|umschlag(?:${GAP}vorne?)?|omslag|voor(?:kant|plat)|forside|framsida`,
  `okładka|obálka|borító|(?:ön${GAP})?kapak(?:${GAP}ön)?|обложка|обкладинка|表紙|封面|앞? ?표지`,
].join('|');

/** No letter may be before the word, so that `discover` is none, but the counter of a volume may: `第1巻表紙`. */
const EDGE = `(?<!(?![${COUNTERS}권])[\\p{L}\\p{M}])`;
const LAST_WORD = new RegExp(
  `${EDGE}(?:(?<insideBack>${INSIDE_BACK})|(?<back>${BACK})|(?<insideFront>${INSIDE_FRONT})|(?:${FRONT}))[\\s)\\]】）]*$`,
  'iu',
);
/** Several covers: `cover 1`, `cover-b`. */
const NUMBERED_COVER = new RegExp(`^(?:${FRONT})${GAP}(?:\\d{1,2}|(?<=[^\\p{L}])[a-f])[\\s)\\]】）]*$`, 'iu');
const TRAILING_GAP = /[\s._,:;#&+([{【（–—-]+$/u;
const ENDS_IN_DIGIT = /\d$/;

/** Sorts before anything in a folder, also before its subfolders. */
const FIRST = '//';
/** The last code point. */
const LAST = '\u{10FFFF}';

interface Cover {
  readonly folder: string;
  readonly file: string;
  /** What is before the word: `Saga 01` of `Saga 01 - Cover`. */
  readonly prefix: string;
  readonly isBack: boolean;
  readonly isInside: boolean;
  /** The word is the whole name. */
  readonly isPlain: boolean;
}

/** No file system allows longer names. */
const FILE_MAX = 255;

const coverNamed = (name: string): Cover | null => {
  const start = name.lastIndexOf('/') + 1;
  if (name.length - start > FILE_MAX) return null;
  const file = isAscii(name) ? name.slice(start) : name.slice(start).normalize('NFC');
  const stem = file.replace(/\.[^.]*$/, '');
  const found = ENDS_IN_DIGIT.test(stem) ? null : LAST_WORD.exec(stem);
  if (found === null && !NUMBERED_COVER.test(stem)) return null;
  const cover = { folder: name.slice(0, start), file, prefix: '', isBack: false, isInside: false };
  if (found === null) return { ...cover, isPlain: false };
  const prefix = stem.slice(0, found.index).replace(TRAILING_GAP, '');
  const { back, insideFront, insideBack } = found.groups ?? {};
  const isInside = (insideFront ?? insideBack) !== undefined;
  return { ...cover, prefix, isBack: (back ?? insideBack) !== undefined, isInside, isPlain: prefix === '' };
};

const DEPTH_MAX = 32;
const DIGIT_FIRST = /^\p{Nd}/u;

/** Folders in which most names of other pages and subfolders begin with a number: there no page shares the words before `Cover`. */
const numberedFolders = (names: readonly string[], covers: ReadonlyMap<string, Cover>): ReadonlySet<string> => {
  const folders = new Map([...covers.values()].filter(({ isPlain }) => !isPlain).map(({ folder }) => [folder, 0]));
  for (const name of folders.size === 0 ? [] : names) {
    if (covers.has(name)) continue;
    for (let start = 0, depth = 0; depth < DEPTH_MAX; depth += 1) {
      const count = folders.get(name.slice(0, start));
      if (count !== undefined)
        folders.set(name.slice(0, start), count + (DIGIT_FIRST.test(name.slice(start, start + 2)) ? 1 : -1));
      start = name.indexOf('/', start) + 1;
      if (start === 0) break;
    }
  }
  return new Set([...folders].filter(([, count]) => count > 0).map(([folder]) => folder));
};

const keyOf = ({ folder, file, prefix, isBack, isInside }: Cover, isWholeFolder: boolean): string => {
  const base = isWholeFolder ? folder : folder + prefix;
  if (!isBack) return naturalKey(base + FIRST) + (isInside ? LAST : '') + naturalKey(file);
  // Without the mark after a number, so that it comes after fractions too: `v1.back cover` after `v1.002`.
  return naturalKey(base).replace(/,$/, '') + LAST + (isInside ? '' : LAST) + naturalKey(file);
};

/**
 * The sort keys of the covers among the pages of a book. A cover comes before, a back cover after the other pages of its folder that begin with
 * the same words, and before or after all of them if the word is its whole name, or if most others begin with a number and
 * it does not.
 */
export const coverKeys = (names: readonly string[]): ReadonlyMap<string, string> => {
  const covers = new Map<string, Cover>();
  for (const name of names) {
    const cover = coverNamed(name);
    if (cover !== null) covers.set(name, cover);
  }
  const numbered = numberedFolders(names, covers);
  const isWholeFolder = ({ isPlain, folder, prefix }: Cover): boolean =>
    isPlain || (numbered.has(folder) && !DIGIT_FIRST.test(prefix));
  return new Map(
    [...covers]
      .filter(([, cover]) => isWholeFolder(cover) || cover.prefix !== '')
      .map(([name, cover]) => [name, keyOf(cover, isWholeFolder(cover))]),
  );
};
