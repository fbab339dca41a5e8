// Lists the entries of a tar archive, of which only headers are read: POSIX ustar and pax, GNU tar, and the tar of Unix version 7. What is
// damaged or cut off is passed over, as far as other headers can be found.
import { plainName } from '../../core/model/page-names.js';
import { hasTarSum, TAR_BLOCK_BYTES, TAR_FIELD, tarBytes, tarPadding, tarSize } from '../../core/model/tar-header.js';
import type { BookFile } from '../book-file.js';
import { decodeNames } from './entry-names.js';
import { readPaxRecords, sizeInPax } from './tar-pax.js';
import { tooManyEntries } from './zip-directory.js';

type Kind = 'file' | 'folder' | 'special' | 'sparse';

export interface TarEntry {
  readonly name: string;
  /** `special`: a link, a device, a pipe, the rest of a file in another archive. */
  readonly kind: Kind;
  /** Where its content begins. */
  readonly offset: number;
  readonly size: number;
  /** True when the file ends before its content does. */
  readonly isCut: boolean;
}

export interface TarArchive {
  readonly entries: readonly TarEntry[];
  /** What is wrong with the archive as a whole; null when nothing is. */
  readonly damage: string | null;
  /** Another archive follows its end; the entries of that are among these. */
  readonly isJoined: boolean;
}

type RawEntry = Omit<TarEntry, 'name'> & { readonly path: Buffer };

/** What extension headers before an entry say about it. */
interface Overrides {
  readonly path?: Buffer | undefined;
  readonly link?: Buffer | undefined;
  readonly size?: number | undefined;
  readonly isSparse?: boolean;
}

type Type = Kind | 'link' | 'pax' | 'global' | 'longName' | 'longLink' | 'other';

const TYPES: Readonly<Record<string, Type>> = {
  '1': 'link',
  '2': 'special',
  '3': 'special',
  '4': 'special',
  '5': 'folder',
  '6': 'special',
  S: 'sparse',
  M: 'special',
  x: 'pax',
  X: 'pax',
  g: 'global',
  L: 'longName',
  K: 'longLink',
};
/** These have no content, whatever their size says. */
const WITHOUT_CONTENT = '23456V';
/** Other capital letters belong to the extensions of one program; what is none of these is a file (POSIX, pax interchange format). */
const typeOf = (letter: string): Type => TYPES[letter] ?? (/[A-Z]/.test(letter) ? 'other' : 'file');

/** Of an extension header: names are at most some thousand bytes long. */
const EXTENSION_MAX_BYTES = 1024 * 1024;
/** Headers before one entry; no program writes more than three. */
const EXTENSIONS_MAX = 8;
/** Each says where up to 21 parts of a sparse file lie. */
const SPARSE_BLOCKS_MAX = 4096;
const MORE_PARTS_AT = 482;
const MORE_PARTS_NEXT_AT = 504;
/** The zeros after an archive: tar fills up records of 10 kB, or as large as a tape drive takes. */
const AFTER_END = { firstBytes: 20 * TAR_BLOCK_BYTES, maxBytes: 1024 * 1024 };
/** The next header is mostly the next block: a search that read much each time would read an archive of nothing but damage very often. */
const SCAN = { firstBytes: TAR_BLOCK_BYTES, mostBytes: 1024 * 1024, growth: 4 };

const isEmpty = (block: Buffer): boolean => block.every((byte) => byte === 0);

/** POSIX puts the folders of a long path into a second field, where GNU tar writes something else. */
const pathIn = (header: Buffer): Buffer => {
  const name = tarBytes(header, TAR_FIELD.name);
  const isPosix = header.toString('latin1', TAR_FIELD.magic[0], TAR_FIELD.magic[0] + 6) === 'ustar\0';
  const prefix = isPosix ? tarBytes(header, TAR_FIELD.prefix) : Buffer.alloc(0);
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]);
};

/** Where the next header is. Only files that are read whole anyway are searched. */
const headerFrom = (file: BookFile, start: number, check: () => void): number | null => {
  if (!file.isReadWhole) return null;
  let wanted = SCAN.firstBytes;
  for (let from = start; from + TAR_BLOCK_BYTES <= file.size; ) {
    check();
    const bytes = file.read(from, Math.min(wanted, file.size - from));
    for (let at = 0; at + TAR_BLOCK_BYTES <= bytes.length; at += TAR_BLOCK_BYTES)
      if (hasTarSum(bytes.subarray(at, at + TAR_BLOCK_BYTES))) return from + at;
    from += wanted;
    wanted = Math.min(wanted * SCAN.growth, SCAN.mostBytes);
  }
  return null;
};

export const hasTarHeader = (file: BookFile, check: () => void): boolean => headerFrom(file, 0, check) !== null;

class TarWalk {
  readonly #file: BookFile;
  readonly #entriesMax: number;
  readonly #check: () => void;
  /** By path: a later entry replaces an earlier one, as when it is unpacked. */
  readonly #found = new Map<string, RawEntry>();
  #entries = 0;
  #at = 0;
  #global: Overrides = {};
  #overrides: Overrides = {};
  #extensionCount = 0;
  #headers = 0;
  damage: string | null = null;
  isJoined = false;

  constructor(file: BookFile, entriesMax: number, check: () => void) {
    this.#file = file;
    this.#entriesMax = entriesMax;
    this.#check = check;
  }

  run(): RawEntry[] {
    while (this.#isGoingOn());
    return [...this.#found.values()];
  }

  #isGoingOn(): boolean {
    this.#check();
    const at = this.#at;
    const header = this.#blockAt(at);
    if (header === null) return this.#isBroken(at < this.#file.size ? 'it is cut off' : 'its end mark is missing');
    if (hasTarSum(header)) return this.#read(header);
    if (isEmpty(header) && at > 0) {
      // Two empty blocks are the end. A single one is not, if a header follows.
      this.#at += TAR_BLOCK_BYTES;
      const next = this.#blockAt(this.#at);
      return next !== null && (hasTarSum(next) || this.#isFollowed());
    }
    return this.#isFoundAgain(`it is damaged at byte ${at}`, at + TAR_BLOCK_BYTES);
  }

  /** Two archives written one after the other, as by `cat`: tar itself reads only the first of them, unless it is told to go on. */
  #isFollowed(): boolean {
    let { firstBytes: wanted } = AFTER_END;
    const end = Math.min(this.#file.size, this.#at + AFTER_END.maxBytes);
    for (let from = this.#at; from + TAR_BLOCK_BYTES <= end; ) {
      this.#check();
      const bytes = this.#file.read(from, Math.min(wanted, end - from));
      const used = bytes.findIndex((byte) => byte !== 0);
      if (used >= 0) return this.#isJoinedAt(from + used - (used % TAR_BLOCK_BYTES));
      from += bytes.length;
      wanted *= SCAN.growth;
    }
    return false;
  }

  #isJoinedAt(at: number): boolean {
    const header = this.#blockAt(at);
    if (header === null || !hasTarSum(header)) return false;
    this.#at = at;
    this.#global = {};
    this.isJoined = true;
    return true;
  }

  #blockAt(at: number): Buffer | null {
    return at + TAR_BLOCK_BYTES <= this.#file.size ? this.#file.read(at, TAR_BLOCK_BYTES) : null;
  }

  /** Always false: nothing more can be read. */
  #isBroken(why: string): false {
    this.damage ??= why;
    return false;
  }

  /** Continues at the next valid header from `start` on. */
  #isFoundAgain(why: string, start: number): boolean {
    this.damage ??= why;
    this.#overrides = {};
    this.#extensionCount = 0;
    const found = headerFrom(this.#file, start, this.#check);
    if (found === null) return false;
    this.#at = found;
    return true;
  }

  #read(header: Buffer): boolean {
    this.#headers += 1;
    if (this.#headers > this.#entriesMax * (EXTENSIONS_MAX + 1)) throw tooManyEntries(this.#entriesMax);
    const letter = header.toString('latin1', TAR_FIELD.type[0], TAR_FIELD.type[0] + 1);
    const type = typeOf(letter);
    const isExtension = type === 'pax' || type === 'global' || type === 'longName' || type === 'longLink';
    const overrides = { ...this.#global, ...this.#overrides };
    const written = WITHOUT_CONTENT.includes(letter)
      ? 0
      : ((isExtension ? undefined : overrides.size) ?? tarSize(header));
    if (!Number.isSafeInteger(written))
      return this.#isFoundAgain(`the entry at byte ${this.#at} has no valid size`, this.#at + TAR_BLOCK_BYTES);
    const offset = this.#contentAt(header, type);
    const size = type === 'link' && !this.#hasContent(offset, written) ? 0 : written;
    const isCut = offset + size > this.#file.size;
    this.#at = offset + size + tarPadding(size);
    if (isExtension) return isCut ? this.#isBroken('it is cut off') : this.#isExtended(type, { offset, size });
    this.#overrides = {};
    this.#extensionCount = 0;
    this.#add({ header, type, overrides }, { offset, size, isCut });
    return isCut ? this.#isBroken('it is cut off') : true;
  }

  /** GNU tar lists the parts of a sparse file in further blocks. */
  #contentAt(header: Buffer, type: Type): number {
    let offset = this.#at + TAR_BLOCK_BYTES;
    if (type !== 'sparse' || header[MORE_PARTS_AT] !== 1) return offset;
    for (let blocks = 0; blocks < SPARSE_BLOCKS_MAX; blocks += 1) {
      const block = this.#blockAt(offset);
      if (block === null) return offset;
      offset += TAR_BLOCK_BYTES;
      if (block[MORE_PARTS_NEXT_AT] !== 1) return offset;
    }
    return offset;
  }

  /** A hard link tells the size of its file, but only some programs write the content again. */
  #hasContent(offset: number, size: number): boolean {
    const next = size === 0 ? null : this.#blockAt(offset);
    return next !== null && !isEmpty(next) && !hasTarSum(next);
  }

  #isExtended(type: Type, { offset, size }: { readonly offset: number; readonly size: number }): boolean {
    this.#extensionCount += 1;
    if (this.#extensionCount > EXTENSIONS_MAX || size > EXTENSION_MAX_BYTES)
      return this.#isFoundAgain(`too many or too large headers precede the entry at byte ${this.#at}`, this.#at);
    const body = this.#file.read(offset, size);
    if (type === 'global') this.#global = { ...this.#global, ...overridesInPax(body) };
    else if (type === 'pax') this.#overrides = { ...this.#overrides, ...overridesInPax(body) };
    else this.#overrides = { ...this.#overrides, [type === 'longName' ? 'path' : 'link']: tarBytes(body, [0, size]) };
    return true;
  }

  #add(
    { header, type, overrides }: { readonly header: Buffer; readonly type: Type; readonly overrides: Overrides },
    place: Pick<RawEntry, 'offset' | 'size' | 'isCut'>,
  ): void {
    this.#entries += 1;
    if (this.#entries > this.#entriesMax) throw tooManyEntries(this.#entriesMax);
    const path = overrides.path ?? pathIn(header);
    const key = path.toString('latin1');
    const put = (entry: Omit<RawEntry, 'path'>): void => void this.#found.set(key, { ...entry, path });
    if (type === 'link') {
      // The same content under another name: that of the entry it is linked to, unless it is written again.
      const link = overrides.link ?? tarBytes(header, TAR_FIELD.link);
      const target = this.#found.get(link.toString('latin1'));
      if (place.size > 0) put({ ...place, kind: 'file' });
      else put(target === undefined ? { ...place, kind: 'special' } : target);
    } else if (type === 'file' || type === 'folder' || type === 'special' || type === 'sparse') {
      const isFolder = type === 'folder' || (place.size === 0 && path.at(-1) === SLASH);
      const ofFile = overrides.isSparse === true ? 'sparse' : type;
      put({ ...place, kind: isFolder ? 'folder' : ofFile });
    }
  }
}

const SLASH = 0x2f;

/** An empty value cancels that of an earlier header. */
const overridesInPax = (body: Buffer): Overrides => {
  const { path, linkpath, size, isSparse } = readPaxRecords(body);
  return {
    ...(path !== undefined && { path: path.length === 0 ? undefined : path }),
    ...(linkpath !== undefined && { link: linkpath.length === 0 ? undefined : linkpath }),
    ...(size !== undefined && { size: size.length === 0 ? undefined : sizeInPax(size) }),
    ...(isSparse && { isSparse }),
  };
};

export const listTar = (file: BookFile, entriesMax: number, check: () => void): TarArchive => {
  const walk = new TarWalk(file, entriesMax, check);
  const found = walk.run();
  const names = decodeNames(found.map(({ path }) => ({ bytes: path, isUtf8: false, unicodePath: null })));
  const entries = found.map(({ path: _, ...entry }, index) => ({
    ...entry,
    name: plainName((names[index] ?? '').replaceAll('\0', '\ufffd')),
  }));
  return { entries, damage: walk.damage, isJoined: walk.isJoined };
};
