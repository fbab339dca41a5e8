// Which page is on the screen of an app that only fetches pages: worked out from the pages it has fetched and when. Pure.

/** Apps fetch pages in advance, at most this many; what fetches more at once downloads the book. */
export const AHEAD_MAX = 8;
/** Nobody turns pages faster: pages fetched within this time of each other are fetched by the app itself. */
export const BURST_MS = 1000;

/** A reader in a book. Page numbers are 1-based. */
export interface Sitting {
  /** Pages that the app fetched when it opened the book here; empty once it has fetched others. */
  readonly opening: readonly number[];
  /** How many pages the app fetches ahead of the one on the screen. */
  readonly ahead: number;
  readonly highest: number;
  /** The page on the screen; 0 while nobody can tell. */
  readonly shown: number;
  /** Whether the reader has turned pages since the opening. */
  readonly isReading: boolean;
  /** When a page was last fetched. */
  readonly at: number;
}

/**
 * The run of adjacent pages where the reader is. If the only other page is the first, fetched for the cover, it is the last run; otherwise it
 * is the first one: pages further on were fetched for some other purpose.
 */
const runOf = (pages: readonly number[]): readonly number[] => {
  const sorted = [...new Set(pages)].sort((a, b) => a - b);
  const isStart = (page: number, index: number): boolean => index > 0 && page !== (sorted[index - 1] ?? 0) + 1;
  const second = sorted.findIndex(isStart);
  if (second < 0) return sorted;
  const isCover = second === 1 && sorted[0] === 1 && sorted.findLastIndex(isStart) === second;
  return isCover ? sorted.slice(second) : sorted.slice(0, second);
};

const opened = (pages: readonly number[], at: number): Sitting => {
  const run = runOf(pages);
  const [first = 1, highest = first] = [run[0], run.at(-1)];
  // The first page alone may be a cover in a list.
  const shown = run.length === 1 && first === 1 ? 0 : first;
  const ahead = Math.min(run.length - 1, AHEAD_MAX);
  return { opening: pages, ahead, highest, shown, isReading: false, at };
};

/** Pages of an opening that are remembered: with more it is a download, whose first page is known. */
const OPENING_MAX = 64;

/** The sitting after a page was fetched. */
export const fetched = (before: Sitting | undefined, page: number, at: number): Sitting => {
  if (before === undefined) return opened([page], at);
  const { opening, ahead, highest, shown } = before;
  if (opening.length > 0 && at - before.at < BURST_MS)
    return opening.length < OPENING_MAX
      ? opened([...opening, page], at)
      : { ...before, highest: Math.max(highest, page), at };
  if (shown === 0 && page === highest) return opened([page], at);
  if (page <= highest && page >= shown - AHEAD_MAX) return { ...before, opening: [], at };
  // A jump, by a table of contents or a slider.
  if (page < highest || page > highest + 1 + AHEAD_MAX) return opened([page], at);
  return { opening: [], ahead, highest: page, shown: Math.max(shown, page - ahead), isReading: true, at };
};

/**
 * Whether the app has the last page of the book because its reader is near it: it will ask for no more. An app that fetched the whole book
 * when it was opened says nothing about its reader, nor does one that fetched the last page alone.
 */
export const isAtEnd = ({ highest, shown, isReading }: Sitting, pageCount: number): boolean =>
  highest >= pageCount && (isReading || (shown > 1 && shown < highest && highest - shown <= AHEAD_MAX));
