// Names as people and files write them: what is no part of a name is taken out. Pure.

/** Without control characters and lone surrogates, with single spaces, in Unicode form NFC. */
export const cleanName = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim();
