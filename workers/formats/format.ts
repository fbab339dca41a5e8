// What a container format provides for the steps. One file per format; formats/all.ts lists them in sniffing order.

import type { BookFormat } from '../../core/model/formats.js';
import type { Limits, Note } from '../../core/model/jobs.js';
import type { MediaName } from '../../core/model/media.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import type { Outline } from '../../core/model/outline.js';
import type { PageAddress } from '../../core/model/page-address.js';
import type { Checksum } from '../../core/model/page-hashes.js';
import type { PageFault } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';

/** An entry of a container that is a page. */
export interface ListedPage {
  readonly name: string;
  /** The length of a header that precedes the content is 0 where only the file itself tells. */
  readonly address: PageAddress;
  readonly packedSize: number;
  readonly size: number;
  readonly method: number;
  /** CRC-32 of the content, where the archive has one. */
  readonly crc?: number;
  /** A fault known before anything of the page was read. */
  readonly fault: PageFault;
  /** Type and size (pixels, as shown) if the container itself knows them; null: they are read from the page. */
  readonly known: { readonly media: MediaName; readonly width: number; readonly height: number } | null;
}

/** What reaching a page takes. */
export type Extent = Pick<ListedPage, 'address' | 'packedSize' | 'size' | 'method'>;

/** Where a page lies, and its first bytes, unpacked. */
export interface PageHead {
  readonly address: PageAddress;
  readonly bytes: Uint8Array;
  /** True when `bytes` is the whole page. */
  readonly isWhole: boolean;
}

export interface Container {
  readonly format: BookFormat;
  readonly pages: readonly ListedPage[];
  /** True when `pages` is the reading order; otherwise they are sorted by name. */
  readonly isOrdered: boolean;
  /** The number of pages shown to readers, if it differs from the length of `pages` (positions of a reflowable book). */
  readonly pageCount: number | null;
  readonly outline: Outline | null;
  readonly notes: readonly Note[];
  /** Of its content, where the archive has checksums: its pages, or the documents of a text. */
  readonly checksums: readonly Checksum[];
  /** The first bytes of a page: at least `wanted` of them if it has that many. Throws when they cannot be read. */
  head(page: ListedPage, wanted: number): PageHead | Promise<PageHead>;
  /** The whole content of a page, never more than its declared size. Throws when it cannot be read. */
  whole(page: Extent): Uint8Array | Promise<Uint8Array>;
  /** Frees the page that was read last. */
  forget?(): void;
  /** Indexes, among pages of these names in reading order, of those that are its cover according to the book, the best first. */
  frontPages?(names: readonly string[]): readonly number[];
  /** What the book says about itself; null when it says nothing. */
  metadata(): EmbeddedMetadata | null | Promise<EmbeddedMetadata | null>;
}

/** What opening may use in addition to the file. */
export interface OpenContext {
  readonly limits: Limits;
  /** Throws when the job was told to stop. */
  readonly check: () => void;
}

/** Waits for memory, and frees it, as every job does (step.ts). */
export interface Room {
  keepRoom(bytes: number): void;
  leaveRoom(): void;
}

/** What opening any book may use. */
export interface BookContext extends OpenContext {
  readonly room: Room;
}

export interface Format {
  /** True when these first bytes begin such a container. */
  sniff(head: Uint8Array): boolean;
  open(file: BookFile, context: BookContext): Container | Promise<Container>;
}
