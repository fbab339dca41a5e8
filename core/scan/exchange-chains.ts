// Splits exchanges of paths into transactions of bounded size. After each of them, every row is at the path of a file that is there, so that a
// scan that is interrupted between two is completed by the next one.

import type { Exchange, Holder } from './holders.js';

/** Occupies the writer for about 50 ms. */
const MOVES_PER_TRANSACTION = 100;
/** Adding the history of a book to another copy takes as long as this many moves. */
const MOVES_PER_MERGE = 5;

/** Exchanges of which each takes the path that the next one leaves. The last takes a path that nobody leaves, or that of the first. */
export type Chain = readonly Exchange[];

const isCircle = (chain: Chain): boolean => chain[0]?.from.key === chain.at(-1)?.to.key;

export const chainsOf = (exchanges: readonly Exchange[]): readonly Chain[] => {
  const left = new Map(exchanges.map((one) => [one.from.key, one]));
  const taken = new Set(exchanges.map(({ to }) => to.key));
  const chainFrom = (first: Exchange): Chain => {
    const chain: Exchange[] = [];
    for (let one: Exchange | undefined = first; one !== undefined; one = left.get(one.to.key)) {
      chain.push(one);
      left.delete(one.from.key);
    }
    return chain;
  };
  const rows = exchanges.filter(({ from }) => !taken.has(from.key)).map(chainFrom);
  const circles = exchanges.flatMap((one) => (left.has(one.from.key) ? [chainFrom(one)] : []));
  return [...rows, ...circles];
};

const movesOf = (chain: Chain): number =>
  chain.reduce((sum, { copy }) => sum + (copy === undefined ? 1 : MOVES_PER_MERGE), 0);

/** Short chains are written together; one that is too long for a transaction is alone. */
export const batchesOf = (chains: readonly Chain[]): readonly (readonly Exchange[])[] => {
  const batches: Exchange[][] = [];
  let room = 0;
  for (const chain of chains) {
    const moves = movesOf(chain);
    const last = batches.at(-1);
    if (last === undefined || moves > room) {
      batches.push([...chain]);
      room = MOVES_PER_TRANSACTION;
    } else last.push(...chain);
    room -= moves;
  }
  return batches;
};

/** What one transaction writes of a chain, and what is left of it. */
export interface Part {
  readonly now: Chain;
  /** Its last exchange takes the path that the first of `now` leaves. */
  readonly later: Chain;
}

/** The row of the first, at the path of another. */
const at = (row: Holder, { folder, series, name, size, mtimeMs, path }: Holder): Holder => ({
  ...row,
  folder,
  series,
  name,
  size,
  mtimeMs,
  path,
});

/** The same with another row at the path that the last one takes. */
export const endingAt = (chain: Chain, to: Holder): Chain =>
  chain.map((one, index) => (index === chain.length - 1 ? { ...one, to } : one));

/**
 * A circle is divided into two: the row whose path the last ones end at takes the path that they leave, and is then a part of the circle that
 * remains. Its new path shows other content than its own, as its old one did.
 */
const partOfCircle = (chain: Chain): Part => {
  const now = chain.slice(1 - MOVES_PER_TRANSACTION);
  const later = chain.slice(0, 1 - MOVES_PER_TRANSACTION);
  const [opening, leaving] = [later[0], now[0]];
  if (opening === undefined || leaving === undefined) return { now: chain, later: [] };
  const row = at(opening.from, leaving.from);
  const reopened = later.map((one, index) => (index === 0 ? { ...one, from: row } : one));
  return { now: [...now, { from: opening.from, to: leaving.from }], later: endingAt(reopened, row) };
};

/** The end of a batch comes first: it takes a path that is free. */
export const partOf = (batch: Chain): Part => {
  if (movesOf(batch) <= MOVES_PER_TRANSACTION) return { now: batch, later: [] };
  if (isCircle(batch)) return partOfCircle(batch);
  return { now: batch.slice(-MOVES_PER_TRANSACTION), later: batch.slice(0, -MOVES_PER_TRANSACTION) };
};
