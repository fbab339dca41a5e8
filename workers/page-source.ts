// A page before it is resized: an unchanged image file, or pixels if it had to be rendered or decoded elsewhere.
import type { Box } from '../core/model/jobs.js';
import type { Insets } from '../core/model/page-insets.js';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Bytes per pixel: red, green, blue, and with four the opacity. */
  readonly channels: 3 | 4;
  /** Row by row. */
  readonly bytes: Uint8Array;
}

/** A picture at its place on a larger one. */
export interface Placed {
  readonly pixels: Pixels;
  readonly left: number;
  readonly top: number;
}

/** What is wanted of a page without what is around it. */
export interface PagePart {
  readonly insets: Insets;
  readonly box: Box;
}

export type PageSource =
  | { readonly kind: 'image'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'pixels' } & Pixels);
