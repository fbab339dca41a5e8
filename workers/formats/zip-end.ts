// Finds the central directory of a zip file from its end (APPNOTE 6.3.10, sections 4.3.14 to 4.3.16): comments, garbage after it, bytes
// before the archive, zip64, several things that look like an end. Knows nothing of the entries.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';

export const CENTRAL = 0x02014b50;
export const CENTRAL_BYTES = 46;
export const LOCAL = 0x04034b50;
export const END = 0x06054b50;
const END_BYTES = 22;
const END64_LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
export const END64 = 0x06064b50;
const END64_BYTES = 56;
const MAX32 = 0xffffffff;
const MAX16 = 0xffff;

/** The first size covers the whole directory of most books; a comment may have 65,535 bytes, and as much garbage may follow. */
const TAILS = [16 * 1024, END_BYTES + 65_535 + LOCATOR_BYTES + 64 * 1024] as const;
/** The most that the records of all entries may take: they are held in memory. */
export const DIRECTORY_MAX_BYTES = 64 * 1024 * 1024;
/** Comments and garbage can contain what looks like an end record; after this many the search stops. */
const ENDS_MAX = 16;

export const damaged = (what: string): AppError =>
  new AppError('CorruptArchive', `The zip archive is damaged: ${what}.`);

/** More memory for names than a book may use. */
export const tooLongDirectory = (): AppError =>
  new AppError('LimitExceeded', `The directory of the archive is larger than ${DIRECTORY_MAX_BYTES} bytes.`);

/** The end of the file in memory; what comes before it is read on demand. */
interface Tail {
  readonly file: BookFile;
  readonly start: number;
  readonly bytes: Buffer;
}

const readTail = (file: BookFile, wanted: number): Tail => {
  const length = Math.min(file.size, wanted);
  return { file, start: file.size - length, bytes: file.read(file.size - length, length) };
};

const bytesAt = ({ file, start, bytes }: Tail, position: number, length: number): Buffer =>
  position >= start && position + length <= start + bytes.length
    ? bytes.subarray(position - start, position - start + length)
    : file.read(position, length);

const holds = (tail: Tail, position: number, signature: number): boolean =>
  position >= 0 && position + 4 <= tail.file.size && bytesAt(tail, position, 4).readUInt32LE(0) === signature;

interface End {
  /** Position of the end record (or the zip64 one): the directory is before it. */
  readonly position: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
}

const readEnd64 = (tail: Tail, endPosition: number): End | undefined => {
  const locatorPosition = endPosition - LOCATOR_BYTES;
  if (!holds(tail, locatorPosition, END64_LOCATOR)) return undefined;
  const said = Number(bytesAt(tail, locatorPosition, LOCATOR_BYTES).readBigUInt64LE(8));
  // Bytes before the archive move the record: it always ends where the locator begins.
  for (const position of [said, locatorPosition - END64_BYTES]) {
    if (position + END64_BYTES > locatorPosition || !holds(tail, position, END64)) continue;
    const record = bytesAt(tail, position, END64_BYTES);
    return {
      position,
      directorySize: Number(record.readBigUInt64LE(40)),
      directoryOffset: Number(record.readBigUInt64LE(48)),
    };
  }
  throw damaged('its zip64 end record is missing');
};

const readEnd = (tail: Tail, at: number): End => {
  const { bytes, start } = tail;
  const plain = {
    position: start + at,
    directorySize: bytes.readUInt32LE(at + 12),
    directoryOffset: bytes.readUInt32LE(at + 16),
  };
  const isPlain =
    plain.directorySize !== MAX32 && plain.directoryOffset !== MAX32 && bytes.readUInt16LE(at + 10) !== MAX16;
  const end = isPlain ? plain : (readEnd64(tail, plain.position) ?? plain);
  const disk = bytes.readUInt16LE(at + 4);
  if (disk !== 0 && disk !== MAX16)
    throw new AppError(
      'UnsupportedFormat',
      'This archive was split into several files; join them first, with the program that split it.',
    );
  if (end.directorySize > tail.file.size) throw damaged('its directory claims to be larger than the file');
  return end;
};

/** Where a directory begins, and by how much all positions in it are off (bytes put before the archive). */
interface Place {
  readonly start: number;
  readonly length: number;
  readonly shift: number;
}

/**
 * The end record says where the directory begins and how long it is. Either may be wrong (streams that Info-ZIP wrote have no position); the
 * first entry shows which is right.
 */
const placeOf = (tail: Tail, { position, directorySize, directoryOffset }: End): Place => {
  const byLength = position - directorySize;
  const places = [
    { start: directoryOffset, length: position - directoryOffset, shift: 0 },
    { start: byLength, length: directorySize, shift: byLength - directoryOffset },
    { start: byLength, length: directorySize, shift: 0 },
  ].filter(({ start, length }) => length >= CENTRAL_BYTES && holds(tail, start, CENTRAL));
  const [first, second] = places;
  if (first === undefined) {
    if (directorySize === 0) return { start: position, length: 0, shift: 0 };
    throw damaged('its directory is not where it should be');
  }
  if (second?.start === first.start && second.shift === first.shift) return first;
  const leadsToEntry = ({ start, shift }: Place): boolean =>
    holds(tail, bytesAt(tail, start, CENTRAL_BYTES).readUInt32LE(42) + shift, LOCAL);
  return places.find(leadsToEntry) ?? first;
};

/** Positions in the tail of what looks like an end record, last first. */
const endsIn = (bytes: Buffer): number[] => {
  const found: number[] = [];
  for (let at = bytes.length - END_BYTES; at >= 0 && found.length < ENDS_MAX; at -= 1) {
    if (bytes[at] === 0x50 && bytes.readUInt32LE(at) === END) found.push(at);
  }
  return found;
};

const tryEnd = (tail: Tail, at: number): Place | AppError => {
  try {
    return placeOf(tail, readEnd(tail, at));
  } catch (thrown) {
    if (thrown instanceof AppError && (thrown.kind === 'CorruptArchive' || thrown.kind === 'UnsupportedFormat'))
      return thrown;
    throw thrown;
  }
};

export interface Directory {
  /** The records, one after the other; something else may follow them. */
  readonly bytes: Buffer;
  readonly shift: number;
  /** The archive comment, whatever its encoding; cut where the file ends. */
  readonly comment: Buffer;
}

const commentOf = ({ bytes }: Tail, at: number): Buffer =>
  bytes.subarray(at + END_BYTES, at + END_BYTES + bytes.readUInt16LE(at + END_BYTES - 2));

const bytesOf = (tail: Tail, at: number, { start, length, shift }: Place): Directory => {
  if (length > DIRECTORY_MAX_BYTES) throw tooLongDirectory();
  return { bytes: bytesAt(tail, start, length), shift, comment: commentOf(tail, at) };
};

/** The last end record that leads to a directory; else one of an archive without entries; else the fault of the last. */
export const findDirectory = (file: BookFile): Directory => {
  if (file.size < END_BYTES) throw damaged('it is too short to contain anything');
  let refused: AppError | undefined;
  let isEmpty = false;
  for (const wanted of TAILS) {
    const tail = readTail(file, wanted);
    for (const at of endsIn(tail.bytes)) {
      const found = tryEnd(tail, at);
      if (found instanceof AppError) refused ??= found;
      else if (found.length > 0) return bytesOf(tail, at, found);
      else isEmpty = true;
    }
    if (tail.start === 0) break;
  }
  if (isEmpty) return { bytes: Buffer.alloc(0), shift: 0, comment: Buffer.alloc(0) };
  throw refused ?? damaged('it has no directory at its end; the file may be cut off');
};
