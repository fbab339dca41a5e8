// What the error numbers of unrar mean for the reader.
import { AppError } from '../../core/model/errors.js';
import { wasRefused } from '../heaps.js';
import { MB, type RarDictionaries, tooLarge } from './rar-dictionary.js';

const ENCRYPTED: ReadonlySet<number> = new Set([22, 24]);
/** An unwanted entry may be damaged: in a solid archive it is unpacked anyway, and what follows may be sound. */
export const BAD_DATA = 12;

const WORDS: Readonly<Record<number, string>> = {
  12: 'a header or its data does not match its checksum',
  13: 'its content is not a RAR archive',
  14: 'its RAR version is unknown',
  18: 'it is cut off',
};

const NO_MEMORY = 11;
const packedByRar7 = (bytes: number): AppError =>
  new AppError(
    'UnsupportedFormat',
    `The archive was packed by RAR 7 with a dictionary of ${bytes / MB} MB; such dictionaries cannot be read. Pack it again with one of 4 GB or less, or as a zip archive.`,
  );

export const failure = (code: number, known?: RarDictionaries): AppError => {
  // To unrar, a PPMd model that gets no memory looks like the end of the data.
  if (code === NO_MEMORY || wasRefused()) return tooLarge(known?.largestBytes ?? 0);
  if (known !== undefined && known.rar7Bytes > 0 && code !== BAD_DATA) return packedByRar7(known.rar7Bytes);
  if (ENCRYPTED.has(code)) return new AppError('EncryptedArchive');
  return new AppError('CorruptArchive', `The RAR archive is damaged: ${WORDS[code] ?? `unrar error ${code}`}.`);
};

export const refuseVolume = (): never => {
  throw new AppError(
    'UnsupportedFormat',
    'This is one volume of a RAR archive that was split into several files; unpack the whole set and repack it as one archive.',
  );
};
