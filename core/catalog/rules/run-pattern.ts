// Runs users' patterns on short texts. Each is compiled once.
import { boundedByCount } from '../../model/bounded-map.js';
import { compilePattern, type PatternMatch, type UserPattern } from '../../model/user-pattern.js';

/** Longer texts are truncated before matching. */
const TEXT_MAX = 512;
const KEPT = 200;

/** A phrase instead of a pattern: why it cannot be used. */
const kept = boundedByCount<string, UserPattern | string>(KEPT);

/** Null for an unusable pattern: one stored when more was allowed matches nothing. */
const patternOf = (source: string): UserPattern | null => {
  const known = kept.get(source);
  const compiled = known ?? compilePattern(source);
  if (known === undefined) kept.set(source, compiled);
  return typeof compiled === 'string' ? null : compiled;
};

/** The match of a pattern within the first characters of a text; null when there is none. */
export const matchOf = (source: string, text: string): PatternMatch | null =>
  patternOf(source)?.match(text.slice(0, TEXT_MAX)) ?? null;

/** The text with every match replaced; `$1`, `${1}` and `$<name>` stand for groups. */
export const replaceAll = (source: string, text: string, replacement: string): string => {
  const wanted = replacement.replace(/\$\{(\d{1,2})\}/g, '$$$1').replace(/\$\{(\w{1,64})\}/g, '$$<$1>');
  return patternOf(source)?.replaceAll(text.slice(0, TEXT_MAX), wanted) ?? text;
};

/** Fills a template with `{name}` for each value. A missing value becomes nothing, and spaces are tidied. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string | undefined>>): string =>
  template
    .slice(0, TEXT_MAX)
    .replace(/\{(\w{1,64})\}/g, (_, name: string) => values[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TEXT_MAX);
