// unrar (compiled to WASM) over positioned reads: lists entries and unpacks into memory, never to disk. Only importer of node-unrar-js.
// The module handles one archive at a time: every call here opens, works and closes without yielding the thread.
import { getUnrar } from 'node-unrar-js/dist/js/unrar.singleton.js';
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { countHeap, noteTrap } from '../heaps.js';
import { withRarNames } from './entry-names.js';
import { RarDictionaries } from './rar-dictionary.js';
import { BAD_DATA, failure, refuseVolume } from './rar-failures.js';
import { linkFollower } from './rar-links.js';

/** One entry as described by its header. Sizes and offsets in bytes. */
export interface RarEntry {
  readonly index: number;
  readonly name: string;
  readonly packedSize: number;
  readonly size: number;
  /** True when the content is stored uncompressed. */
  readonly isStored: boolean;
  readonly isEncrypted: boolean;
  readonly isFolder: boolean;
  /** True when it can only be unpacked after the entries before it. */
  readonly isSolid: boolean;
  /** Where the packed content begins, as far as the reader's seeks show it. */
  readonly offset: number;
  /** CRC-32 of the unpacked content; another value in archives that use a different checksum. */
  readonly crc: number;
  /** It stands for another entry, or for a file outside, and has no content. */
  readonly isLink: boolean;
}

export interface RarArchive {
  readonly comment: string;
  readonly isSolid: boolean;
  readonly entries: readonly RarEntry[];
  /** Why the list ends early; null when it is complete. */
  readonly damage: AppError | null;
}

/** Receives unpacked bytes, which are only valid during the call; returning false stops the entry. */
export type Sink = (bytes: Uint8Array) => boolean;

interface RawHeader {
  readonly state: { readonly errCode: number };
  readonly name: string;
  readonly flags: number;
  readonly packSize: number;
  readonly unpSize: number;
  readonly crc: number;
  readonly method: number;
}

interface RawArchive {
  open(
    path: string,
    password: string,
    listOnly: boolean,
  ): { readonly state: { readonly errCode: number }; readonly comment: string; readonly flags: number };
  getFileHeader(): RawHeader;
  readFile(skip: boolean): { readonly errCode: number };
  delete(): void;
}

interface Module {
  readonly HEAPU8: Uint8Array;
  readonly RarArchive: new () => RawArchive;
  extractor: Io | null;
}

const END = 10;
const FLAG = { volume: 0x01, solidArchive: 0x08, headersEncrypted: 0x80, encrypted: 0x04, solid: 0x10, folder: 0x20 };
const STORED = 0x30;
const ARCHIVE_NAME = 'archive';
const NO_HANDLE = 0;
const ARCHIVE_HANDLE = 1;
const OUTPUT_HANDLE = 2;

/** What unrar calls for reading and writing: positions are ours, bytes go straight into and out of its memory. */
class Io {
  readonly #module: Module;
  readonly #file: BookFile;
  readonly #check: () => void;
  /** Null while the archive is only listed. */
  readonly dictionaries: RarDictionaries | null;
  #position = 0;
  /** Where the last absolute seek went: after skipping an entry, the beginning of the next. */
  soughtTo = 0;
  sink: Sink | null = null;
  /** The error of a callback; an exception must not unwind through the compiled code. */
  thrown: unknown = null;

  constructor(module: Module, file: BookFile, check: () => void, dictionaries: RarDictionaries | null) {
    this.dictionaries = dictionaries;
    this.#module = module;
    this.#file = file;
    this.#check = check;
  }

  /** An entry may claim to continue in another volume. There is none, and the same archive would be read forever in its place. */
  open(name: string): number {
    if (name !== ARCHIVE_NAME) return NO_HANDLE;
    this.#position = 0;
    return ARCHIVE_HANDLE;
  }

  create(): number {
    return OUTPUT_HANDLE;
  }

  close(): void {}

  read(handle: number, at: number, size: number): number {
    if (handle !== ARCHIVE_HANDLE) return -1;
    return this.#guarded(-1, () => {
      this.#check();
      const target = this.#module.HEAPU8.subarray(at, at + size);
      const read = this.#file.readInto(target, this.#position);
      this.dictionaries?.apply(this.#position, target.subarray(0, read));
      this.#position += read;
      return read;
    });
  }

  write(_handle: number, at: number, size: number): boolean {
    return this.#guarded(false, () => {
      this.#check();
      return this.sink?.(this.#module.HEAPU8.subarray(at, at + size)) ?? true;
    });
  }

  tell(handle: number): number {
    return handle === ARCHIVE_HANDLE ? this.#position : 0;
  }

  seek(handle: number, by: number, from: 'SET' | 'CUR' | 'END'): boolean {
    if (handle !== ARCHIVE_HANDLE) return true;
    const base = { SET: 0, CUR: this.#position, END: this.#file.size }[from];
    const target = base + by;
    if (target < 0 || target > this.#file.size) return false;
    this.#position = target;
    if (from === 'SET') this.soughtTo = target;
    return true;
  }

  #guarded<T>(refused: T, body: () => T): T {
    if (this.thrown !== null) return refused;
    try {
      return body();
    } catch (thrown) {
      this.thrown = thrown;
      return refused;
    }
  }
}

let loading: Promise<Module> | null = null;

const loaded = async (): Promise<Module> => {
  loading ??= getUnrar().then((module: Module) => {
    countHeap(() => module.HEAPU8.buffer);
    return module;
  });
  return loading;
};

const entryOf = (header: RawHeader, index: number, offset: number): RarEntry => ({
  index,
  name: header.name,
  packedSize: header.packSize,
  size: header.unpSize,
  isStored: header.method === STORED,
  isEncrypted: (header.flags & FLAG.encrypted) !== 0,
  isFolder: (header.flags & FLAG.folder) !== 0,
  isSolid: (header.flags & FLAG.solid) !== 0,
  offset,
  crc: header.crc >>> 0,
  isLink: false,
});

interface Opened {
  readonly io: Io;
  readonly archive: RawArchive;
  readonly comment: string;
  readonly isSolid: boolean;
}

/** Opens, lets `body` work, closes; anything a callback threw is rethrown here. */
const withArchive = async <T>(
  file: BookFile,
  listOnly: boolean,
  check: () => void,
  body: (opened: Opened) => T,
): Promise<T> => {
  const module = await loaded();
  const io = new Io(module, file, check, listOnly ? null : new RarDictionaries(file));
  const archive = new module.RarArchive();
  module.extractor = io;
  try {
    const { state, comment, flags } = archive.open(ARCHIVE_NAME, '', listOnly);
    if (io.thrown !== null) throw io.thrown;
    if (state.errCode !== 0) throw failure(state.errCode);
    if ((flags & FLAG.headersEncrypted) !== 0) throw new AppError('EncryptedArchive');
    if ((flags & FLAG.volume) !== 0) refuseVolume();
    const value = body({ io, archive, comment, isSolid: (flags & FLAG.solidArchive) !== 0 });
    if (io.thrown !== null) throw io.thrown;
    return value;
  } catch (thrown) {
    throw noteTrap(thrown) ? trapped(thrown) : thrown;
  } finally {
    freeArchive(archive);
    module.extractor = null;
  }
};

const trapped = (thrown: unknown): AppError =>
  new AppError('CorruptArchive', 'The RAR archive is damaged: its contents make the RAR reader fail.', null, thrown);

const freeArchive = (archive: RawArchive): void => {
  try {
    archive.delete();
  } catch (thrown) {
    if (!noteTrap(thrown)) throw thrown; // the earlier error is reported; this thread ends after its job
  }
};

const listEntries = (
  { archive, io, comment, isSolid }: Opened,
  file: BookFile,
  entriesMax: number,
  check: () => void,
): RarArchive => {
  const entries: RarEntry[] = [];
  const followed = linkFollower<RarEntry>(file);
  const listed = (damage: AppError | null): RarArchive => ({
    comment,
    isSolid,
    entries: withRarNames(entries),
    damage,
  });
  for (;;) {
    if (entries.length % 256 === 0) check();
    const header = archive.getFileHeader();
    if (header.state.errCode === END) return listed(null);
    if (header.state.errCode !== 0) return listed(failure(header.state.errCode));
    const { errCode } = archive.readFile(true);
    entries.push(followed(entryOf(header, entries.length, io.soughtTo - header.packSize)));
    if (entries.length > entriesMax)
      throw new AppError(
        'LimitExceeded',
        `The archive contains more than ${entriesMax} files; split it, or have limits.archive_entries raised.`,
      );
    if (errCode !== 0) return listed(failure(errCode));
  }
};

/** All entries without unpacking any. As much of a damaged archive is listed as possible; only one that shows nothing throws. */
export const listRar = async (file: BookFile, entriesMax: number, check: () => void): Promise<RarArchive> => {
  const found = await withArchive(file, true, check, (opened) => listEntries(opened, file, entriesMax, check));
  if (found.damage !== null && found.entries.length === 0) throw found.damage;
  return found;
};

/** What happens to an entry: its bytes go into a sink, it is skipped, or it was the last one of interest. */
export type Choice = Sink | 'skip' | 'stop';

export interface Visitor {
  choose(entry: Pick<RarEntry, 'index' | 'size' | 'packedSize' | 'name'>): Choice;
  /** Called after a chosen entry: null when it was unpacked completely and matches its checksum. */
  done(index: number, error: AppError | null): void;
}

/** One pass from the beginning. A bad entry does not end it; a damaged header does. */
export const unpackRar = async (file: BookFile, visitor: Visitor, check: () => void): Promise<void> =>
  withArchive(file, false, check, ({ archive, io, isSolid }) => {
    const dictionaries = io.dictionaries ?? undefined;
    for (let index = 0; io.thrown === null; index += 1) {
      const header = archive.getFileHeader();
      if (header.state.errCode === END) return;
      if (header.state.errCode !== 0) throw failure(header.state.errCode, dictionaries);
      const choice = visitor.choose({
        index,
        size: header.unpSize,
        packedSize: header.packSize,
        name: header.name,
      });
      if (choice === 'stop') return;
      if (choice !== 'skip' || isSolid) dictionaries?.refuseTooLarge();
      io.sink = choice === 'skip' ? null : choice;
      const { errCode } = archive.readFile(choice === 'skip');
      io.sink = null;
      if (io.thrown !== null) return; // says nothing about the entry
      if (choice !== 'skip') visitor.done(index, errCode === 0 ? null : failure(errCode, dictionaries));
      else if (errCode !== 0 && errCode !== BAD_DATA) throw failure(errCode, dictionaries);
    }
  });
