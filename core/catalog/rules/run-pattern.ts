// Runs patterns that people typed, on short texts. Each is compiled once.
import { compilePattern, type PatternMatch, type UserPattern } from '../../model/user-pattern.js';

/** Longer texts are cut before a pattern sees them. */
const TEXT_MAX = 512;
const KEPT = 200;

/** Null for a pattern that cannot be used: one that was stored when more was allowed matches nothing. */
const kept = new Map<string, UserPattern | null>();

/** The oldest goes when too many are kept. */
const patternOf = (source: string): UserPattern | null => {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const compiled = compilePattern(source);
  const made = typeof compiled === 'string' ? null : compiled;
  const [oldest] = kept.keys();
  if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(source, made);
  return made;
};

/** The match of a pattern in the first characters of a text; null when there is none. */
export const matchOf = (source: string, text: string): PatternMatch | null =>
  patternOf(source)?.match(text.slice(0, TEXT_MAX)) ?? null;

/** The text with every match replaced; `$1`, `${1}` and `$<name>` stand for groups. */
export const replaceAll = (source: string, text: string, replacement: string): string => {
  const wanted = replacement.replace(/\$\{(\d{1,2})\}/g, '$$$1').replace(/\$\{(\w{1,64})\}/g, '$$<$1>');
  return patternOf(source)?.replaceAll(text.slice(0, TEXT_MAX), wanted) ?? text;
};

/** A template with `{name}` for each value; what has no value becomes nothing, and spaces are tidied. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string | undefined>>): string =>
  template
    .slice(0, TEXT_MAX)
    .replace(/\{(\w{1,64})\}/g, (_, name: string) => values[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TEXT_MAX);
