// What a container format can do for the steps. One file a format; formats/all.ts lists them in sniffing order.
import type { BookFormat, Limits } from '../../core/model/jobs.js';
import type { PageFault } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';

/** An entry of a container that is a page by its name, in no particular order. */
export interface ListedPage {
  readonly name: string;
  readonly offset: number;
  readonly packedSize: number;
  readonly size: number;
  readonly method: number;
  /** What rules the page out before anything of it was read. */
  readonly fault: PageFault;
}

/** Where the content of a page begins, and its first bytes, unpacked. */
export interface PageHead {
  readonly lead: number;
  readonly bytes: Uint8Array;
  /** True when `bytes` is the whole page. */
  readonly whole: boolean;
}

export interface Container {
  readonly format: BookFormat;
  readonly pages: readonly ListedPage[];
  /** The first bytes of a page, at least `wanted` of them where it has that many. Throws when they cannot be had. */
  head(page: ListedPage, wanted: number): PageHead;
  /** The whole content of a page, never more than its declared size. Throws when it cannot be had. */
  whole(page: ListedPage): Uint8Array;
  /** Bytes of the embedded metadata file, or null when there is none (or it is larger than the limit). */
  metadata(): Uint8Array | null;
}

export interface Format {
  readonly format: BookFormat;
  /** True when these first bytes begin such a container. */
  sniff(head: Uint8Array): boolean;
  open(file: BookFile, limits: Limits): Container | Promise<Container>;
}
