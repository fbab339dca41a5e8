// What a JSON text may contain, checked in its bytes before it is parsed: parsing 150,000 different keys, and walking what comes of it,
// would keep everybody waiting for a third of a second.
import { AppError } from '../../core/model/errors.js';

/** Stored JSON is read by parsers that allow at most a thousand levels; no sensible body comes near this. */
const LEVELS_MAX = 64;
/** Of fields, objects and lists together. Plain values in lists cost little: long lists of ids are allowed. */
const PARTS_MAX = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const LIST = [0x5b, 0x5d] as const;
const OBJECT = [0x7b, 0x7d] as const;

/** Where the string ends that begins before `at`; the end of the text for one that is never closed. */
const endOfString = (bytes: Uint8Array, at: number): number => {
  let end = at;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
};

/** For UTF-8. Text that is no JSON passes, or is refused for its size: the parser says what is wrong with it. */
export const refuseHugeJson = (bytes: Uint8Array): void => {
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COLON) parts += 1;
    else if (byte === LIST[1] || byte === OBJECT[1]) levels -= 1;
    else if (byte === LIST[0] || byte === OBJECT[0]) {
      levels += 1;
      parts += 1;
      if (levels > LEVELS_MAX)
        throw new AppError('BadRequest', `The request body is nested deeper than ${LEVELS_MAX} levels.`);
    }
    if (parts > PARTS_MAX)
      throw new AppError('BadRequest', `The request body has more than ${PARTS_MAX} fields, objects and lists.`);
  }
};
