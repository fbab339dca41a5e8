// A page on its way to be resized: an image file as it is, or pixels where it had to be drawn or decoded elsewhere.

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Bytes a pixel: red, green, blue, and with four the opacity. */
  readonly channels: 3 | 4;
  /** Row by row. */
  readonly bytes: Uint8Array;
}

export type PageSource =
  | { readonly kind: 'image'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'pixels' } & Pixels);
