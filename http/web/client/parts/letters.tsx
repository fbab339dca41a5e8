// The letter index at the side of a wall: each letter leads to the first name that begins with it.

import { t } from '../messages/messages.js';
import type { Letter } from '../state/api.js';

interface Props {
  readonly letters: readonly Letter[];
  readonly total: number;
  readonly onJump: (place: number) => void;
}

/** A shorter wall needs no index. */
const MIN_TOTAL = 60;
const LETTERS_MAX = 40;

interface Stop {
  readonly group: string;
  readonly place: number;
}

const stopsOf = (letters: readonly Letter[]): readonly Stop[] => {
  let place = 0;
  return letters.map(({ group, count }) => {
    const stop = { group, place };
    place += count;
    return stop;
  });
};

export const Letters = ({ letters, total, onJump }: Props) => {
  if (total < MIN_TOTAL || letters.length < 2 || letters.length > LETTERS_MAX) return null;
  return (
    <nav class="letters" aria-label={t.series.letters}>
      {stopsOf(letters).map(({ group, place }) => (
        <button key={group} type="button" onClick={() => onJump(place)}>
          {group.toUpperCase()}
        </button>
      ))}
    </nav>
  );
};
