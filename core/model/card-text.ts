// What a title card says, in lines that fit on it: the title of a book and who wrote it.

/** In units, whatever the size of the picture. */
export const CARD = {
  width: 400,
  height: 600,
  frame: 16,
  margin: 36,
  title: { size: 32, leading: 44, middle: 270 },
  author: { size: 22, leading: 30, middle: 520 },
  ground: '#2d3440',
  border: '#8a94a6',
  ink: '#eef1f5',
} as const;

export type CardBlock = 'title' | 'author';

export type CardText = Readonly<Record<CardBlock, readonly string[]>>;

interface Room {
  /** In halves of the height of a letter, about the width of a small Latin letter. */
  readonly width: number;
  readonly lines: number;
}

const ROOM: Readonly<Record<CardBlock, Room>> = { title: { width: 19, lines: 7 }, author: { width: 28, lines: 2 } };
/** More than fits. */
const TEXT_MAX = 200;

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\u3000-\u303f\uff00-\uff60]/u;

const widthOf = (letter: string): number => {
  if (WIDE.test(letter)) return 2;
  return /\p{Lu}/u.test(letter) ? 1.4 : 1;
};

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

interface Line {
  readonly text: string;
  readonly width: number;
}

/** A word longer than a line is cut: titles in Japanese are one word. */
const pieces = (word: string, widthMax: number): Line[] => {
  const found: Line[] = [];
  for (const { segment } of letters.segment(word)) {
    const [last, width] = [found.at(-1), widthOf(segment)];
    if (last !== undefined && last.width + width <= widthMax)
      found[found.length - 1] = { text: last.text + segment, width: last.width + width };
    else found.push({ text: segment, width });
  }
  return found;
};

const linesOf = (text: string, { width: widthMax, lines: linesMax }: Room): readonly string[] => {
  const lines: Line[] = [];
  for (const piece of text.split(/\s+/).flatMap((word) => pieces(word, widthMax))) {
    const last = lines.at(-1);
    if (last !== undefined && last.width + 1 + piece.width <= widthMax)
      lines[lines.length - 1] = { text: `${last.text} ${piece.text}`, width: last.width + 1 + piece.width };
    else lines.push(piece);
  }
  const texts = lines.map((line) => line.text);
  return texts.length > linesMax ? [...texts.slice(0, linesMax - 1), '…'] : texts;
};

/** XML allows neither control characters nor U+FFFE and U+FFFF, whatever a file name contains. The other noncharacters show nothing. */
const shown = (text: string): string =>
  text
    .slice(0, TEXT_MAX)
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, ' ')
    .trim();

export const cardText = (title: string, author: string): CardText => ({
  title: linesOf(shown(title), ROOM.title),
  author: linesOf(shown(author), ROOM.author),
});

/** Where the middle of each line is, from the top. */
export const heightsOf = (block: CardBlock, lines: readonly string[]): readonly number[] => {
  const { leading, middle } = CARD[block];
  return lines.map((_, at) => middle + (at - (lines.length - 1) / 2) * leading);
};
