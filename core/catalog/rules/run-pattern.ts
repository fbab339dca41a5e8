// Runs patterns that people typed, on short texts, and never for long: what looks heavy runs under a time limit and is given up after it
// was too slow a few times.
import { createContext, Script } from 'node:vm';
import { compilePattern, TEXT_MAX, type UserPattern } from '../../model/user-pattern.js';

/** Of the clock, not of the processor: on a busy machine a sound pattern must still come through. */
const TIME_LIMIT_MS = 300;
const SLOW_MAX = 3;
const KEPT = 200;

interface Kept {
  readonly pattern: UserPattern | null;
  slow: number;
}

const kept = new Map<string, Kept>();

/** Compiled once; the oldest goes when too many are kept. */
const keptOf = (source: string, flags: string): Kept => {
  const key = `${flags}/${source}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const compiled = compilePattern(source, flags);
  const made: Kept = { pattern: typeof compiled === 'string' ? null : compiled, slow: 0 };
  const [oldest] = kept.keys();
  if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, made);
  return made;
};

const room: { pattern: RegExp | null; text: string; replacement: string } = Object.assign(Object.create(null), {
  pattern: null,
  text: '',
  replacement: '',
});
const context = createContext(room);
const EXEC = new Script('pattern.exec(text)');
const REPLACE = new Script('text.replace(pattern, replacement)');

/** V8 looks for the end of its time while it backtracks, so even a single match can be stopped. */
const limited = <T>(script: Script, one: Kept, pattern: RegExp, text: string, replacement: string): T | undefined => {
  if (one.slow >= SLOW_MAX) return undefined;
  Object.assign(room, { pattern, text, replacement });
  try {
    return script.runInContext(context, { timeout: TIME_LIMIT_MS }) as T;
  } catch {
    one.slow += 1;
    return undefined;
  }
};

/** The match of a pattern in the first characters of a text, with the places of its groups; null when there is none. */
export const matchOf = (source: string, text: string): RegExpExecArray | null => {
  const one = keptOf(source, 'd');
  if (one.pattern === null) return null;
  const { regex, heavy } = one.pattern;
  const cut = text.slice(0, TEXT_MAX);
  return heavy ? (limited<RegExpExecArray | null>(EXEC, one, regex, cut, '') ?? null) : regex.exec(cut);
};

/** The text with every match replaced; `$1`, `${1}` and `$<name>` stand for groups. */
export const replaceAll = (source: string, text: string, replacement: string): string => {
  const one = keptOf(source, 'g');
  if (one.pattern === null) return text;
  const { regex, heavy } = one.pattern;
  const cut = text.slice(0, TEXT_MAX);
  const wanted = replacement.replace(/\$\{(\d{1,2})\}/g, '$$$1').replace(/\$\{(\w{1,64})\}/g, '$$<$1>');
  regex.lastIndex = 0;
  return heavy ? (limited<string>(REPLACE, one, regex, cut, wanted) ?? text) : cut.replace(regex, wanted);
};

/** A template with `{name}` for each value; what has no value becomes nothing, and spaces are tidied. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string | undefined>>): string =>
  template
    .slice(0, TEXT_MAX)
    .replace(/\{(\w{1,64})\}/g, (_, name: string) => values[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TEXT_MAX);
