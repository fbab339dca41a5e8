// Exclusion patterns: one per line, `*` and `?` within a name, `**` across folders, ignoring case. Linear-time matching: a pattern can
// never make a scan hang.

export type Excludes = (name: string, path: string) => boolean;

/** Greedy matching with one step back to the last star: no more than length times length steps. */
const matches = <T>(
  items: readonly T[],
  patterns: readonly T[],
  isStar: (pattern: T) => boolean,
  fits: (item: T, pattern: T) => boolean,
): boolean => {
  let item = 0;
  let pattern = 0;
  let star = -1;
  let resume = 0;
  while (item < items.length) {
    const wanted = patterns[pattern];
    const present = items[item];
    if (wanted !== undefined && isStar(wanted)) {
      star = pattern;
      resume = item;
      pattern += 1;
    } else if (wanted !== undefined && present !== undefined && fits(present, wanted)) {
      item += 1;
      pattern += 1;
    } else if (star >= 0) {
      resume += 1;
      item = resume;
      pattern = star + 1;
    } else {
      return false;
    }
  }
  return patterns.slice(pattern).every(isStar);
};

const matchesName = (name: string, pattern: string): boolean =>
  matches(
    [...name],
    [...pattern],
    (char) => char === '*',
    (char, wanted) => wanted === '?' || char === wanted,
  );

const matchesPath = (path: string, pattern: string): boolean =>
  matches(
    path.split('/'),
    pattern.split('/').filter((part) => part !== ''),
    (part) => part === '**',
    matchesName,
  );

const PATTERNS_MAX = 1000;

/** Names and paths are tested in lower case; a pattern without `/` matches a name at any depth. */
export const excludesOf = (patterns: string): Excludes => {
  const lines = patterns
    .split('\n')
    .map((line) => line.trim().toLowerCase())
    .filter((line) => line !== '')
    .slice(0, PATTERNS_MAX);
  if (lines.length === 0) return () => false;
  return (name, path) => {
    const lowerName = name.toLowerCase();
    const lowerPath = path.toLowerCase();
    return lines.some((line) => (line.includes('/') ? matchesPath(lowerPath, line) : matchesName(lowerName, line)));
  };
};
