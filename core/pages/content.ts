// What the page path returns.
import type { Lent } from '../store/lent.js';
import type { ReadPart } from './open-files.js';

/**
 * Content to send. A `file` is a byte range of an open file: its receiver must call `release`. `lent` is read when it is sent. `current`
 * needs no bytes.
 */
export type Content =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mediaType: string; readonly tag: string }
  | { readonly kind: 'lent'; readonly read: Lent; readonly mediaType: string; readonly tag: string }
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

/** What the cache has of a page. */
export const cachedContent = (found: Uint8Array | Lent, mediaType: string, tag: string): Content =>
  typeof found === 'function'
    ? { kind: 'lent', read: found, mediaType, tag }
    : { kind: 'bytes', bytes: found, mediaType, tag };
