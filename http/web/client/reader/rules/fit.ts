// How large pages are shown, and how wide an image to ask the server for.
import type { Size } from './pages.js';

export const FITS = ['screen', 'width', 'height', 'original', 'stretch', 'shrink'] as const;
export type Fit = (typeof FITS)[number];

export interface Screen extends Size {
  /** Device pixels of a CSS pixel. */
  readonly density: number;
}

const scaled = ({ width, height }: Size, scale: number): Size => ({ width: width * scale, height: height * scale });

const within = (size: Size, screen: Size): number => Math.min(screen.width / size.width, screen.height / size.height);

/** One pixel of the image on one of the device. */
const sharp = (screen: Screen): number => 1 / screen.density;

const BOXES = {
  screen: (size, screen) => scaled(size, within(size, screen)),
  width: (size, screen) => scaled(size, screen.width / size.width),
  height: (size, screen) => scaled(size, screen.height / size.height),
  original: (size, screen) => scaled(size, sharp(screen)),
  stretch: (_, { width, height }) => ({ width, height }),
  shrink: (size, screen) => scaled(size, Math.min(sharp(screen), within(size, screen))),
} satisfies Record<Fit, (size: Size, screen: Screen) => Size>;

/** CSS pixels. */
export const boxOf = (size: Size, screen: Screen, fit: Fit): Size => BOXES[fit](size, screen);

/** What is left of a window between margins on either side, which are given in per cent of its width. */
export const withinMargins = (screen: Screen, percent: number): Screen => ({
  ...screen,
  width: (screen.width * (100 - 2 * percent)) / 100,
});

/** Pages beside each other are equally tall, whatever the resolution they were scanned in. */
export const boxesOf = (sizes: readonly Size[], screen: Screen, fit: Fit): readonly Size[] => {
  const tallest = Math.max(1, ...sizes.map(({ height }) => height));
  const even = sizes.map((size) => scaled(size, tallest / size.height));
  const width = even.reduce((sum, size) => sum + size.width, 0);
  const box = boxOf({ width, height: tallest }, screen, fit);
  return even.map((size) => ({ width: (size.width / width) * box.width, height: box.height }));
};

/** A few widths, so that a page made for one window serves most others, from the caches of browser and server. */
export const WIDTHS = [320, 480, 640, 800, 900, 1080, 1440, 1800, 2160, 2880, 3840] as const;

/** The original is sent as it is, at once; a smaller image is worth making only if it is much smaller. */
const WORTH_MAKING = 0.7;

/** Undefined for the original. */
export const widthToAsk = (shownWidth: number, density: number, originalWidth: number | null): number | undefined => {
  const wanted = WIDTHS.find((width) => width >= Math.floor(shownWidth * density));
  if (wanted === undefined) return undefined;
  return originalWidth !== null && wanted >= originalWidth * WORTH_MAKING ? undefined : wanted;
};
