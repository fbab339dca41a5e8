// Which page of the new version of a book corresponds to a page of its old version. Pure.
import type { SpineItem } from './outline.js';
import type { PageTable } from './page-table.js';

/** What counts as one page: an entry of an archive, or a position in a document of text. */
interface Unit {
  readonly name: string;
  /** Where it lies in the file. Only comparable with the same file. */
  readonly address: string;
  /** 0 where the size says nothing. */
  readonly size: number;
  /** 0 where no checksum was stored. */
  readonly check: number;
}

/** A book as it is stored. */
export interface Paged {
  readonly table: PageTable | null;
  /** Of an EPUB. */
  readonly spine: readonly SpineItem[] | null;
  /** Its pages are positions in its text, not the entries of the table. */
  readonly isText: boolean;
  readonly pageCount: number;
}

/** From 1. A page that is gone becomes the new one in its place, or else the nearest earlier one that is left. */
export type PageMove = (page: number) => number;

const unitsOfTable = (table: PageTable): readonly Unit[] => {
  const names = table.names();
  return Array.from({ length: table.pageCount }, (_, index) => {
    const entry = table.entry(index);
    return {
      name: names[index] ?? '',
      address: JSON.stringify(entry?.address),
      size: entry?.size ?? 0,
      check: entry?.check ?? 0,
    };
  });
};

const unitsOfSpine = (spine: readonly SpineItem[]): readonly Unit[] =>
  spine.flatMap(({ href, positions }) =>
    Array.from({ length: positions }, () => ({ name: href, address: href, size: 0, check: 0 })),
  );

/** Sizes distinguish more pages together with a part of the checksum, if both tables have it. */
const withChecks = (units: readonly Unit[], other: readonly Unit[]): readonly Unit[] =>
  [units, other].every((each) => each.some(({ check }) => check > 0))
    ? units.map((unit) => ({ ...unit, size: unit.size * 256 + unit.check }))
    : units;

interface Units {
  readonly isText: boolean;
  readonly units: readonly Unit[];
}

/**
 * Null where the number of pages is not that of the entries or positions, so that nothing is known of each page. The kind of an EPUB may be
 * newer than its pages, where rows sufficed to tell it.
 */
const unitsOf = ({ table, spine, isText, pageCount }: Paged): Units | null => {
  if (pageCount === 0) return null;
  const positions = (spine ?? []).reduce((sum, item) => sum + item.positions, 0);
  const isTable = table?.pageCount === pageCount;
  if (spine !== null && positions === pageCount && (isText || !isTable))
    return { isText: true, units: unitsOfSpine(spine) };
  return table !== null && isTable && !isText ? { isText: false, units: unitsOfTable(table) } : null;
};

/** Indices by key; the n-th unit with a key is another than the first. */
const indexed = (units: readonly Unit[], keyOf: (unit: Unit) => string): ReadonlyMap<string, number> => {
  const seen = new Map<string, number>();
  return new Map(
    units.map((unit, index) => {
      const key = keyOf(unit);
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      return [`${nth}/${key}`, index];
    }),
  );
};

/** Indices by size, where only one unit has it. */
const uniqueBySize = (units: readonly Unit[]): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  for (const [index, { size }] of units.entries()) found.set(size, found.has(size) ? -1 : index);
  found.delete(0);
  return found;
};

/** Blank pages have one size: each is where its neighbour says. */
const matchNeighbours = (before: readonly Unit[], after: readonly Unit[], found: (number | undefined)[]): void => {
  const matchFrom = (index: number, step: number): void => {
    const at = (found[index - step] ?? Number.NaN) + step;
    const size = before[index]?.size ?? 0;
    if (size > 0 && after[at]?.size === size) found[index] ??= at;
  };
  for (let index = 0; index < found.length; index += 1) matchFrom(index, 1);
  for (let index = found.length - 1; index >= 0; index -= 1) matchFrom(index, -1);
};

const stemOf = ({ name }: Unit): string => name.replace(/\.[^./]{1,5}$/, '').toLowerCase();

interface Numbered {
  readonly index: number;
  readonly shape: string;
  readonly numbers: readonly string[];
}

const numberedOf = (unit: Unit, index: number): Numbered => {
  const stem = stemOf(unit);
  const numbers = (stem.match(/\d+/g) ?? []).map((digits) => digits.replace(/^0+(?=\d)/, ''));
  return { index, shape: stem.replace(/\d+/g, '#'), numbers };
};

/**
 * Indices by those numbers that differ between names which are otherwise alike, as of most pages: without the prefix, suffix and folder that
 * they share, and the number of the volume. Credits and covers are called otherwise.
 */
const indexedByNumber = (units: readonly Unit[]): ReadonlyMap<string, number> => {
  const byShape = new Map<string, Numbered[]>();
  for (const numbered of units.map(numberedOf)) {
    const group = byShape.get(numbered.shape);
    if (group === undefined) byShape.set(numbered.shape, [numbered]);
    else group.push(numbered);
  }
  const [pages = []] = [...byShape.values()].toSorted((one, other) => other.length - one.length);
  const varies = (pages[0]?.numbers ?? []).map((first, at) => pages.some(({ numbers }) => numbers[at] !== first));
  const found = new Map<string, number>();
  for (const { index, numbers } of pages) {
    const key = numbers.filter((_, at) => varies[at]).join('/');
    if (!found.has(key)) found.set(key, index);
  }
  found.delete('');
  return found;
};

/** With as many pages as before, their order says more: numbers may start at 0 now. A few equal numbers say nothing. */
const matchNumbers = (before: readonly Unit[], after: readonly Unit[], found: (number | undefined)[]): void => {
  if (before.length === after.length) return;
  const taken = new Set(found);
  const target = indexedByNumber(after);
  const pairs = [...indexedByNumber(before)].flatMap(([key, index]) => {
    const at = target.get(key);
    return at === undefined || taken.has(at) || found[index] !== undefined ? [] : [[index, at] as const];
  });
  if (pairs.length * 2 <= Math.min(before.length, after.length)) return;
  for (const [index, at] of pairs) found[index] = at;
};

/** For each old unit, its index among the new ones; undefined for those that are gone. */
const matched = (before: readonly Unit[], after: readonly Unit[], isSameFile: boolean): (number | undefined)[] => {
  const found: (number | undefined)[] = before.map(() => undefined);
  const byKey = (keyOf: (unit: Unit) => string): void => {
    const target = indexed(after, keyOf);
    const taken = new Set(found);
    for (const [key, index] of indexed(before, keyOf)) {
      const at = target.get(key);
      if (!taken.has(at)) found[index] ??= at;
    }
  };
  if (isSameFile) byKey(({ address, size }) => `${size}/${address}`);
  byKey(({ name, size }) => `${size}/${name}`);
  // Files are renumbered when pages are added at the front, so a size that only one page has says more than the name.
  const target = uniqueBySize(after);
  const ofOneSize = [...uniqueBySize(before)].flatMap(([size, index]) => {
    const at = target.get(size) ?? -1;
    return index >= 0 && at >= 0 ? [[index, at] as const] : [];
  });
  // Of hundreds of pages that were all made again, one or two have the size of another by chance.
  if (ofOneSize.length * 10 >= Math.min(before.length, after.length))
    for (const [index, at] of ofOneSize) found[index] ??= at;
  matchNeighbours(before, after, found);
  byKey(({ name }) => name);
  byKey(stemOf);
  matchNumbers(before, after, found);
  return found;
};

/** Both orders agree on the number of documents, one of which is a page each: EPUBs whose kind has changed. */
const byDocument = (before: Paged, after: Paged, wasText: boolean): PageMove | undefined => {
  const { spine } = wasText ? before : after;
  if (spine === null) return undefined;
  const positions = spine.map(({ positions: count }) => count);
  const total = positions.reduce((sum, count) => sum + count, 0);
  let start = 1;
  const starts = positions.map((count) => {
    start += count;
    return start - count;
  });
  if (before.pageCount === total && after.pageCount === spine.length)
    return (page) => starts.filter((start) => start <= page).length;
  if (before.pageCount === spine.length && after.pageCount === total) return (page) => starts[page - 1] ?? total;
  return undefined;
};

const byShare =
  (before: number, after: number): PageMove =>
  (page) =>
    Math.max(1, Math.min(after, Math.ceil((page / before) * after - 1e-6)));

/** Where a few pages were added or removed, the number: a page too early is better than one too late. */
const numberOrShare = (page: number, before: number, after: number): number =>
  Math.abs(before - after) <= Math.max(2, before / 10) ? Math.min(page, after) : byShare(before, after)(page);

/** Pages between two that were found are now the new ones between these: made again, under other names. */
const byUnit = (found: readonly (number | undefined)[], after: number): PageMove => {
  const taken = new Set(found);
  if (taken.size === 1 && taken.has(undefined)) return (page) => numberOrShare(page, found.length, after);
  return (page) => {
    const at = found[page - 1];
    if (at !== undefined) return at + 1;
    const start = found.slice(0, page).findLastIndex((one) => one !== undefined);
    const gone = found.slice(page).findIndex((one) => one !== undefined);
    const end = gone < 0 ? found.length : page + gone;
    const [first, last] = [(found[start] ?? -1) + 1, found[end] ?? after];
    const made: number[] = [];
    for (let index = first; index < last; index += 1) if (!taken.has(index)) made.push(index);
    const count = end - start - 1;
    const place = numberOrShare(page - 1 - start, count, Math.min(count, made.length));
    return (made[place - 1] ?? Math.max(0, first - 1)) + 1;
  };
};

/**
 * Undefined where no page can have moved, or nothing is known of the pages. Pages beyond the known ones do not move: the file was shorter
 * for a while. Nor does a page whose end of the book is missing, for the same reason.
 */
export const pageMove = (before: Paged, after: Paged, isSameFile: boolean): PageMove | undefined => {
  const [was, is] = [unitsOf(before), unitsOf(after)];
  if (was === null || is === null) return undefined;
  const [old, now] = [withChecks(was.units, is.units), withChecks(is.units, was.units)];
  if (was.isText !== is.isText) {
    const move = byDocument(before, after, was.isText) ?? byShare(old.length, now.length);
    return (page) => (page > old.length ? page : move(page));
  }
  const found = matched(old, now, isSameFile);
  const move = byUnit(found, now.length);
  const lastFound = found.findLastIndex((one) => one !== undefined) + 1;
  const isCutOff = lastFound < old.length && now.length <= lastFound;
  return (page) => {
    if (page > old.length || (isCutOff && page > lastFound)) return page;
    return move(page);
  };
};
