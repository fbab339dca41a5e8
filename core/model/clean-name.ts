// Cleans names written by people and files: removes characters that do not belong in a name. Pure.

/** Without control characters and lone surrogates, with single spaces, in Unicode form NFC. */
export const cleanName = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim();

/** What nobody sees in a name: two names that look the same must not be two things. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
