// Cleans names written by people and files: removes characters that do not belong in a name. Pure.

/** Without control characters and lone surrogates, with single spaces, in Unicode form NFC. */
export const cleanName = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim();
