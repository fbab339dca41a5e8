// Every key a step may need or provide. A job starts with some of them and its steps add the rest; nothing else passes between steps.

import type { Fault } from '../core/model/errors.js';
import type {
  Box,
  CardInput,
  Cover,
  FileState,
  Fingerprint,
  FoldersInput,
  FoldersOutput,
  Limits,
  NamedPage,
  Note,
  OutputFormat,
  PageEntry,
  PageImage,
  SpillInput,
  ThumbnailOptions,
  UploadInput,
  WalkInput,
  WalkOutput,
} from '../core/model/jobs.js';
import type { EmbeddedMetadata } from '../core/model/metadata.js';
import type { EpubKind } from '../core/model/outline.js';
import type { Container } from './formats/format.js';
import type { SidecarNames } from './metadata/sidecars.js';
import type { PagePart, PageSource } from './page-source.js';
import type { AheadFile } from './read-ahead.js';

export interface Bag {
  // The initial values of a job.
  readonly path: string;
  /** The folder of the library that contains the path. */
  readonly root: string | undefined;
  readonly limits: Limits;
  readonly state: FileState | null;
  readonly thumbnail: ThumbnailOptions;
  readonly withCover: boolean;
  readonly isAlone: boolean;
  readonly mustHash: boolean;
  readonly page: PageEntry;
  readonly kind: EpubKind;
  readonly pages: readonly PageEntry[];
  readonly box: Box;
  /** Undefined for whole pages; otherwise the box is for the whole, and this one for the part. */
  readonly part: PagePart | undefined;
  readonly format: OutputFormat | null;
  readonly quality: number;
  readonly walk: WalkInput;
  readonly folders: FoldersInput;
  readonly spill: SpillInput;
  readonly upload: UploadInput;
  readonly card: CardInput;
  // What steps provide.
  /** The open file; closed by the runner. */
  readonly file: AheadFile;
  /** The sidecars that are there; null: that was not looked up. */
  readonly beside: SidecarNames | null;
  readonly fingerprint: Fingerprint;
  readonly isHashDue: boolean;
  readonly koreaderHash: string;
  /** Null when the file cannot be read as a book; then `fault` says why. */
  readonly container: Container | null;
  readonly fault: Fault | null;
  /** The index of the page that is the cover according to the book; null: the first. */
  readonly front: number | null;
  /** Pages in reading order, measured. */
  readonly measured: readonly NamedPage[];
  /** The numbers of those that end too early. */
  readonly cutPages: readonly number[];
  readonly metadata: EmbeddedMetadata | null;
  readonly metadataNotes: readonly Note[];
  readonly cover: Cover | null;
  readonly isCoverDue: boolean;
  readonly image: PageImage;
  /** How the wanted pages look. */
  readonly look: Uint8Array;
  /** What is cut off each of them. */
  readonly borders: Uint8Array;
  /** Content of the wanted page. */
  readonly source: PageSource;
  /** Its bytes, if they are wanted unchanged. */
  readonly pageBytes: Uint8Array;
  /** What an EPUB contains, as it is stored. */
  readonly contents: Uint8Array;
  /** Pages that were spilled. */
  readonly written: number;
  readonly walked: WalkOutput;
  readonly foldersFound: FoldersOutput;
}
