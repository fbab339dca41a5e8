// Entries of RAR 5 archives that have no content of their own, but stand for another entry: WinRAR can save identical files like that.
import type { BookFile } from '../book-file.js';
import { BLOCK, CRC_BYTES, HAS_DATA, HAS_EXTRA, headerAt, recordsIn, vintAt } from './rar-headers.js';

const REDIRECTION = 5;
const HARD_LINK = 4;
const FILE_COPY = 5;
/** Comments and other services between two entries. */
const BLOCKS_MAX = 16;

interface RarLink {
  /** The name of the entry whose content it shares; null for a symbolic link, which may lead anywhere. */
  readonly target: string | null;
}

const redirectionIn = (bytes: Buffer, extraBytes: number): RarLink | null => {
  for (const record of recordsIn(bytes, extraBytes)) {
    if (record.value !== REDIRECTION) continue;
    const type = vintAt(bytes, record.next);
    if (type.value !== HARD_LINK && type.value !== FILE_COPY) return { target: null };
    const length = vintAt(bytes, vintAt(bytes, type.next).next);
    return { target: bytes.toString('utf8', length.next, length.next + length.value) };
  }
  return null;
};

/** That of the entry whose header, without content after it, ends at `end`. `start`: where an earlier entry ends. */
const linkBetween = (file: BookFile, start: number, end: number): RarLink | null => {
  let position = start;
  for (let blocks = 0; position < end && blocks < BLOCKS_MAX; blocks += 1) {
    const bytes = headerAt(file, position);
    if (bytes === undefined) return null; // an older archive, or damage
    const type = vintAt(bytes, vintAt(bytes, CRC_BYTES).next);
    const flags = vintAt(bytes, type.next);
    const extra = (flags.value & HAS_EXTRA) === 0 ? null : vintAt(bytes, flags.next);
    const data = (flags.value & HAS_DATA) === 0 ? 0 : vintAt(bytes, extra?.next ?? flags.next).value;
    if (position + bytes.length === end)
      return type.value === BLOCK.file && extra !== null ? redirectionIn(bytes, extra.value) : null;
    position += bytes.length + data;
  }
  return null;
};

interface Linkable {
  readonly name: string;
  readonly packedSize: number;
  readonly offset: number;
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

/** To be called with all entries of an archive, in order. One that shares the content of an earlier one is read as that one. */
export const linkFollower = <T extends Linkable>(file: BookFile): ((entry: T) => T) => {
  const earlier = new Map<string, T>();
  let start = 0;
  return (entry) => {
    const link = entry.packedSize > 0 || entry.isFolder ? null : linkBetween(file, start, entry.offset);
    const same = link?.target == null ? undefined : earlier.get(link.target);
    const linked = same === undefined ? { ...entry, isLink: true } : { ...same, name: entry.name };
    const found = link === null ? entry : linked;
    earlier.set(entry.name, found);
    start = entry.offset + entry.packedSize;
    return found;
  };
};
