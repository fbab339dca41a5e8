// How the pages look: colours changed by filters, and a background that may follow the edge of the page.
import type { Settings } from './rules/settings.js';

export const filterOf = (settings: Settings): string => {
  const { brightness, contrast, saturation, sepia, grey, hue, invert } = settings;
  const parts = [
    brightness !== 100 && `brightness(${brightness}%)`,
    contrast !== 100 && `contrast(${contrast}%)`,
    saturation !== 100 && `saturate(${saturation}%)`,
    sepia !== 0 && `sepia(${sepia}%)`,
    grey !== 0 && `grayscale(${grey}%)`,
    hue !== 0 && `hue-rotate(${hue}deg)`,
    invert && 'invert(1)',
  ];
  return parts.filter((part) => part !== false).join(' ');
};

/** Small enough to read at once, fine enough that nothing but the edge is in its first and last column. */
const SAMPLE = { width: 96, height: 32 };

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** The colour that most of the left and right edges of an image have. Undefined where it cannot be read. */
export const edgeColour = (image: HTMLImageElement): string | undefined => {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, SAMPLE);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null || image.naturalWidth === 0) return undefined;
  context.drawImage(image, 0, 0, SAMPLE.width, SAMPLE.height);
  const { data } = context.getImageData(0, 0, SAMPLE.width, SAMPLE.height);
  const rows = Array.from({ length: SAMPLE.height }, (_, row) => row * SAMPLE.width);
  const edge = rows.flatMap((start) => [start * 4, (start + SAMPLE.width - 1) * 4]);
  const channels = [0, 1, 2].map((channel) => middle(edge.map((at) => data[at + channel] ?? 0)));
  return `rgb(${channels.join(' ')})`;
};
