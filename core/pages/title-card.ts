// The cover of a book that has none: its title on a plain card, as an SVG of our own. Nothing of the book but its title is in it.

const WIDTH = 400;
const HEIGHT = 600;
const LINE_LENGTH = 18;
const LINES_MAX = 7;
const LINE_HEIGHT = 44;
const TITLE_MAX = 200;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  // XML allows neither control characters nor U+FFFE and U+FFFF, whatever a file name contains. The other noncharacters show nothing.
  text.replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, ' ').replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');

/** Splits text into lines; a word longer than a line is cut (titles in Japanese are one word). */
const linesOf = (title: string): string[] => {
  const lines: string[] = [];
  for (const word of title.slice(0, TITLE_MAX).split(/\s+/).flatMap(pieces)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length > LINES_MAX ? [...lines.slice(0, LINES_MAX - 1), '…'] : lines;
};

const pieces = (word: string): string[] => {
  const chars = [...word];
  return Array.from({ length: Math.ceil(chars.length / LINE_LENGTH) }, (_, at) =>
    chars.slice(at * LINE_LENGTH, (at + 1) * LINE_LENGTH).join(''),
  );
};

/** 400 by 600 units. */
export const titleCard = (title: string): Uint8Array => {
  const lines = linesOf(title.toWellFormed());
  const top = HEIGHT / 2 - ((lines.length - 1) * LINE_HEIGHT) / 2;
  const texts = lines.map((line, at) => `<text x="${WIDTH / 2}" y="${top + at * LINE_HEIGHT}">${escaped(line)}</text>`);
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">` +
      `<rect width="${WIDTH}" height="${HEIGHT}" fill="#2d3440"/><rect x="16" y="16" width="${WIDTH - 32}" height="${HEIGHT - 32}" fill="none" stroke="#8a94a6" stroke-width="2"/>` +
      `<g fill="#eef1f5" font-family="Georgia, serif" font-size="32" text-anchor="middle">${texts.join('')}</g></svg>`,
  );
};
