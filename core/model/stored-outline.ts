// Outlines as they are stored: deflated JSON.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Outline } from './outline.js';

/** A stored outline unpacks to less: its texts are limited when the book is read (workers/formats/epub.ts). */
const UNPACKED_MAX_BYTES = 256 * 1024 * 1024;

export const packOutline = (outline: Outline): Uint8Array<ArrayBuffer> =>
  new Uint8Array(deflateRawSync(JSON.stringify(outline)));

export const unpackOutline = (packed: Uint8Array): Outline =>
  JSON.parse(inflateRawSync(packed, { maxOutputLength: UNPACKED_MAX_BYTES }).toString()) as Outline;
