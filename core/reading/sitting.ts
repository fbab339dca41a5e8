// Which page is on the screen of an app that only fetches pages: worked out from the pages fetched and the pauses between them. Pure.

/** Apps fetch pages in advance, at most this many; what fetches more at once downloads the book. */
export const AHEAD_MAX = 8;
/**
 * A page that stays on the screen for less time was not read. A request that follows an answer sooner than this comes from the app itself,
 * not from its reader, however slow the download is.
 */
export const DWELL_MS = 3000;

/** The pace assumed until the reader has shown another, and the longest pause that counts: a longer one means that nobody was reading. */
const USUAL_PACE_MS = 10_000;
const SLOWEST_PACE_MS = 120_000;

export interface Fetch {
  /** 1-based. */
  readonly page: number;
  readonly askedAt: number;
  /** When the answer had been sent. */
  readonly answeredAt: number;
}

/** A reader in a book. Page numbers are 1-based. */
export interface Sitting {
  /** Pages that the app fetched when it opened the book here; empty once somebody has looked at one of them. */
  readonly opening: readonly number[];
  /** How many pages the app fetches ahead of the one on the screen. */
  readonly ahead: number;
  readonly highest: number;
  /** The page on the screen if nothing more is fetched; 0 while nobody can tell. */
  readonly shown: number;
  /** The furthest page that was on the screen for a while; 0 for none. */
  readonly seen: number;
  /** Where the reader was before the last turn. */
  readonly before: { readonly shown: number; readonly highest: number; readonly ahead: number };
  /** Whether the reader has turned pages since the opening. */
  readonly isReading: boolean;
  /** How long the reader looks at a page. */
  readonly paceMs: number;
  /** When the last answer had been sent. */
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

type Known = Pick<Sitting, 'seen' | 'paceMs'>;

const opened = (pages: readonly number[], at: number, { seen, paceMs }: Known): Sitting => {
  const run = runOf(pages);
  const [first = 1, highest = first] = [run[0], run.at(-1)];
  // The first page alone may be a cover in a list.
  const shown = run.length === 1 && first === 1 ? 0 : first;
  const ahead = run.length - 1;
  const before = { shown, highest, ahead };
  return { opening: pages, ahead, highest, shown, seen, before, isReading: false, paceMs, at };
};

/** Pages of an opening that are remembered: with more it is a download, whose first page is known. */
const OPENING_MAX = 64;

/** Somebody looked at the page on the screen, and went on. */
const afterDwell = (sitting: Sitting): Sitting => {
  const { shown, seen, highest, ahead } = sitting;
  return { ...sitting, seen: Math.max(seen, shown), before: { shown, highest, ahead } };
};

/** A page beyond those that the app had at the last turn: part of the same turn, fetched ahead with others, or part of a download. */
const turned = (sitting: Sitting, page: number): Sitting => {
  const { shown, highest, ahead } = sitting.before;
  const count = page - highest;
  const isDownload = count > AHEAD_MAX || (ahead > AHEAD_MAX && count > 1);
  const nowAhead = isDownload ? page - shown : Math.max(ahead, count - 1);
  return { ...sitting, opening: [], ahead: nowAhead, highest: page, shown: Math.max(shown, page - nowAhead) };
};

/** A moving average, so that the pace follows the reader. */
const paceAfter = (paceMs: number, dwellMs: number): number => (paceMs + Math.min(dwellMs, SLOWEST_PACE_MS)) / 2;

/**
 * The sitting after a page that says nothing new. Its fields are written out, because V8 takes twenty times as long to spread an object
 * that holds fractions, which would be a hundredth of the cost of sending a page.
 */
const unchanged = (sitting: Sitting, opening: readonly number[], at: number): Sitting => {
  const { ahead, highest, shown, seen, before, isReading, paceMs } = sitting;
  return { opening, ahead, highest, shown, seen, before, isReading, paceMs, at };
};

const NONE: readonly number[] = [];

/** The sitting after a page was fetched. */
export const fetched = (earlier: Sitting | undefined, { page, askedAt, answeredAt }: Fetch): Sitting => {
  if (earlier === undefined) return opened([page], answeredAt, { seen: 0, paceMs: USUAL_PACE_MS });
  const at = Math.max(earlier.at, answeredAt);
  const dwellMs = askedAt - earlier.at;
  const hasDwelt = dwellMs >= DWELL_MS;
  const { opening } = earlier;
  if (opening.length > 0 && !hasDwelt) {
    if (opening.includes(page)) return unchanged(earlier, opening, at);
    if (opening.length < OPENING_MAX) return opened([...opening, page], at, earlier);
    const highest = Math.max(earlier.highest, page);
    return { ...earlier, highest, ahead: highest - earlier.shown, at };
  }
  const sitting = hasDwelt ? afterDwell(earlier) : earlier;
  const { highest, shown } = sitting;
  if (shown === 0 && page === highest) return opened([page], at, sitting);
  if (page <= highest && page >= shown - AHEAD_MAX) return unchanged(sitting, NONE, at);
  // A jump, by a table of contents or a slider.
  if (page < highest || page > highest + 1 + AHEAD_MAX) return opened([page], at, sitting);
  const paceMs = hasDwelt ? paceAfter(sitting.paceMs, dwellMs) : sitting.paceMs;
  return { ...turned(sitting, page), isReading: true, paceMs, at };
};

/**
 * Whether the app has the last page of the book because its reader is near it: it will ask for no more. An app that fetched the whole book
 * says nothing about its reader, nor does one that fetched the last page alone.
 */
export const isAtEnd = ({ highest, shown, isReading }: Sitting, pageCount: number): boolean =>
  highest >= pageCount && highest - shown <= AHEAD_MAX && (isReading || (shown > 1 && shown < highest));

/** How long the reader may have looked at the pages since the last answer, and whether another book has been opened since. */
export interface Rest {
  readonly quietMs: number;
  readonly isElsewhere: boolean;
}

/**
 * The furthest page that has been on the screen for a while; 0 for none. The last page counts once there has been time for it and for the
 * fetched pages before it: at the reader's pace or, if another book has been opened since, at the shortest time that counts as reading.
 */
export const pageSeen = (sitting: Sitting, pageCount: number, { quietMs, isElsewhere }: Rest): number => {
  const { shown, seen, paceMs } = sitting;
  const page = quietMs >= DWELL_MS ? Math.max(seen, shown) : seen;
  if (!isAtEnd(sitting, pageCount)) return Math.min(page, pageCount - 1);
  const left = pageCount - shown;
  if (quietMs >= DWELL_MS + left * (isElsewhere ? DWELL_MS : paceMs)) return pageCount;
  const further = shown === 0 ? 0 : shown + Math.floor((quietMs - DWELL_MS) / paceMs);
  return Math.min(Math.max(page, further), pageCount - 1);
};
