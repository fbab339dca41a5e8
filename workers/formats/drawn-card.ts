// A title card in the fonts of the PDF reader, which are part of it: the same on every machine.
import { CARD, type CardBlock, type CardText, heightsOf } from '../../core/model/card-text.js';
import { noteTrap } from '../heaps.js';
import type { Pixels } from '../page-source.js';
import { mupdf, quietly } from './mupdf-module.js';

type Font = mupdf.Font;
type Colour = [red: number, green: number, blue: number];

/** In the order in which they are tried. The second has what is written in China, Japan and Korea, and Vietnamese. */
const FONTS = ['Times-Roman', 'zh-Hans'] as const;
/** From the middle of a line down to its base line, in sizes of the font. */
const BASE = 0.33;
const BORDER_WIDTH = 2;
const CHANNELS = 3;

const colourOf = (hex: string): Colour => {
  const [red = 0, green = 0, blue = 0] = Buffer.from(hex.slice(1), 'hex');
  return [red / 255, green / 255, blue / 255];
};

interface Glyph {
  readonly font: Font;
  readonly glyph: number;
  readonly code: number;
  /** Of a font of size 1. */
  readonly width: number;
}

const glyphOf = (fonts: readonly Font[], letter: string): Glyph | undefined => {
  const code = letter.codePointAt(0) ?? 0;
  for (const font of fonts) {
    const glyph = font.encodeCharacter(code);
    if (glyph !== 0) return { font, glyph, code, width: font.advanceGlyph(glyph, 0) };
  }
  return undefined;
};

/** Without signs that no font has, such as emoji; undefined if letters would be missing. */
const glyphsOf = (fonts: readonly Font[], line: string): readonly Glyph[] | undefined => {
  const glyphs: Glyph[] = [];
  for (const letter of line) {
    const found = glyphOf(fonts, letter);
    if (found !== undefined) glyphs.push(found);
    else if (/[\p{L}\p{M}\p{N}]/u.test(letter)) return undefined;
  }
  return glyphs;
};

/** In the middle of the card; a line that is too wide is set smaller. */
const setLine = (text: mupdf.Text, glyphs: readonly Glyph[], size: number, middle: number): void => {
  const width = glyphs.reduce((sum, glyph) => sum + glyph.width, 0);
  const fitted = Math.min(size, (CARD.width - 2 * CARD.margin) / Math.max(width, 0.01));
  let x = (CARD.width - width * fitted) / 2;
  for (const { font, glyph, code, width: advance } of glyphs) {
    text.showGlyph(font, [fitted, 0, 0, -fitted, x, middle + fitted * BASE], glyph, code, 0);
    x += advance * fitted;
  }
};

/** What is made in the memory of the module until the card is drawn. */
type Own = <T extends { destroy(): void }>(made: T) => T;

const drawGround = (own: Own, device: mupdf.Device, matrix: mupdf.Matrix): void => {
  const { width, height, frame } = CARD;
  const ground = own(new mupdf.Path());
  ground.rect(0, 0, width, height);
  device.fillPath(ground, false, matrix, mupdf.ColorSpace.DeviceRGB, colourOf(CARD.ground), 1);
  const border = own(new mupdf.Path());
  border.rect(frame, frame, width - frame, height - frame);
  const stroke = own(
    new mupdf.StrokeState({ lineWidth: BORDER_WIDTH, lineCap: 'Butt', lineJoin: 'Miter', miterLimit: 10 }),
  );
  device.strokePath(border, stroke, matrix, mupdf.ColorSpace.DeviceRGB, colourOf(CARD.border), 1);
};

/** The lines of a block, one below the other. */
const drawBlock = (own: Own, lines: readonly (readonly Glyph[])[], block: CardBlock, heights: readonly number[]) => {
  const text = own(new mupdf.Text());
  for (const [at, glyphs] of lines.entries()) setLine(text, glyphs, CARD[block].size, heights[at] ?? 0);
  return text;
};

const draw = (own: Own, text: CardText, scale: number): { pixels: Pixels; left: ReadonlySet<CardBlock> } => {
  const [width, height] = [Math.round(CARD.width * scale), Math.round(CARD.height * scale)];
  const pixmap = own(new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [0, 0, width, height], false));
  const fonts = FONTS.map((name) => own(new mupdf.Font(name)));
  const matrix = mupdf.Matrix.scale(width / CARD.width, height / CARD.height);
  const device = own(new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap));
  drawGround(own, device, matrix);
  const left = new Set<CardBlock>();
  for (const block of ['title', 'author'] as const) {
    const lines = text[block].map((line) => glyphsOf(fonts, line));
    const whole = lines.filter((line) => line !== undefined);
    if (whole.length < lines.length) left.add(block);
    else {
      const drawn = drawBlock(own, whole, block, heightsOf(block, text[block]));
      device.fillText(drawn, matrix, mupdf.ColorSpace.DeviceRGB, colourOf(CARD.ink), 1);
    }
  }
  device.close();
  return { pixels: { bytes: new Uint8Array(pixmap.getPixels()), width, height, channels: CHANNELS }, left };
};

/** `left`: what cannot be drawn in these fonts, and is not on the card. */
export const drawCard = (text: CardText, scale: number): { pixels: Pixels; left: ReadonlySet<CardBlock> } => {
  const owned: { destroy(): void }[] = [];
  const own: Own = (made) => {
    owned.push(made);
    return made;
  };
  try {
    return draw(own, text, scale);
  } catch (thrown) {
    noteTrap(thrown);
    throw thrown;
  } finally {
    quietly(() => {
      for (const one of owned.reverse()) one.destroy();
      mupdf.emptyStore();
    });
  }
};
