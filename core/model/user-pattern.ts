// Regular expressions from users, in RE2 syntax: matching takes time proportional to the text, whatever the pattern and the text are.
// The only importer of re2js.
import { RE2JS } from 're2js';

export const PATTERN_MAX = 500;
/** Any pattern of literal text stays below this; nested repetitions multiply. At this limit the slowest match takes about 25 ms. */
const INSTRUCTIONS_MAX = 550;

export interface PatternMatch {
  /** Undefined for a group that did not participate. The whole match is number 0. */
  group(index: number): string | undefined;
  /** Groups with a name. */
  readonly named: Readonly<Record<string, string | undefined>>;
  /** Where a named group begins in the text; undefined when it did not participate. */
  startOf(name: string): number | undefined;
}

export interface UserPattern {
  match(text: string): PatternMatch | null;
  /** `$1` and `$<name>` in the replacement stand for groups. */
  replaceAll(text: string, replacement: string): string;
}

const patternOf = (compiled: RE2JS): UserPattern => ({
  match: (text) => {
    const matcher = compiled.matcher(text);
    if (!matcher.find()) return null;
    const names = Object.entries(compiled.namedGroups());
    return {
      group: (index) => (index > matcher.groupCount() ? undefined : (matcher.group(index) ?? undefined)),
      named: Object.fromEntries(names.map(([name, index]) => [name, matcher.group(index) ?? undefined])),
      startOf: (name) => {
        const start = name in compiled.namedGroups() ? matcher.start(name) : -1;
        return start < 0 ? undefined : start;
      },
    };
  },
  replaceAll: (text, replacement) => compiled.matcher(text).replaceAll(replacement),
});

/** What `\\s` means in other engines: it includes the wide space of Japanese names, which RE2 leaves out. */
const SPACES = '\\s\\v\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

const withWideSpaces = (source: string): string => {
  let isInClass = false;
  return source.replace(/\\.|[[\]]/gs, (part) => {
    if (part === '[' || part === ']') isInClass = part === '[';
    if (part === '\\s') return isInClass ? SPACES : `[${SPACES}]`;
    return part === '\\S' && !isInClass ? `[^${SPACES}]` : part;
  });
};

const LOOKAROUND = /(?<!\\)(?:\\\\)*\(\?(?:=|!|<=|<!)/;
const REFERENCE = /(?<!\\)(?:\\\\)*\\[1-9k]/;

/** What RE2 omits for the sake of speed; its own message would say where, but not what. */
const unsupported = (pattern: string): string | undefined => {
  if (REFERENCE.test(pattern)) return 'does not compile: back-references to a group are not supported';
  if (!LOOKAROUND.test(pattern)) return undefined;
  return 'does not compile: look-ahead and look-behind, as in (?=…) or (?<!…), are not supported; match the text and put the wanted part in a named group';
};

const reasonOf = (thrown: unknown): string => {
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  return `does not compile: ${words.replace(/^error parsing regexp: /, '')}`;
};

/** The compiled pattern, or a phrase that says what is wrong with it. */
export const compilePattern = (pattern: string): UserPattern | string => {
  if (pattern.length > PATTERN_MAX) return `is longer than ${PATTERN_MAX} characters`;
  const refused = unsupported(pattern);
  if (refused !== undefined) return refused;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(withWideSpaces(RE2JS.translateRegExp(pattern)));
  } catch (thrown) {
    return reasonOf(thrown);
  }
  return compiled.programSize() > INSTRUCTIONS_MAX
    ? 'is too large because its repetitions multiply; use fewer or smaller ones, or * and +'
    : patternOf(compiled);
};

/** What is wrong with a pattern; undefined when it can be used. */
export const patternFault = (pattern: string): string | undefined => {
  const compiled = compilePattern(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
};
