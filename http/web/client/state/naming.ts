// How a library gets the titles and numbers of its books, as one choice: the strategies of the API that people choose between.
import type { Library } from './api.js';

export type Naming = 'metadata' | 'names' | 'other';

type Strategies = Pick<Library, 'bookStrategy' | 'numberStrategy'>;

export const STRATEGIES = {
  metadata: { bookStrategy: 'smart', numberStrategy: 'smart' },
  names: { bookStrategy: 'filename', numberStrategy: 'file_order' },
} as const satisfies Readonly<Record<Exclude<Naming, 'other'>, Strategies>>;

export const namingOf = ({ bookStrategy, numberStrategy }: Strategies): Naming => {
  const isSame = (one: Strategies): boolean =>
    one.bookStrategy === bookStrategy && one.numberStrategy === numberStrategy;
  if (isSame(STRATEGIES.metadata)) return 'metadata';
  return isSame(STRATEGIES.names) ? 'names' : 'other';
};
