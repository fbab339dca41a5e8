// The page table of a book: where each page is in the file. One compact blob per book; pure encoding and decoding.
import { deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { AppError } from './errors.js';
import { type BookFormat, FORMATS, storedFormat } from './formats.js';
import type { NamedPage, PageEntry } from './jobs.js';
import type { PageAddress } from './page-address.js';

/** The whole range of zlib's parameters: their defaults are for long streams. */
const WINDOW_BITS = { least: 9, most: 15 };
const MEMORY_LEVEL = { least: 1, most: 8, belowWindow: 7 };

/** Of so many bytes the result is the same; zlib allocates less, 268 kB by default, which takes as long as compressing a small table. */
const sizedFor = (bytes: number): ZlibOptions => {
  const windowBits = Math.max(
    WINDOW_BITS.least,
    Math.min(WINDOW_BITS.most, Math.ceil(Math.log2(bytes + MARGIN_BYTES))),
  );
  const memLevel = Math.max(MEMORY_LEVEL.least, Math.min(MEMORY_LEVEL.most, windowBits - MEMORY_LEVEL.belowWindow));
  return { windowBits, memLevel, chunkSize: Math.max(CHUNK_LEAST_BYTES, Math.min(CHUNK_MOST_BYTES, bytes)) };
};

/** What zlib looks ahead is not part of its window. */
const MARGIN_BYTES = 300;
const CHUNK_LEAST_BYTES = 64;
const CHUNK_MOST_BYTES = 16 * 1024;

const packedWith = (method: string): string =>
  `The page is compressed with ${method}, which Longbox cannot read; repack the archive with Deflate.`;

/** Why a single page cannot be shown, as a word and as a message. The index is stored: append only. */
const FAULTS = [
  ['none', null],
  ['empty', 'The page is empty.'],
  ['encrypted', 'The page is encrypted.'],
  ['method', packedWith('a rare method')],
  ['outside', 'The page lies outside the file.'],
  ['tooLarge', 'The page exceeds the size limit.'],
  ['notAnImage', 'The page is not an image.'],
  ['damaged', 'The image is damaged.'],
  ['tooManyPixels', 'The image exceeds the pixel limit; make it smaller, or have limits.image_pixels raised.'],
  ['notAFile', 'The page is not a regular file.'],
  ['cutOff', 'The page is cut off: the file ends in the middle of it.'],
  ['deflate64', packedWith('Deflate64')],
  ['bzip2', packedWith('bzip2')],
  ['lzma', packedWith('LZMA')],
  ['zstd', packedWith('Zstandard')],
  ['xz', packedWith('XZ')],
  ['ppmd', packedWith('PPMd')],
  [
    'sparse',
    'The page is stored with holes (a sparse file), which Longbox cannot read; pack the archive without --sparse.',
  ],
  ['missing', 'The image that the page shows is missing from the file.'],
  ['lab', 'The image is in 8-bit CIELAB colours, which Longbox cannot decode; convert it to RGB.'],
] as const;

export type PageFault = (typeof FAULTS)[number][0];

/** Messages by the stored index; null means that the page is sound. */
export const PAGE_FAULTS: readonly (string | null)[] = FAULTS.map(([, sentence]) => sentence);

const NUMBERS: ReadonlyMap<PageFault, number> = new Map(FAULTS.map(([fault], index) => [fault, index]));

export const faultNumber = (fault: PageFault): number => NUMBERS.get(fault) ?? 0;

/**
 * How the bytes of a page are reached; stored. 0, 8 and 9 are those of zip (APPNOTE 4.4.5), the rest are ours, above what zip may ever use here.
 * `deflate64`: of zip too, but only a worker can unpack it.
 * `encrypted`: of zip, and opened by one of the passwords in the settings; only in a worker.
 * `raw`: stored uncompressed in the file. `rar`: an entry of an archive, unpacked alone. `solid`: the same, after all before it.
 * `pdf`: a page of a document, rendered. `pdfImage`: a page that is one JPEG, taken out of the document.
 * `blank`: a page that is not in the file, since it shows nothing (blank-page.ts), or since its image is missing.
 */
export const METHOD = {
  stored: 0,
  deflated: 8,
  deflate64: 9,
  raw: 240,
  rar: 241,
  solid: 242,
  pdf: 243,
  pdfImage: 244,
  blank: 245,
  encrypted: 246,
} as const;

const VERSION = 1;
const HEADER_BYTES = 8;
/** Address 6 + 4, packed size 5, size 5, width 3, height 3, method 1, media 1, fault 1, check 1. */
const ENTRY_BYTES = 30;

const clamp = (value: number, max: number): number => Math.max(0, Math.min(max, Math.trunc(value)));

/** An address as the two numbers that are stored: position and header, nothing and entry, page and object. */
const numbersOf = (address: PageAddress): readonly [number, number] => {
  if (address.in === 'file') return [address.offset, address.headerBytes];
  return address.in === 'archive' ? [0, address.entry] : [address.page, address.object];
};

/** The method says which kind of address the numbers are. */
const addressOf = (method: number, first: number, second: number): PageAddress => {
  if (method === METHOD.rar || method === METHOD.solid) return { in: 'archive', entry: second };
  if (method === METHOD.pdf || method === METHOD.pdfImage) return { in: 'document', page: first, object: second };
  return { in: 'file', offset: first, headerBytes: second };
};

const writeEntry = (out: Buffer, at: number, page: PageEntry): void => {
  const [first, second] = numbersOf(page.address);
  out.writeUIntLE(clamp(first, 2 ** 48 - 1), at, 6);
  out.writeUInt32LE(clamp(second, 2 ** 32 - 1), at + 6);
  out.writeUIntLE(clamp(page.packedSize, 2 ** 40 - 1), at + 10, 5);
  out.writeUIntLE(clamp(page.size, 2 ** 40 - 1), at + 15, 5);
  out.writeUIntLE(clamp(page.width, 2 ** 24 - 1), at + 20, 3);
  out.writeUIntLE(clamp(page.height, 2 ** 24 - 1), at + 23, 3);
  out.writeUInt8(clamp(page.method, 255), at + 26);
  out.writeUInt8(page.media, at + 27);
  out.writeUInt8(page.fault, at + 28);
  out.writeUInt8((page.check ?? 0) & 0xff, at + 29);
};

/** A page that cannot be written here is not marked; tables of earlier releases have zeros. */
const FRONT_MAX = 0xfffe;

/** Packs pages (in reading order) into a deflated blob: a header, fixed-size entries, then the names as JSON. `front`: the index of the page that is the cover according to the book. */
export const encodePageTable = (
  format: BookFormat,
  pages: readonly NamedPage[],
  front: number | null = null,
): Uint8Array => {
  const names = Buffer.from(JSON.stringify(pages.map((page) => page.name)));
  const out = Buffer.alloc(HEADER_BYTES + pages.length * ENTRY_BYTES + names.length);
  out.writeUInt8(VERSION, 0);
  out.writeUInt8(FORMATS[format].stored, 1);
  out.writeUInt16LE(front === null || front > FRONT_MAX ? 0 : front + 1, 2);
  out.writeUInt32LE(pages.length, 4);
  pages.forEach((page, index) => {
    writeEntry(out, HEADER_BYTES + index * ENTRY_BYTES, page);
  });
  names.copy(out, HEADER_BYTES + pages.length * ENTRY_BYTES);
  return deflateRawSync(out, { level: 3, ...sizedFor(out.length) });
};

/** A decoded table. Entries are read from the packed bytes on demand, so that a cached table costs little. */
export class PageTable {
  readonly format: BookFormat;
  readonly pageCount: number;
  readonly #bytes: Buffer;
  #names: readonly string[] | null = null;

  constructor(blob: Uint8Array) {
    this.#bytes = inflateRawSync(blob, { maxOutputLength: 64 * 1024 * 1024 });
    const format = storedFormat(this.#bytes.readUInt8(1));
    if (this.#bytes.readUInt8(0) !== VERSION || format === undefined) {
      throw new AppError('Internal', 'The stored page table has an unknown version; analyse the book again.');
    }
    this.format = format;
    this.pageCount = this.#bytes.readUInt32LE(4);
  }

  /** Bytes this table keeps in memory. */
  get sizeBytes(): number {
    return this.#bytes.length;
  }

  /** The entry of a page by its index (0-based); undefined outside the table. */
  entry(index: number): PageEntry | undefined {
    if (index < 0 || index >= this.pageCount) return undefined;
    const at = HEADER_BYTES + index * ENTRY_BYTES;
    const b = this.#bytes;
    const method = b.readUInt8(at + 26);
    return {
      address: addressOf(method, b.readUIntLE(at, 6), b.readUInt32LE(at + 6)),
      packedSize: b.readUIntLE(at + 10, 5),
      size: b.readUIntLE(at + 15, 5),
      width: b.readUIntLE(at + 20, 3),
      height: b.readUIntLE(at + 23, 3),
      method,
      media: b.readUInt8(at + 27),
      fault: b.readUInt8(at + 28),
      check: b.readUInt8(at + 29),
    };
  }

  /** The index of the page that is the cover according to the book; null: the first. */
  get front(): number | null {
    const stored = this.#bytes.readUInt16LE(2);
    return stored === 0 ? null : stored - 1;
  }

  names(): readonly string[] {
    this.#names ??= JSON.parse(this.#bytes.toString('utf8', HEADER_BYTES + this.pageCount * ENTRY_BYTES)) as string[];
    return this.#names;
  }
}
