// What an EPUB contains, as far as apps that show text need it: its files with their places in the archive, its reading order, its ways of
// navigating. Read by a job on demand; stored in the cache as deflated JSON.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { EpubKind, OutlineEntry, SpineItem } from './outline.js';

/** One file of the archive. */
export interface EpubPart {
  /** As the archive spells it. */
  readonly path: string;
  /** As the package document says; '' for files that it does not list. */
  readonly mediaType: string;
  /** Position of its header in the archive. */
  readonly offset: number;
  readonly packedSize: number;
  readonly size: number;
  /** Of zip (APPNOTE 4.4.5). */
  readonly method: number;
  /** Index into PAGE_FAULTS; 0 means that it can be read. */
  readonly fault: number;
}

export interface EpubContents {
  readonly kind: EpubKind;
  readonly direction: 'ltr' | 'rtl' | null;
  readonly parts: readonly EpubPart[];
  /** Paths are those of `parts`, here and below. */
  readonly spine: readonly SpineItem[];
  /** What the package lists besides its reading order. */
  readonly resources: readonly string[];
  readonly cover: string | null;
  readonly toc: readonly OutlineEntry[];
  readonly landmarks: readonly OutlineEntry[];
  readonly pageList: readonly OutlineEntry[];
}

/** Texts and places are limited when the book is read (workers/formats/epub-contents.ts). */
const UNPACKED_MAX_BYTES = 128 * 1024 * 1024;

export const packContents = (contents: EpubContents): Uint8Array<ArrayBuffer> =>
  new Uint8Array(deflateRawSync(JSON.stringify(contents), { level: 3 }));

export interface UnpackedContents {
  readonly contents: EpubContents;
  readonly jsonBytes: number;
}

export const unpackContents = (packed: Uint8Array): UnpackedContents => {
  const json = inflateRawSync(packed, { maxOutputLength: UNPACKED_MAX_BYTES });
  return { contents: JSON.parse(json.toString()) as EpubContents, jsonBytes: json.length };
};
