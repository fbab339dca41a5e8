// Regular expressions that people type: compiled within limits, refused with a sentence. Catches what can make matching explode: a
// repeated group around another repetition, an optional part or alternatives, and references back to a group.

export const PATTERN_MAX = 500;
/** Longer texts are cut before a pattern sees them. */
export const TEXT_MAX = 512;
/** With more choices than this a match may take cubic time and more; such a pattern runs under a time limit. */
const CHOICES_MAX = 1.5;
/** A repetition is one choice; an optional part or an alternative is a small one, but many of them multiply too. */
const SMALL_CHOICE = 0.1;
/** Many parts in a row that may be absent take V8 seconds to compile, which nothing can interrupt. */
const VARYING_MAX = 20;

export interface UserPattern {
  readonly regex: RegExp;
  /** Has so many ways to match that a made-up name could keep it busy for long. */
  readonly heavy: boolean;
}

interface Repeat {
  readonly min: number;
  readonly max: number;
  readonly length: number;
}

interface Group {
  /** Holds a part whose length can vary. */
  varies: boolean;
  readonly from: number;
}

const ONCE: Repeat = { min: 1, max: 1, length: 0 };
const BRACES = /^\{(\d{1,5})(,?)(\d{0,5})\}/;

const repeatAt = (source: string, at: number): Repeat => {
  const lazy = (length: number): number => length + Number(source[at + length] === '?');
  if (source[at] === '*') return { min: 0, max: Infinity, length: lazy(1) };
  if (source[at] === '+') return { min: 1, max: Infinity, length: lazy(1) };
  if (source[at] === '?') return { min: 0, max: 1, length: lazy(1) };
  const found = BRACES.exec(source.slice(at, at + 16));
  if (found === null) return ONCE;
  const min = Number(found[1]);
  const max = found[2] === '' ? min : found[3] === '' ? Infinity : Number(found[3]);
  return { min, max, length: lazy(found[0].length) };
};

/** The end of a character class that begins at `at`. */
const classEnd = (source: string, at: number): number => {
  for (let to = at + 1; to < source.length; to += 1) {
    if (source[to] === '\\') to += 1;
    else if (source[to] === ']') return to + 1;
  }
  return source.length;
};

interface Shape {
  readonly fault: string | null;
  readonly choices: number;
}

const NESTED = 'a repeated group must not contain another repetition, an optional part or alternatives';
const MANY = `it has more than ${VARYING_MAX} repetitions and optional parts`;
const BACK = 'references back to a group are not supported';

const shapeOf = (source: string): Shape => {
  const groups: Group[] = [{ varies: false, from: 0 }];
  let choices = 0;
  let varying = 0;
  let at = 0;
  while (at < source.length) {
    const inner = groups.at(-1);
    if (inner === undefined) return { fault: 'a bracket is closed that was never opened', choices };
    const sign = source[at];
    let group: Group | undefined;
    if (sign === '\\') {
      if (/[1-9k]/.test(source[at + 1] ?? '')) return { fault: BACK, choices };
      at += 2;
    } else if (sign === '[') at = classEnd(source, at);
    else if (sign === '(') {
      groups.push({ varies: false, from: at });
      at += /^\((?:\?(?:<[^>]{0,64}>|[:=!]|<[=!]))?/.exec(source.slice(at, at + 70))?.[0].length ?? 1;
      continue;
    } else if (sign === ')') {
      group = groups.pop();
      at += 1;
    } else {
      if (sign === '|') {
        inner.varies = true;
        choices += SMALL_CHOICE;
      }
      at += 1;
    }
    const repeat = repeatAt(source, at);
    if (group?.varies === true && repeat.max > 1)
      return { fault: `${NESTED}: ${source.slice(group.from, at + repeat.length)}`, choices };
    const around = groups.at(-1);
    if (around !== undefined && (repeat.min !== repeat.max || group?.varies === true)) around.varies = true;
    if (repeat.max > repeat.min) varying += 1;
    if (varying > VARYING_MAX) return { fault: MANY, choices };
    if (repeat.max > repeat.min) choices += repeat.max - repeat.min === 1 ? SMALL_CHOICE : 1;
    at += repeat.length;
  }
  return { fault: null, choices };
};

/** Other servers write `(?P<name>` and a leading `(?i)`; both mean the same here. */
const translated = (source: string): { readonly source: string; readonly flags: string } => {
  const named = source.replaceAll('(?P<', '(?<');
  return named.startsWith('(?i)') ? { source: named.slice(4), flags: 'i' } : { source: named, flags: '' };
};

/** The compiled pattern, or a sentence part that says what is wrong with it. */
export const compilePattern = (pattern: string, flags = ''): UserPattern | string => {
  if (pattern.length > PATTERN_MAX) return `is longer than ${PATTERN_MAX} characters`;
  const { source, flags: own } = translated(pattern);
  const { fault, choices } = shapeOf(source);
  try {
    const regex = new RegExp(source, [...new Set(own + flags)].join('')); // made even when refused: bad syntax is the better reason
    return fault === null ? { regex, heavy: choices > CHOICES_MAX } : `could take forever: ${fault}`;
  } catch (thrown) {
    return `does not compile: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
};

/** What is wrong with a pattern; undefined when it can be used. */
export const patternFault = (pattern: string): string | undefined => {
  const compiled = compilePattern(pattern);
  return typeof compiled === 'string' ? compiled : undefined;
};
