// Which page is on the screen of an app that only fetches pages: worked out from the pages fetched and the pauses between them. Pure. Two
// measures answer two questions. Who asked for a page, the app or its reader? And was the page before it read, or only passed?

/** A request that follows an answer sooner comes from the app, which fetches ahead: a hand needs longer. */
const BY_HAND_MS = 300;
/** A page that stays on the screen for less time was not read. */
export const READ_MS = 1500;
/** Apps fetch pages in advance, at most this many; what fetches more at once downloads the book. */
export const AHEAD_MAX = 10;
/** Once an app has the last page, it requests nothing more; at most this many remaining pages are assumed to be read. */
export const ASSUMED_READ_MAX = 3;

/** The pace assumed until the reader has shown another, and the longest pause that counts: a longer one means that nobody was reading. */
const USUAL_PACE_MS = 10_000;
const SLOWEST_PACE_MS = 120_000;
/** Turns in a row that fetched one page each: from then on, how far the app fetches ahead is known. */
const KNOWN_AFTER = 2;
/** Turns that tell whether somebody is reading. */
const TURNS_MAX = 8;
/** Pages of a burst that are remembered: one with more is a download, whose first page is known. */
const BURST_MAX = 64;

export interface Fetch {
  /** 1-based. */
  readonly page: number;
  readonly askedAt: number;
  /** When the answer had been sent. */
  readonly answeredAt: number;
}

/** Where reader and app are. Page numbers are 1-based. */
interface Position {
  /** The page on the screen if nothing more is fetched; 0 while nobody can tell. */
  readonly shown: number;
  /** The furthest page that the app has. */
  readonly highest: number;
  /** How many pages the app fetches ahead of the one on the screen. */
  readonly ahead: number;
  /** Turns in a row that fetched one page each. */
  readonly singles: number;
  /** Pages that the app fetched when it opened the book here; empty once a page was turned. */
  readonly opening: readonly number[];
  /** Of the last turns since then, whether the page before had been read. */
  readonly turns: readonly boolean[];
}

/** What one reader does in one book, on one device. */
export interface ReadingSession {
  /** When the burst began; null: the app opened the book with it. */
  readonly before: Position | null;
  /** Whether the page that was shown then had been read. */
  readonly wasRead: boolean;
  /** The pages fetched since, each before somebody can have turned a page. */
  readonly burst: readonly number[];
  readonly now: Position;
  /** The furthest page that was read; 0 for none. */
  readonly seen: number;
  /** How long the reader looks at a page, on average and at most. */
  readonly paceMs: number;
  readonly slowestMs: number;
  /** When the last answer had been sent. */
  readonly at: number;
}

const ascending = (pages: readonly number[]): readonly number[] => [...new Set(pages)].sort((a, b) => a - b);

interface Reach {
  readonly first: number;
  readonly last: number;
}

/** Sorted pages, divided where two are too far apart to have been fetched for the same page on the screen. */
const reachesOf = (sorted: readonly number[]): readonly Reach[] => {
  const found: Reach[] = [];
  for (const page of sorted) {
    const reach = found.at(-1);
    if (reach !== undefined && page <= reach.last + 1 + AHEAD_MAX) found[found.length - 1] = { ...reach, last: page };
    else found.push({ first: page, last: page });
  }
  return found;
};

/** How far ahead an app fetches that fetched these: one that is asked for another place while it fetches shows it in several. */
const aheadIn = (reaches: readonly Reach[]): number => Math.max(0, ...reaches.map(({ first, last }) => last - first));

/** Whether the first page was fetched for the cover: the others are adjacent, and elsewhere. */
const hasCover = ([first, second = 0, ...others]: readonly number[]): boolean =>
  first === 1 && second > 2 && others.every((page, at) => page === second + at + 1);

/** The reader is at the first page: pages far away were fetched for some other purpose. */
const opened = (pages: readonly number[]): Position => {
  const sorted = ascending(pages);
  const reaches = reachesOf(hasCover(sorted) ? sorted.slice(1) : sorted);
  const { first, last } = reaches[0] ?? { first: 1, last: 1 };
  // The first page alone may be a cover in a list.
  const shown = last === 1 ? 0 : first;
  return { shown, highest: last, ahead: aheadIn(reaches), singles: 0, opening: pages, turns: [] };
};

interface Fresh {
  /** How many pages beyond those that the app had. */
  readonly count: number;
  /** The last of them. */
  readonly top: number;
  /** How far ahead the app fetched elsewhere. */
  readonly elsewhere: number;
}

/** What is new in a burst; pages that are too far away are not part of the same turn. */
const freshIn = (burst: readonly number[], highest: number): Fresh => {
  const beyond = ascending(burst.filter((page) => page > highest));
  const [here, ...others] = reachesOf([highest, ...beyond]);
  const top = here?.last ?? highest;
  return { count: beyond.filter((page) => page <= top).length, top, elsewhere: aheadIn(others) };
};

/** How far ahead the app fetches, as far as a turn tells. */
const aheadAfter = ({ shown, highest, ahead, singles }: Position, { count, top, elsewhere }: Fresh): number => {
  if (count > AHEAD_MAX + 1 || (ahead > AHEAD_MAX && count > 1)) return top - shown;
  if (singles >= KNOWN_AFTER) return ahead;
  // Pages between that were not fetched may be on their way.
  const further = ahead + (top - highest) - 1;
  return Math.max(elsewhere, Math.min(further, Math.max(ahead, AHEAD_MAX)));
};

const turned = (before: Position, fresh: Fresh, wasRead: boolean): Position => {
  const { count, top } = fresh;
  const ahead = aheadAfter(before, fresh);
  // Several pages of an app that is known not to fetch them ahead: turned in a hurry, or downloaded. The next turn tells.
  const isUnclear = before.singles >= KNOWN_AFTER && count > 1;
  return {
    shown: Math.max(before.shown, isUnclear ? Math.min(before.shown + 1, top - ahead) : top - ahead),
    highest: top,
    ahead,
    singles: top === before.highest + 1 || before.singles >= KNOWN_AFTER ? before.singles + 1 : 0,
    opening: [],
    turns: [...before.turns, wasRead].slice(-TURNS_MAX),
  };
};

/**
 * By a table of contents or a slider. An app may have some of the pages there already, so it is assumed to be no less ahead than before.
 */
const jumped = (before: Position, burst: readonly number[]): Position => {
  const there = opened(burst);
  const ahead = Math.min(before.ahead, AHEAD_MAX);
  if (ahead <= there.ahead) return there;
  return { ...there, ahead, singles: before.singles, shown: Math.max(1, Math.min(there.shown, there.highest - ahead)) };
};

/** An app that fetches nothing ahead shows what it fetches, also when its reader goes back. */
const wentBack = (before: Position, page: number): Position => ({ ...before, shown: page, highest: page });

const positionAfter = ({ before, burst, wasRead }: Pick<ReadingSession, 'before' | 'burst' | 'wasRead'>): Position => {
  if (before === null) return opened(burst);
  const { opening } = before;
  // Many an app shows its first page, and only then fetches others.
  if (opening.length > 0 && opening.length < BURST_MAX && !wasRead && burst.length > 1)
    return jumped(before, [...opening, ...burst]);
  const fresh = freshIn(burst, before.highest);
  if (fresh.count > 0 && (before.shown > 0 || burst.includes(before.highest + 1)))
    return turned(before, fresh, wasRead);
  const isFar = (page: number): boolean => page > before.highest || page < before.shown - AHEAD_MAX;
  // The first page alone may be a cover.
  if (burst.some((page) => page > 1 && isFar(page))) return jumped(before, burst);
  const [page = 0, ...others] = burst;
  const isKnown = before.singles >= KNOWN_AFTER && before.ahead === 0;
  return isKnown && others.length === 0 && page > 1 ? wentBack(before, page) : before;
};

const begun = (page: number, at: number): ReadingSession => ({
  before: null,
  wasRead: false,
  burst: [page],
  now: opened([page]),
  seen: 0,
  paceMs: USUAL_PACE_MS,
  slowestMs: 0,
  at,
});

/**
 * The session after another page of the same burst. Fields are written out, because V8 takes twenty times as long to spread an object that
 * holds fractions, which would be a hundredth of the cost of sending a page.
 */
const withBurst = (session: ReadingSession, burst: readonly number[], now: Position, at: number): ReadingSession => {
  const { before, wasRead, seen, paceMs, slowestMs } = session;
  return { before, wasRead, burst, now, seen, paceMs, slowestMs, at };
};

const joined = (session: ReadingSession, page: number, at: number): ReadingSession => {
  const { before, wasRead, burst, now } = session;
  if (burst.includes(page)) return withBurst(session, burst, now, at);
  if (burst.length < BURST_MAX) {
    const longer = [...burst, page];
    return withBurst(session, longer, positionAfter({ before, wasRead, burst: longer }), at);
  }
  const highest = Math.max(now.highest, page);
  return withBurst(session, burst, { ...now, highest, ahead: highest - now.shown }, at);
};

/** The session after a page was fetched. */
export const fetched = (earlier: ReadingSession | undefined, { page, askedAt, answeredAt }: Fetch): ReadingSession => {
  if (earlier === undefined) return begun(page, answeredAt);
  const at = Math.max(earlier.at, answeredAt);
  const restMs = askedAt - earlier.at;
  if (restMs < BY_HAND_MS) return joined(earlier, page, at);
  const { now: before, seen, paceMs, slowestMs } = earlier;
  const wasRead = restMs >= READ_MS;
  const burst = [page];
  const now = positionAfter({ before, wasRead, burst });
  if (!wasRead) return { before, wasRead, burst, now, seen, paceMs, slowestMs, at };
  const lookedMs = Math.min(restMs, SLOWEST_PACE_MS);
  return {
    before,
    wasRead,
    burst,
    now,
    seen: Math.max(seen, before.shown),
    // A moving average, so that the pace follows the reader.
    paceMs: (paceMs + lookedMs) / 2,
    slowestMs: Math.max(slowestMs, lookedMs),
    at,
  };
};

/** Whether somebody reads: at least half of the last pages were read, and not only passed or downloaded slowly. */
const isReading = ({ turns }: Position): boolean =>
  turns.length > 0 && 2 * turns.filter((wasRead) => wasRead).length >= turns.length;

/**
 * Whether the app has the last page of the book because its reader is near it: it will ask for no more. An app that fetched the whole book
 * says nothing about its reader, nor does one that fetched the last page alone.
 */
export const isAtEnd = ({ now }: ReadingSession, pageCount: number): boolean =>
  now.highest >= pageCount && now.highest - now.shown <= AHEAD_MAX && isReading(now);

/** How long the reader may have looked at the pages since the last answer, and whether another book has been opened since. */
export interface Rest {
  readonly quietMs: number;
  readonly isElsewhere: boolean;
}

/**
 * The furthest page that was read; 0 for none. The last page counts once there has been time for it and for the fetched pages before it, each
 * as long as the slowest so far; if another book has been opened since, as long as usual. If more pages remain, elapsed time
 * proves nothing: the reader may have stopped.
 */
export const pageSeen = (session: ReadingSession, pageCount: number, { quietMs, isElsewhere }: Rest): number => {
  const { now, seen, paceMs, slowestMs } = session;
  const page = quietMs >= READ_MS ? Math.max(seen, now.shown) : seen;
  if (!isAtEnd(session, pageCount)) {
    const isPassing = now.shown >= pageCount && now.turns.length > 0;
    return Math.min(isPassing ? seen : page, pageCount - 1);
  }
  const left = pageCount - now.shown;
  if (left > ASSUMED_READ_MAX) return Math.min(page, pageCount - 1);
  const eachMs = isElsewhere ? paceMs : slowestMs;
  if (quietMs >= READ_MS + left * eachMs) return pageCount;
  const further = now.shown === 0 ? 0 : now.shown + Math.floor((quietMs - READ_MS) / eachMs);
  return Math.min(Math.max(page, further), pageCount - 1);
};
