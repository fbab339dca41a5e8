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

/** Code points, so that `?` stands for a whole one. */
type Characters = readonly string[];

const matchesName = (name: Characters, pattern: Characters): boolean =>
  matches(
    name,
    pattern,
    (char) => char === '*',
    (char, wanted) => wanted === '?' || char === wanted,
  );

const matchesPath = (path: readonly Characters[], pattern: readonly Characters[]): boolean =>
  matches(path, pattern, (part) => part.length === 2 && part.every((char) => char === '*'), matchesName);

const PATTERNS_MAX = 1000;

const partsOf = (path: string): readonly Characters[] => path.split('/').map((part) => [...part]);

/** Names and paths are tested in lower case; a pattern without `/` matches a name at any depth. */
export const excludesOf = (patterns: string): Excludes => {
  const lines = patterns
    .split('\n')
    .map((line) => line.trim().toLowerCase())
    .filter((line) => line !== '')
    .slice(0, PATTERNS_MAX);
  const ofNames = lines.filter((line) => !line.includes('/')).map((line) => [...line]);
  const ofPaths = lines
    .filter((line) => line.includes('/'))
    .map((line) => partsOf(line).filter((part) => part.length > 0));
  return (name, path) => {
    if (ofNames.length > 0) {
      const wanted = [...name.toLowerCase()];
      if (ofNames.some((pattern) => matchesName(wanted, pattern))) return true;
    }
    if (ofPaths.length === 0) return false;
    const parts = partsOf(path.toLowerCase());
    return ofPaths.some((pattern) => matchesPath(parts, pattern));
  };
};
