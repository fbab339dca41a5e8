// A page before it is resized: an unchanged image file, or pixels if it had to be rendered or decoded elsewhere.

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Bytes per pixel: red, green, blue, and with four the opacity. */
  readonly channels: 3 | 4;
  /** Row by row. */
  readonly bytes: Uint8Array;
}

export type PageSource =
  | { readonly kind: 'image'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'pixels' } & Pixels);
