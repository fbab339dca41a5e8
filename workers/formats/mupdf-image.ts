// Image files that the image library does not read, decoded by the PDF engine.
import { AppError } from '../../core/model/errors.js';
import { noteTrap, wasRefused } from '../heaps.js';
import { shrinkable, tooMuch } from './mupdf.js';
import { mupdf, quietly } from './mupdf-module.js';
import type { Size } from './pdf-size.js';

/** The PDF engine's pixels have premultiplied alpha; the image library's do not. */
const divideByAlpha = (pixels: Uint8Array): void => {
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0;
    if (alpha === 0 || alpha === 255) continue;
    for (let channel = at; channel < at + 3; channel += 1)
      pixels[channel] = Math.min(255, Math.round(((pixels[channel] ?? 0) * 255) / alpha));
  }
};

/** Pixels of an image file that the image library does not read (JPEG 2000, BMP). The caller has checked its size. */
export const decodeImage = (file: Uint8Array): { readonly bytes: Uint8Array; readonly channels: 3 | 4 } & Size => {
  const owned: { destroy(): void }[] = [];
  const own = <T extends { destroy(): void }>(made: T): T => {
    owned.push(made);
    return made;
  };
  try {
    const image = own(new mupdf.Image(file));
    const decoded = own(image.toPixmap());
    const hasAlpha = decoded.getAlpha() !== 0;
    const isPlain = decoded.getColorSpace()?.getName() === mupdf.ColorSpace.DeviceRGB.getName();
    const rgb = isPlain ? decoded : own(decoded.convertToColorSpace(mupdf.ColorSpace.DeviceRGB, hasAlpha));
    const pixels = rgb.getPixels();
    const bytes = shrinkable(pixels.length);
    bytes.set(pixels);
    if (hasAlpha) divideByAlpha(bytes);
    return { bytes, width: rgb.getWidth(), height: rgb.getHeight(), channels: hasAlpha ? 4 : 3 };
  } catch (thrown) {
    noteTrap(thrown);
    if (wasRefused()) throw tooMuch('Decoding the image');
    throw new AppError('CorruptPage', 'The image is damaged.', null, thrown);
  } finally {
    quietly(() => {
      for (const one of owned.reverse()) one.destroy();
      mupdf.emptyStore();
    });
  }
};
