// The one contract between the engine and its worker threads: what a job takes and what it gives back.

import type { Fault } from './errors.js';
import type { BookFormat } from './formats.js';
import type { Place } from './held-place.js';
import type { EmbeddedMetadata } from './metadata.js';
import type { PageAddress } from './page-address.js';

/** Limits a job must keep; over a limit is an error (or a page fault) that names the limit. */
export interface Limits {
  readonly archiveEntries: number;
  readonly entryBytes: number;
  readonly entryRatio: number;
  readonly imagePixels: number;
  readonly xmlBytes: number;
}

/** The box an image is fitted into, in pixels; null leaves that side free. Images are never enlarged. */
export interface Box {
  readonly width: number | null;
  readonly height: number | null;
}

export type OutputFormat = 'jpeg' | 'png' | 'webp';

/** One page as it lies in a container, without its name. Sizes in bytes, width and height in pixels as shown (after EXIF rotation). */
export interface PageEntry {
  readonly address: PageAddress;
  readonly packedSize: number;
  readonly size: number;
  /** How the bytes are reached: METHOD in page-table.ts, or a compression method of zip that is not supported. */
  readonly method: number;
  /** Index into MEDIA. */
  readonly media: number;
  readonly width: number;
  readonly height: number;
  /** Index into PAGE_FAULTS; 0 means that the page is sound. */
  readonly fault: number;
}

export interface NamedPage extends PageEntry {
  readonly name: string;
}

export interface Cover {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface ThumbnailOptions {
  /** Longest side in pixels. */
  readonly side: number;
  readonly quality: number;
}

/** Which part of an analysis a remark or an error belongs to (`errorType` of GET /books/errors). */
export const REMARK_TYPES = [
  'format_detection',
  'parser',
  'metadata',
  'thumbnail',
  'page_extraction',
  'pdf_rendering',
  'zero_pages',
  'other',
] as const;
export type RemarkType = (typeof REMARK_TYPES)[number];

export interface Note {
  readonly type: RemarkType;
  readonly message: string;
}

export interface AnalyzeInput extends Place {
  readonly limits: Limits;
  readonly thumbnail: ThumbnailOptions;
}

export interface Analysis {
  /** What the bytes are; null when they are no format that is read. */
  readonly format: BookFormat | null;
  readonly sizeBytes: number;
  /** Modification time as an integer of milliseconds (floor), as it was before the file was read. */
  readonly mtimeMs: number;
  /** XXH64 of the whole file, 16 hex digits; empty for a file that is no book: it is not read to its end. */
  readonly fileHash: string;
  /** The e-reader's partial MD5, 32 hex digits. */
  readonly koreaderHash: string;
  /** Null when no page can be listed; then `fault` says why. A reflowable book may have a table without pages. */
  readonly pageTable: Uint8Array | null;
  /** Pages of the book: for a reflowable EPUB its positions, which are not the images in the table. */
  readonly pageCount: number;
  /** Spine and table of contents as deflated JSON (Outline); null where the format has none. */
  readonly outline: Uint8Array | null;
  /** What is odd about a book that can be read: another format than its name says, a damaged end, metadata that is not well formed. */
  readonly notes: readonly Note[];
  readonly metadata: EmbeddedMetadata | null;
  /** Null when no page decodes. */
  readonly cover: Cover | null;
  /** Why the book as a whole cannot be read; null when at least one page can. */
  readonly fault: Fault | null;
}

/** What a file was when its pages were listed; another file at its place is FileChanged. */
export interface FileState {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

export interface PageInput extends Place {
  /** Null for files of our own making. */
  readonly state: FileState | null;
  readonly page: PageEntry;
  readonly box: Box;
  /** Null keeps JPEG, PNG and WebP and turns everything else into JPEG. */
  readonly format: OutputFormat | null;
  readonly quality: number;
  readonly limits: Limits;
}

/** A page is never drawn larger than this, whatever its size and the wish. */
export const DRAWN_PIXELS_MAX = 24_000_000;

export interface PageImage {
  readonly bytes: Uint8Array;
  readonly format: OutputFormat;
  readonly width: number;
  readonly height: number;
}

export interface OriginalInput extends Place {
  readonly state: FileState | null;
  readonly page: PageEntry;
  readonly limits: Limits;
}

/** Pages of a solid archive, in archive order, to be unpacked into one file in a single pass. */
export interface SpillInput extends Place {
  readonly state: FileState | null;
  /** A new file, owned by the caller. */
  readonly target: string;
  readonly pages: readonly SpillPage[];
  /** One byte a page of `pages`: 0 not yet, 1 written, 2 damaged. Read by the caller while the job runs. */
  readonly states: SharedArrayBuffer;
  readonly limits: Limits;
}

export interface SpillPage {
  /** Entry number in the archive. */
  readonly index: number;
  readonly size: number;
  /** Where in the target file it goes. */
  readonly offset: number;
}

export interface CoverInput extends Place {
  /** Candidates in order; the first that decodes wins. */
  readonly pages: readonly PageEntry[];
  readonly thumbnail: ThumbnailOptions;
  readonly limits: Limits;
}

export interface WalkInput {
  readonly root: string;
  /** Folders to visit, relative to root ('' is the root itself), with `/` between parts. */
  readonly folders: readonly string[];
  /** Digest a folder had when it was last recorded; a folder with the same digest is reported without its files. */
  readonly known: ReadonlyMap<string, string>;
  /** Lower-case extensions without a dot. */
  readonly extensions: readonly string[];
  /** Globs, one a line; empty when nothing is excluded. */
  readonly excluded: string;
  /** True when the series that a `metadata.opf` beside books names is wanted. */
  readonly readsSeries: boolean;
  /** Stop after about this many files and hand the remaining folders back in `rest`. */
  readonly fileBudget: number;
}

/** What a folder holds and the walk could not read. */
export interface UnclearFolder {
  readonly path: string;
  /** Names directly in it; null when nothing is known of the whole folder. */
  readonly names: readonly string[] | null;
  /** True when it holds names that are not valid UTF-8: on a disk mounted with another character set, that is how known names look. */
  readonly hasForeignNames: boolean;
}

/** A folder that holds at least one book file, or held one when it was last recorded, or something that could not be read. */
export interface WalkedFolder {
  readonly path: string;
  /** 16 hex digits over names, sizes and times of the book files directly in it and of what lies beside them. */
  readonly digest: string;
  readonly fileCount: number;
  /** What lies beside the books: a picture that stands for them, and a digest of the files that describe them ('' when there are
   *  none), and the series one of them names when that was wanted. */
  readonly beside: { readonly cover: string | null; readonly sidecars: string; readonly series: string | null };
  /** Null when the digest is the known one. Parallel arrays. */
  readonly files: {
    readonly names: readonly string[];
    readonly sizes: readonly number[];
    readonly mtimesMs: readonly number[];
  } | null;
}

export interface WalkOutput {
  readonly folders: readonly WalkedFolder[];
  readonly rest: readonly string[];
  /** Every folder in which something could not be read, links included: what was known there and was not met is not gone. */
  readonly unclear: readonly UnclearFolder[];
  /** The same for people: paths relative to root, and why. At most 100; `unreadableCount` has them all. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
  readonly unreadableCount: number;
  /** Symbolic links met; none is followed. */
  readonly linkCount: number;
  readonly fileCount: number;
}

export type FingerprintInput = Place;

export interface Fingerprint {
  readonly sizeBytes: number;
  readonly fileHash: string;
  readonly koreaderHash: string;
}

/** Job name to what goes in and what comes out. */
export interface Jobs {
  readonly analyze: { readonly input: AnalyzeInput; readonly output: Analysis };
  readonly page: { readonly input: PageInput; readonly output: PageImage };
  readonly cover: { readonly input: CoverInput; readonly output: Cover };
  readonly original: { readonly input: OriginalInput; readonly output: { readonly bytes: Uint8Array } };
  readonly spill: { readonly input: SpillInput; readonly output: { readonly written: number } };
  readonly walk: { readonly input: WalkInput; readonly output: WalkOutput };
  readonly partial: { readonly input: FingerprintInput; readonly output: { readonly koreaderHash: string } };
  readonly fingerprint: { readonly input: FingerprintInput; readonly output: Fingerprint };
}

export type JobName = keyof Jobs;

/** Places in the shared memory of a job, an Int32 each. */
export const CONTROL = {
  /** Anything but 0 means: stop at the next step or page. */
  cancel: 0,
  /** Counts up while the job gets on; 0 until a thread has begun it. */
  progress: 1,
  /** What it holds of the room for decoding (decode-room.ts). */
  held: 2,
} as const;
export const CONTROL_BYTES = 12;

/** What is posted to a thread: the job, its input, and the shared memory through which both sides talk while it runs. */
export interface Job<K extends JobName = JobName> {
  readonly name: K;
  readonly input: Jobs[K]['input'];
  readonly control: SharedArrayBuffer;
  /** Wall clock in milliseconds since the epoch after which the job must have stopped by itself. */
  readonly deadlineMs: number;
  /** True when nobody waits: a large file is given more time. */
  readonly isPatient: boolean;
}

export interface StepTime {
  readonly step: string;
  readonly ms: number;
}

/** Which thread worked, and whether its own memory has grown so large that it should not be given another job. */
export interface Ran {
  readonly thread: number;
  readonly retire: boolean;
  /** Memory of compiled readers in that thread, which never shrinks. */
  readonly heapBytes: number;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly times: readonly StepTime[] }
  | { readonly ok: false; readonly error: Fault; readonly times: readonly StepTime[] };
