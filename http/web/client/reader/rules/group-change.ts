// How a neighbouring book differs in kind from the current one: by another translator, in another language, a whole volume after chapters
// or the reverse, or an extra outside the numbering.

export interface Grouped {
  readonly volume: number | null;
  readonly chapter: number | null;
  readonly translator: string | null;
  /** The code of the language. */
  readonly language: string | null;
}

export type GroupChange =
  | { readonly kind: 'volume' | 'chapter' | 'extra' }
  | { readonly kind: 'translator' | 'language'; readonly name: string };

const unitOf = ({ volume, chapter }: Grouped): 'volume' | 'chapter' | 'extra' =>
  chapter !== null ? 'chapter' : volume !== null ? 'volume' : 'extra';

const keyOf = (name: string): string => name.trim().toLowerCase();

const otherName = (
  kind: 'translator' | 'language',
  own: Grouped,
  other: Grouped,
  keyed: (name: string) => string,
): readonly GroupChange[] => {
  const [before, after] = [own[kind], other[kind]];
  return before === null || after === null || keyed(before) === keyed(after) ? [] : [{ kind, name: after }];
};

/** Without the region: British and American English are the same language. */
const languageKey = (code: string): string => keyOf(code).split(/[-_]/)[0] ?? '';

/** What is unknown for either book is no change, and neither is the way back from an extra. */
export const groupChanges = (own: Grouped, other: Grouped): readonly GroupChange[] => {
  const [before, after] = [unitOf(own), unitOf(other)];
  return [
    ...(before === after || before === 'extra' ? [] : [{ kind: after }]),
    ...otherName('translator', own, other, keyOf),
    ...otherName('language', own, other, languageKey),
  ];
};
