// What the page path returns.
import type { ReadPart } from './open-files.js';

/** Content to send. A `file` is a byte range of an open file: its receiver must call `release`. `current` needs no bytes. */
export type Content =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mediaType: string; readonly tag: string }
  | {
      readonly kind: 'file';
      readonly fd: number;
      readonly readPart: ReadPart;
      readonly offset: number;
      readonly length: number;
      readonly hot: boolean;
      readonly mediaType: string;
      readonly tag: string;
      release(): void;
    }
  | { readonly kind: 'current'; readonly tag: string };
