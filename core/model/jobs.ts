// The contract between the engine and its worker threads: the input and output of each job.
import type { CardText } from './card-text.js';
import type { Fault } from './errors.js';
import type { BookFormat } from './formats.js';
import type { Place } from './held-place.js';
import type { EmbeddedMetadata } from './metadata.js';
import type { EpubKind } from './outline.js';
import type { PageAddress } from './page-address.js';
import type { Insets } from './page-insets.js';
import type { StepTime } from './ran.js';
import type { FoldersInput, FoldersOutput, WalkInput, WalkOutput } from './walk-jobs.js';

export { CONTROL, CONTROL_BYTES, GROWTH } from './job-control.js';
export type { Ran, StepTime } from './ran.js';
export type { FoldersInput, FoldersOutput, UnclearFolder, WalkedFolder, WalkInput, WalkOutput } from './walk-jobs.js';

/** Limits that a job must respect; exceeding one is an error (or a page fault) that names the limit. */
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

/** One page as stored in a container, without its name. Sizes in bytes, width and height in pixels as shown (after EXIF rotation). */
export interface PageEntry {
  readonly address: PageAddress;
  readonly packedSize: number;
  readonly size: number;
  /** How the bytes are reached: METHOD in page-table.ts, or a zip compression method that is not supported. */
  readonly method: number;
  /** Index into MEDIA. */
  readonly media: number;
  readonly width: number;
  readonly height: number;
  /** Index into PAGE_FAULTS; 0 means that the page is sound. */
  readonly fault: number;
  /** The lowest byte of its CRC-32, where the archive has one. */
  readonly check?: number;
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

/** The part of an analysis that a remark or an error belongs to (`errorType` of GET /books/errors). */
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
  /** Whether the cover is made from what was read anyway. Otherwise it is left for later, unless that would mean unpacking its page again. */
  readonly withCover: boolean;
  /** True where its folder was just listed, and no file that describes books is in it. */
  readonly isAlone?: boolean;
  /** The hash tells whether the file has changed. Otherwise a slow disk need not be read to the end before the book can be read. */
  readonly mustHash?: boolean;
}

/** How much a job read from its file, and how long it waited for that. */
export interface Reading {
  readonly bytes: number;
  readonly ms: number;
}

export interface Analysis {
  /** The format of the content; null when it is not supported. */
  readonly format: BookFormat | null;
  readonly sizeBytes: number;
  /** Modification time in whole milliseconds (rounded down), as it was before the file was read. */
  readonly mtimeMs: number;
  /** XXH64 of the whole file, 16 hex digits; empty for a file that is not a book, which is not read to its end, and while it is due. */
  readonly fileHash: string;
  /** The hash of the whole file was left for later. */
  readonly isHashDue: boolean;
  /** The e-reader's partial MD5, 32 hex digits. */
  readonly koreaderHash: string;
  /** Null when no page can be listed; then `fault` says why. A reflowable book may have a table without pages. */
  readonly pageTable: Uint8Array | null;
  /** Pages of the book: for a reflowable EPUB its positions, which are not the images in the table. */
  readonly pageCount: number;
  /** Spine and table of contents as deflated JSON (Outline); null where the format has none. */
  readonly outline: Uint8Array | null;
  /** Null for what is no EPUB. */
  readonly epubKind: EpubKind | null;
  /** By which the book is recognised in another file (page-hashes.ts). */
  readonly pageHashes: string | null;
  /** Oddities of a readable book: another format than its name says, a damaged end, malformed metadata. */
  readonly notes: readonly Note[];
  readonly metadata: EmbeddedMetadata | null;
  /** Null when no page decodes, or while it is due. */
  readonly cover: Cover | null;
  /** The book has a page that may be its cover, but the cover was left for later. */
  readonly isCoverDue: boolean;
  readonly reading: Reading;
  /** Why the book as a whole cannot be read; null when at least one page can. */
  readonly fault: Fault | null;
}

/** The state of a file when its pages were listed; another file in its place is FileChanged. */
export interface FileState {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** The key of an image in the journal of the thread that decodes it (decode-journal.ts). */
export interface Journaled {
  readonly journalKey?: string | undefined;
}

export interface PageInput extends Place, Journaled {
  /** Null for files we created ourselves. */
  readonly state: FileState | null;
  readonly page: PageEntry;
  /** What the page is fitted into, or the part of it within these insets. */
  readonly box: Box;
  readonly insets?: Insets | undefined;
  /** Null keeps JPEG, PNG and WebP and converts everything else to JPEG. */
  readonly format: OutputFormat | null;
  readonly quality: number;
  readonly limits: Limits;
}

/** A page is never rendered larger than this, whatever its own and the requested size. */
export const DRAWN_PIXELS_MAX = 24_000_000;

export interface PageImage {
  readonly bytes: Uint8Array;
  readonly format: OutputFormat;
  readonly width: number;
  readonly height: number;
}

export interface OriginalInput extends Place, Journaled {
  readonly state: FileState | null;
  readonly page: PageEntry;
  readonly limits: Limits;
}

/** An EPUB whose contents are listed. The analysis has found how it is laid out. */
export interface ContentsInput extends Place, Journaled {
  readonly state: FileState;
  readonly kind: EpubKind;
  readonly limits: Limits;
}

/** Pages of a solid archive, in archive order, to be unpacked into one file in a single pass. */
export interface SpillInput extends Place, Journaled {
  readonly state: FileState | null;
  /** A new file, owned by the caller. */
  readonly target: string;
  readonly pages: readonly SpillPage[];
  /** One byte per page of `pages`: 0 not yet, 1 written, 2 damaged. Read by the caller while the job runs. */
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

export interface CoverInput extends Place, Journaled {
  /** Candidates in order; the first that decodes wins. */
  readonly pages: readonly PageEntry[];
  readonly thumbnail: ThumbnailOptions;
  readonly limits: Limits;
}

/** Pages of which it is asked where their borders end. */
export interface BordersInput extends Place, Journaled {
  /** Null for files we created ourselves. */
  readonly state: FileState | null;
  readonly pages: readonly PageEntry[];
  readonly limits: Limits;
}

/** Pages that are shown small on one sheet. */
export interface SheetInput extends BordersInput {
  readonly quality: number;
}

/** Pages whose looks are compared with those of other books. */
export interface LookInput extends Place, Journaled {
  readonly state: FileState;
  readonly pages: readonly PageEntry[];
  readonly limits: Limits;
}

/** An image that somebody uploads. Strictly taken, a damaged one is refused; otherwise its sound part is used. */
export interface UploadInput extends Pick<PageInput, 'box' | 'quality' | 'limits' | 'journalKey'> {
  readonly bytes: Uint8Array;
  readonly isStrict: boolean;
}

/** The cover of a book without a picture. */
export type CardInput = ThumbnailOptions & { readonly text: CardText };

export type FingerprintInput = Place;

export interface DescribeInput extends Place {
  readonly limits: Limits;
}

export type IdentifyInput = DescribeInput;

/** By which a book is recognised without reading its whole file. */
export type Identity = Pick<Analysis, 'koreaderHash' | 'pageHashes'>;

export interface HashInput extends Place {
  readonly state: FileState;
}

export interface Fingerprint {
  readonly sizeBytes: number;
  readonly fileHash: string;
  readonly koreaderHash: string;
}

/** Job name to its input and output. */
export interface Jobs {
  readonly analyze: { readonly input: AnalyzeInput; readonly output: Analysis };
  readonly describe: { readonly input: DescribeInput; readonly output: { readonly metadata: EmbeddedMetadata | null } };
  readonly page: { readonly input: PageInput; readonly output: PageImage };
  readonly cover: { readonly input: CoverInput; readonly output: Cover };
  readonly original: { readonly input: OriginalInput; readonly output: { readonly bytes: Uint8Array } };
  /** One page of a PDF, as a PDF of its own. */
  readonly extract: { readonly input: OriginalInput; readonly output: { readonly bytes: Uint8Array } };
  readonly contents: { readonly input: ContentsInput; readonly output: { readonly contents: Uint8Array } };
  readonly spill: { readonly input: SpillInput; readonly output: { readonly written: number } };
  readonly borders: { readonly input: BordersInput; readonly output: { readonly borders: Uint8Array } };
  readonly sheet: { readonly input: SheetInput; readonly output: { readonly bytes: Uint8Array } };
  readonly look: { readonly input: LookInput; readonly output: { readonly look: Uint8Array } };
  readonly upload: { readonly input: UploadInput; readonly output: PageImage };
  readonly card: { readonly input: CardInput; readonly output: PageImage };
  readonly walk: { readonly input: WalkInput; readonly output: WalkOutput };
  readonly folders: { readonly input: FoldersInput; readonly output: FoldersOutput };
  readonly partial: { readonly input: FingerprintInput; readonly output: { readonly koreaderHash: string } };
  readonly identify: { readonly input: IdentifyInput; readonly output: Identity };
  readonly fingerprint: { readonly input: FingerprintInput; readonly output: Fingerprint };
  /** As a fingerprint, of a file that was analysed: nobody waits for it. */
  readonly hash: { readonly input: HashInput; readonly output: Fingerprint };
}

export type JobName = keyof Jobs;

/** What is posted to a thread: the job, its input, and the shared memory through which both sides communicate while it runs. */
export interface Job<K extends JobName = JobName> {
  readonly name: K;
  readonly input: Jobs[K]['input'];
  readonly control: SharedArrayBuffer;
  /** Wall clock in milliseconds since the epoch by which the job must have stopped by itself. */
  readonly deadlineMs: number;
  /** True when no caller waits: a large file is given more time. */
  readonly isPatient: boolean;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly times: readonly StepTime[] }
  | { readonly ok: false; readonly error: Fault; readonly times: readonly StepTime[] };
