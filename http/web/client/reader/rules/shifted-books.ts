// Books whose pairs of pages are moved by one. That depends on how a single book was scanned, so it holds for the book, on every device.

/** So that the profile of a series, which lists them, stays within what the server stores. */
const SHIFTED_MAX = 100;

/** The latest last; those shifted longest ago are forgotten. */
export const withShift = (shifted: readonly string[], bookId: string, isShifted: boolean): readonly string[] =>
  [...shifted.filter((id) => id !== bookId), ...(isShifted ? [bookId] : [])].slice(-SHIFTED_MAX);
