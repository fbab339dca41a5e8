// A stretch of a file that means something: a number, a text, a part or packed data. What is changed there is read by a program, not skipped.

export interface Span {
  readonly is: 'number' | 'text' | 'part' | 'data';
  readonly from: number;
  readonly to: number;
  /** Its length must stay, since places of other parts count from the start of the file. */
  readonly isFixed: boolean;
}

export type FindSpans = (bytes: Buffer) => readonly Span[];

/** More than these would make a table of contents slow to change, not more hostile. */
export const SPANS_MAX = 2000;

export const spanOf = (is: Span['is'], from: number, length: number, isFixed = true): Span => ({
  is,
  from,
  to: from + length,
  isFixed,
});

/** Fields one after the other, by their lengths; those of length 0 are none. */
export const numbersAt = (from: number, lengths: readonly number[]): Span[] => {
  let at = from;
  return lengths.flatMap((length) => {
    at += length;
    return length === 0 ? [] : [spanOf('number', at - length, length)];
  });
};

/** Each byte of a header whose fields have no fixed places. */
export const bytesAt = (from: number, length: number): Span[] =>
  numbersAt(
    from,
    Array.from({ length }, () => 1),
  );
