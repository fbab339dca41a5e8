// How a neighbouring book is of another group than the current one: made by another translator, in another language, a whole volume after
// chapters, or an extra outside the numbering.

export interface Grouped {
  readonly volume: number | null;
  readonly chapter: number | null;
  readonly translator: string | null;
  /** Its code. */
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

/** Regions aside: English is English. */
const languageKey = (code: string): string => keyOf(code).split(/[-_]/)[0] ?? '';

/** What is unknown of either is no change, and neither is the way back from an extra. */
export const groupChanges = (own: Grouped, other: Grouped): readonly GroupChange[] => {
  const [before, after] = [unitOf(own), unitOf(other)];
  return [
    ...(before === after || before === 'extra' ? [] : [{ kind: after }]),
    ...otherName('translator', own, other, keyOf),
    ...otherName('language', own, other, languageKey),
  ];
};
