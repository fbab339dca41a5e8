// Text that is not shown: scanned pages have the recognised words in text rendering mode 3, over or under the image. ISO 32000-2, 9.3.6.

const INVISIBLE = '3';
const TOKEN =
  /<<[^<>]{0,200}>>|\/[^\0\s/<>[\](){}%]{0,100}|\((?:[^()\\]|\\[\s\S]|\((?:[^()\\]|\\[\s\S])*\))*\)|<[\da-fA-F\s]*>|[[\]]|[^\0\s/<>[\](){}%]{1,40}/y;
const BLANK = /[\0\t\n\f\r ]+/y;
const OPERAND = /^[-+.\d/<([\]]/;

/** Strings and arrays, of which only text has a use. */
const STRING = /^(?:[([\]]|<(?!<))/;

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
}

/** True for an operator of text, which shows nothing; false for others; undefined where something may be seen. */
const stepText = (state: State, operator: string, operand: string | undefined): boolean | undefined => {
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

/** False where the stream is damaged or unusual. */
const stepOther = (state: State, operator: string, operands: readonly string[]): boolean => {
  if (operands.some((operand) => STRING.test(operand))) return false;
  if (state.isInText && OUTSIDE_ONLY.has(operator)) return false;
  if (operator === 'q') state.saved.push(state.isInvisible);
  if (operator !== 'Q') return true;
  const before = state.saved.pop();
  state.isInvisible = before ?? false;
  return before !== undefined;
};

/** The tokens of a content stream; undefined at the first byte that is none of them (comments, images within the stream). */
const tokensOf = function* (content: string): Generator<string | undefined> {
  for (let at = 0; at < content.length; ) {
    BLANK.lastIndex = at;
    if (BLANK.test(content)) {
      at = BLANK.lastIndex;
      continue;
    }
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(content)?.[0];
    yield token;
    if (token === undefined) return;
    at += token.length;
  }
};

/** A content stream without its invisible text; undefined if some of its text is visible or in doubt. */
export const withoutHiddenText = (content: string): string | undefined => {
  const state: State = { isInText: false, isInvisible: false, saved: [] };
  const others: string[] = [];
  let operands: string[] = [];
  for (const token of tokensOf(content)) {
    if (token === undefined) return undefined;
    operands.push(token);
    if (OPERAND.test(token)) continue;
    const isOfText = stepText(state, token, operands.at(-2));
    if (isOfText === undefined || (!isOfText && !stepOther(state, token, operands))) return undefined;
    if (!isOfText) others.push(...operands);
    operands = [];
  }
  return state.isInText || operands.length > 0 ? undefined : others.join(' ');
};
