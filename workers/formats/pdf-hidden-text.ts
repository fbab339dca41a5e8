// Text that is not shown: scanned pages have the recognised words in text rendering mode 3, over or under the image. ISO 32000-2, 9.3.6.

const INVISIBLE = '3';
const SHOWING: ReadonlySet<string> = new Set(['Tj', 'TJ', "'", '"']);
/** How text looks, which may be set between texts too. */
const SETTING: ReadonlySet<string> = new Set(['Tf', 'Tc', 'Tw', 'Tz', 'TL', 'Ts']);
const PLACING: ReadonlySet<string> = new Set(['Td', 'TD', 'Tm', 'T*']);
/** These within a text mean that the stream is damaged. */
const OUTSIDE_ONLY: ReadonlySet<string> = new Set(['q', 'Q', 'cm', 'Do']);

/** What a program is in while its operators are read. */
interface State {
  isInText: boolean;
  isInvisible: boolean;
  readonly saved: boolean[];
  hasImage: boolean;
}

/** True for an operator of text, which shows nothing; false for others; undefined where something may be seen. */
const stepText = (state: State, operator: string, operand: string): boolean | undefined => {
  if (operator === 'BT' || operator === 'ET') {
    if (state.isInText === (operator === 'BT')) return undefined;
    state.isInText = operator === 'BT';
    return true;
  }
  if (operator === 'Tr') {
    state.isInvisible = operand === INVISIBLE;
    return state.isInvisible ? true : undefined;
  }
  if (SETTING.has(operator)) return true;
  if (PLACING.has(operator)) return state.isInText ? true : undefined;
  if (SHOWING.has(operator)) return state.isInText && state.isInvisible ? true : undefined;
  return false;
};

/** False where the stream is damaged or unusual, or paints more than one image. Only text has a use for strings and arrays. */
const stepOther = (state: State, operator: string, hasStrings: boolean): boolean => {
  if (hasStrings || (state.isInText && OUTSIDE_ONLY.has(operator))) return false;
  if (operator === 'Do') {
    if (state.hasImage) return false;
    state.hasImage = true;
  }
  if (operator === 'q') state.saved.push(state.isInvisible);
  if (operator !== 'Q') return true;
  const before = state.saved.pop();
  state.isInvisible = before ?? false;
  return before !== undefined;
};

/** What a token begins with. Other characters begin comments, or are damage. */
const KIND = { other: 0, blank: 1, word: 2, number: 3, name: 4, string: 5, angle: 6, bracket: 7 } as const;
const KINDS: ReadonlyMap<number, string> = new Map([
  [KIND.blank, '\0\t\n\f\r '],
  [KIND.other, '\v\xa0){}%>'],
  [KIND.number, '-+.0123456789'],
  [KIND.name, '/'],
  [KIND.string, '('],
  [KIND.angle, '<'],
  [KIND.bracket, '[]'],
]);
const kindOf = new Uint8Array(256).fill(KIND.word);
for (const [kind, chars] of KINDS) for (const char of chars) kindOf[char.charCodeAt(0)] = kind;

const WORD_MAX = 40;
const NAME_MAX = 100;
const DICTIONARY = /<<[^<>]{0,200}>>/y;
const HEX = /<[\da-fA-F\s]*>/y;

const endOfWord = (content: string, from: number, max: number): number => {
  const last = Math.min(content.length, from + max);
  let at = from;
  while (at < last) {
    const kind = kindOf[content.charCodeAt(at)];
    if (kind !== KIND.word && kind !== KIND.number) break;
    at += 1;
  }
  return at;
};

const BACKSLASH = 0x5c;
const OPENING = 0x28;
const CLOSING = 0x29;
/** Deeper nesting is probably damage. */
const DEPTH_MAX = 2;

const endOfString = (content: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < content.length; at += 1) {
    const code = content.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === OPENING) depth += 1;
    else if (code === CLOSING) depth -= 1;
    if (depth === 0) return at + 1;
    if (depth > DEPTH_MAX) return -1;
  }
  return -1;
};

const endOfMatch = (pattern: RegExp, content: string, from: number): number => {
  pattern.lastIndex = from;
  return pattern.test(content) ? pattern.lastIndex : -1;
};

/** Where the token at `from` ends; -1 where none begins (comments, images within the stream). */
const endOfToken = (content: string, from: number, kind: number | undefined): number => {
  if (kind === KIND.word || kind === KIND.number) return endOfWord(content, from, WORD_MAX);
  if (kind === KIND.name) return endOfWord(content, from + 1, NAME_MAX);
  if (kind === KIND.string) return endOfString(content, from);
  if (kind === KIND.bracket) return from + 1;
  if (kind !== KIND.angle) return -1;
  return endOfMatch(content[from + 1] === '<' ? DICTIONARY : HEX, content, from);
};

const isString = (content: string, at: number, kind: number | undefined): boolean =>
  kind === KIND.string || kind === KIND.bracket || (kind === KIND.angle && content[at + 1] !== '<');

/**
 * A content stream without its invisible text; undefined if some of its text is visible or in doubt, if it paints several images, and if more
 * than `max` characters are left. Scanned pages have thousands of words, so no token is copied that is not needed.
 */
export const withoutHiddenText = (content: string, max: number): string | undefined => {
  const state: State = { isInText: false, isInvisible: false, saved: [], hasImage: false };
  let others = '';
  /** Where the operands of the next operator begin, and the last of them. */
  let [first, last, hasStrings] = [-1, -1, false];
  for (let at = 0; at < content.length; ) {
    const kind = kindOf[content.charCodeAt(at)];
    const end = kind === KIND.blank ? at + 1 : endOfToken(content, at, kind);
    if (end < 0) return undefined;
    if (kind === KIND.word) {
      const operator = content.slice(at, end);
      const operand = operator === 'Tr' && last >= 0 ? content.slice(last, at).trimEnd() : '';
      const isOfText = stepText(state, operator, operand);
      if (isOfText === undefined || (!isOfText && !stepOther(state, operator, hasStrings))) return undefined;
      if (!isOfText) others += `${content.slice(first < 0 ? at : first, end)} `;
      if (others.length > max) return undefined;
      [first, last, hasStrings] = [-1, -1, false];
    } else if (kind !== KIND.blank) {
      if (first < 0) first = at;
      last = at;
      hasStrings ||= isString(content, at, kind);
    }
    at = end;
  }
  return state.isInText || first >= 0 ? undefined : others;
};

/** Pages in a row that have fonts and are not sent as an image. */
export interface Texts {
  inRow: number;
}

/** Most documents show text on all of their pages: after so many in a row only some are examined, since their contents have to be unpacked. */
const TEXTS_MAX = 3;
const EXAMINED = 32;

/** Counts a page with fonts; true if it is not examined. */
export const isLikelyText = (texts: Texts): boolean => {
  texts.inRow += 1;
  return texts.inRow > TEXTS_MAX && texts.inRow % EXAMINED !== 0;
};
