// What the settings come to for one book in one window: what is left to the book or the window is decided here.
import type { Size } from './pages.js';
import type { Mode, Settings } from './settings.js';

export type BookDirection = 'ltr' | 'rtl' | 'ttb' | 'webtoon';

export interface PageLayout {
  readonly mode: Exclude<Mode, 'auto'>;
  readonly isRtl: boolean;
  readonly isDouble: boolean;
}

export interface BookShape {
  readonly direction: BookDirection;
  /** Its pages are one strip, cut into pieces. */
  readonly isStrip: boolean;
}

/** CSS pixels. In a lower window, such as that of a phone held sideways, two pages would be too small to read. */
const PAIR_HEIGHT_MIN = 500;

const fitsPair = ({ width, height }: Size): boolean => height >= PAIR_HEIGHT_MIN && width > height * 1.1;

const modeOf = (mode: Mode, { direction, isStrip }: BookShape): PageLayout['mode'] => {
  if (mode !== 'auto') return mode;
  if (direction === 'webtoon' || isStrip) return 'strip';
  return direction === 'ttb' ? 'paged-down' : 'paged';
};

export const pageLayoutOf = ({ mode, direction, pairs }: Settings, book: BookShape, screen: Size): PageLayout => {
  const found = modeOf(mode, book);
  return {
    mode: found,
    isRtl: direction === 'auto' ? book.direction === 'rtl' : direction === 'rtl',
    isDouble: found === 'paged' && (pairs === 'double' || (pairs === 'auto' && fitsPair(screen))),
  };
};
