// Two pages scanned as one: `0304` stands where 03 and 04 would. Decided among the pages of one book. A change here must raise
// STORED_RULES.pages.

/** The last number of a file name, which may have 4, 6 or 8 digits, and what comes before it, folder included. */
const LAST_NUMBER = /^(.*?)(?<!\d)(\d{2,8})(?=\D*$)/s;
const MAYBE_SPREAD = /(?<!\d)(?:\d\d){2,4}(?!\d)/;
const EXTENSION = /\.[a-z0-9]{3,4}$/i;

interface Numbered {
  readonly before: string;
  readonly digits: string;
}

const numberedName = (name: string): Numbered | null => {
  const [, before, digits] = LAST_NUMBER.exec(name.replace(EXTENSION, '')) ?? [];
  return before === undefined || digits === undefined ? null : { before, digits };
};

const key = (before: string, value: number, width: number): string =>
  `${before.toLowerCase()}\0${String(value).padStart(width, '0')}`;

/**
 * The name by which a spread is sorted, for each page that is one: both halves are missing and consecutive, and a page before or after them
 * has a number of half its length.
 */
export const spreadNames = (names: readonly string[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  if (!names.some((name) => MAYBE_SPREAD.test(name))) return found;
  const numbered = names.map(numberedName);
  const present = new Set(numbered.map((one) => one && key(one.before, Number(one.digits), one.digits.length)));
  for (const [at, one] of numbered.entries()) {
    const name = names[at];
    if (name === undefined || one === null || one.digits.length < 4 || one.digits.length % 2 === 1) continue;
    const width = one.digits.length / 2;
    const first = Number(one.digits.slice(0, width));
    const has = (value: number): boolean => value >= 0 && present.has(key(one.before, value, width));
    if (Number(one.digits.slice(width)) !== first + 1 || has(first) || has(first + 1)) continue;
    if (!has(first - 1) && !has(first + 2)) continue;
    const start = one.before.length;
    found.set(name, name.slice(0, start + width) + name.slice(start + one.digits.length));
  }
  return found;
};
