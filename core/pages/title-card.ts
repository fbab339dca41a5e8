// The cover of a book that has none, as an SVG of our own: a plain card with its title and its author, and nothing else of the book.
import { CARD, type CardBlock, type CardText, heightsOf } from '../model/card-text.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');

const { width, height, frame, ground, border, ink } = CARD;

const blockOf = (text: CardText, block: CardBlock): string => {
  const at = heightsOf(block, text[block]);
  const lines = text[block].map((line, n) => `<text x="${width / 2}" y="${at[n]}">${escaped(line)}</text>`);
  return `<g fill="${ink}" font-family="Georgia, serif" font-size="${CARD[block].size}" text-anchor="middle" dominant-baseline="central">${lines.join('')}</g>`;
};

export const titleCard = (text: CardText): Uint8Array =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
      `<rect width="${width}" height="${height}" fill="${ground}"/>` +
      `<rect x="${frame}" y="${frame}" width="${width - 2 * frame}" height="${height - 2 * frame}" fill="none" stroke="${border}" stroke-width="2"/>` +
      `${blockOf(text, 'title')}${blockOf(text, 'author')}</svg>`,
  );
