// The number of a book as reader apps sort and track it, fractions included: the column for lists holds whole numbers only. Pure.
import { numberOfText } from '../model/numbers.js';

export interface Numbered {
  /** By the strategy of the library; null where it has none. */
  readonly number: number | null;
  readonly chapter: number | null;
  /** As the file or a user wrote it. */
  readonly toldNumber: string | null;
}

/** What was told, or the chapter, if it only adds a fraction to the number of the strategy, or if the strategy gave none. */
export const sortNumberOf = ({ number, chapter, toldNumber }: Numbered): number | null => {
  const exact = [numberOfText(toldNumber), chapter].find(
    (one) => one !== null && (number === null || Math.trunc(one) === number),
  );
  return exact ?? number;
};
