// Cropping the borders of pages: which part of a page is shown, and its size.

import type { PageLayout } from './page-layout.js';
import type { Size } from './pages.js';
import type { Settings } from './settings.js';

export interface ContentBox extends Size {
  readonly left: number;
  readonly top: number;
}

/** Shares of the page. */
export interface Crop extends Size {
  readonly left: number;
  readonly top: number;
}

interface BoxedPage {
  readonly width: number | null;
  readonly height: number | null;
  readonly contentBox: ContentBox | null;
}

/** Null for a page that is shown whole. */
export const cropOf = ({ width, height, contentBox: box }: BoxedPage): Crop | null => {
  if (box === null || width === null || height === null || (box.width === width && box.height === height)) return null;
  return { left: box.left / width, top: box.top / height, width: box.width / width, height: box.height / height };
};

export const croppedSize = ({ width, height }: Size, crop: Crop | null): Size =>
  crop === null ? { width, height } : { width: width * crop.width, height: height * crop.height };

export const isCropWanted = ({ crop, stripCrop }: Settings, { mode }: Pick<PageLayout, 'mode'>): boolean =>
  mode.startsWith('strip') ? stripCrop : crop;
