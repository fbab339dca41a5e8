// Books whose pairs are shifted by one page. Whether a book needs it depends on how it was scanned, so it holds for that book, on every
// device.

/** Keeps the series profile that lists them within the size that the server stores. */
const SHIFTED_MAX = 100;

/** The latest comes last; beyond the limit, those shifted longest ago are forgotten. */
export const withShift = (shifted: readonly string[], bookId: string, isShifted: boolean): readonly string[] =>
  [...shifted.filter((id) => id !== bookId), ...(isShifted ? [bookId] : [])].slice(-SHIFTED_MAX);
