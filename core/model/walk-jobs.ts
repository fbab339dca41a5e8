// The contract of the jobs that list folders: their input and output.

export interface WalkInput {
  readonly root: string;
  /** Folders to visit, relative to root ('' is the root itself), with `/` between parts. */
  readonly folders: readonly string[];
  /** The digest a folder had when it was last recorded; a folder with the same digest is reported without its files. */
  readonly known: ReadonlyMap<string, string>;
  /** Lower-case extensions without a dot. */
  readonly extensions: readonly string[];
  /** Globs, one per line; empty when nothing is excluded. */
  readonly excluded: string;
  /** True when the series named by a `metadata.opf` next to books is wanted. */
  readonly readsSeries: boolean;
  /** Stop after about this many files and return the remaining folders in `rest`. */
  readonly fileBudget: number;
  /** Stop also after so many folders, with or without books. Absent: all of them count as one piece of work. */
  readonly folderBudget?: number | undefined;
  /** Files changed within this time are still being written, and are left out. Absent: all files are taken as they are. */
  readonly unsettled?: { readonly fromMs: number; readonly toMs: number } | undefined;
}

/** What a folder contains that the walk could not read. */
export interface UnclearFolder {
  readonly path: string;
  /** Names directly in it; null when nothing is known about the whole folder. */
  readonly names: readonly string[] | null;
  /** True when it contains names that are not valid UTF-8: known names look like that on a disk mounted with another character set. */
  readonly hasForeignNames: boolean;
}

/** A folder that contains at least one book file, or did when it was last recorded, or something that could not be read. */
export interface WalkedFolder {
  readonly path: string;
  /** 16 hex digits over names, sizes and times of the book files directly in it and of their sidecars. */
  readonly digest: string;
  readonly fileCount: number;
  /**
   * Sidecars: a picture that represents the books, a digest of the files that describe them ('' when there are none), and the series named
   * by one of them, if that was wanted.
   */
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
  /** Every folder in which something could not be read, links included: known names there that were not met do not count as gone. */
  readonly unclear: readonly UnclearFolder[];
  /** The same as messages: paths relative to root, with the reason. At most 100; `unreadableCount` counts all of them. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
  readonly unreadableCount: number;
  /** Symbolic links met; none is followed. */
  readonly linkCount: number;
  readonly fileCount: number;
  /** Folders in which a file was left out because it is still being written. */
  readonly unsettled: readonly string[];
}

export interface FoldersInput {
  readonly root: string;
  /** Globs, one per line; empty when nothing is excluded. */
  readonly excluded: string;
  /** Folders known so far, with the modification times that they had; a folder comes before those in it. */
  readonly known: ReadonlyMap<string, number>;
  /** Known folders to list, whatever their times; null: the times of all known folders are compared. */
  readonly listed: readonly string[] | null;
  /** At most so many are known afterwards. */
  readonly foldersMax: number;
}

export interface FoldersOutput {
  /** Changes when another file system is mounted there; null when the root is not a folder. */
  readonly root: string | null;
  /** Folders that were not known, with their times. */
  readonly added: ReadonlyMap<string, number>;
  /** Known folders with another time, or listed ones. */
  readonly changed: ReadonlyMap<string, number>;
  readonly gone: readonly string[];
  /** False when there are more folders than may be known. */
  readonly isComplete: boolean;
}
