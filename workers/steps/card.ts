// Draws a title card. The fonts of the PDF reader have Latin, Greek, Cyrillic, Chinese, Japanese and Korean letters on every machine; other
// scripts need their letters joined and ordered, which the text engine of the image library does, with the fonts of the machine.
import { CARD, type CardBlock } from '../../core/model/card-text.js';
import type { Pixels } from '../page-source.js';
import { step } from '../step.js';

/** Lays a picture with opacity over the middle of a card, at this height; what does not fit is cut off. */
const layOver = (card: Pixels, over: Pixels, middle: number): void => {
  const left = Math.floor((card.width - over.width) / 2);
  const top = Math.floor(middle - over.height / 2);
  for (let y = Math.max(0, -top); y < over.height && top + y < card.height; y += 1)
    for (let x = Math.max(0, -left); x < over.width && left + x < card.width; x += 1) {
      const from = (y * over.width + x) * over.channels;
      const to = ((top + y) * card.width + left + x) * card.channels;
      const opacity = (over.bytes[from + 3] ?? 0) / 255;
      for (let channel = 0; channel < 3; channel += 1) {
        const below = card.bytes[to + channel] ?? 0;
        card.bytes[to + channel] = Math.round(below + ((over.bytes[from + channel] ?? 0) - below) * opacity);
      }
    }
};

const BLOCKS: readonly CardBlock[] = ['title', 'author'];

export const drawTitleCard = step({
  name: 'card',
  needs: ['card'],
  gives: ['image'],
  run: async ({ card: { text, side, quality } }, run) => {
    const { renderPage, renderText } = await import('../image-codec.js');
    const { drawCard } = await import('../formats/drawn-card.js');
    const scale = side / CARD.height;
    const { pixels, left } = drawCard(text, scale);
    const width = Math.round((CARD.width - 2 * CARD.margin) * scale);
    for (const block of BLOCKS.filter((one) => left.has(one))) {
      const { size, middle } = CARD[block];
      layOver(pixels, await renderText(text[block], Math.max(1, Math.round(size * scale)), width), middle * scale);
    }
    const box = { width: null, height: null };
    const limits = { pixels: pixels.width * pixels.height, seconds: run.secondsLeft() };
    return { image: await renderPage({ kind: 'pixels', ...pixels }, box, 'jpeg', quality, limits) };
  },
});
