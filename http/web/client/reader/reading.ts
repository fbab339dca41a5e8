// One book being read: what is shown, where the reader is, and what they may do. The views of pages and the controls meet here and know
// nothing of each other.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { AdjacentBooks } from '../state/api.js';
import { serverUrl } from '../state/server-url.js';
import { renewOrAsk } from '../state/session.js';
import { type Borders, bordersOf } from './borders.js';
import { type Images, imagePool } from './images.js';
import { incognitoOf } from './incognito.js';
import type { OpenBook } from './open-book.js';
import { type Screen, widthToAsk } from './rules/fit.js';
import type { GroupChange } from './rules/group-change.js';
import type { KeptPlace } from './rules/kept-place.js';
import { isFurther, type PlaceRead, withSpread } from './rules/other-devices.js';
import { type PageLayout, pageLayoutOf } from './rules/page-layout.js';
import { type Pace, START, turned } from './rules/read-ahead.js';
import type { Anchor } from './rules/strip-layout.js';
import { savePlace } from './saved-place.js';
import { progressReporter } from './saved-positions.js';
import { type StoredSettings, storedSettings } from './stored-settings.js';

/** What a view of pages can be told to do. */
export interface ViewHandle {
  /** On or back, through what is larger than the window first. */
  step(heading: 1 | -1): void;
  /** `above`: the share of the page to leave above the window, where it is larger. */
  goTo(page: number, above?: number): void;
  /** Moves what is shown by a share of the window, without turning. */
  scroll(share: number): void;
  /** Whether the end of the last page is on the screen. */
  isAtEnd(): boolean;
  /** Scrolls a strip by pixels; false if there is no strip, or at the end of its pages. */
  glide(pixels: number): boolean;
}

/** Before the first page and after the last there is a page about the neighbouring book. */
export type Where = 'before' | 'pages' | 'after';
export type PagePair = readonly [first: number, last: number];
export type Panel = 'settings' | 'keys' | 'pages';

/** The books before and after, without those that are skipped. */
export interface Neighbours extends AdjacentBooks {
  /** Its direct neighbours in the series: only between these can missing books be determined. */
  readonly beside: AdjacentBooks;
  /** Where the book is in the read list; undefined if one reads on in the series. */
  readonly place?: { readonly position: number; readonly total: number } | undefined;
  /** How they differ in kind from the current book: by unit, translator or language. */
  readonly changes: Readonly<Record<'prev' | 'next', readonly GroupChange[]>>;
  /** They could not be loaded. */
  readonly hasFailed?: true;
}

export interface Reading {
  readonly opened: OpenBook;
  readonly userId: string;
  /** The read list in which one reads on; null: in the series. */
  readonly listId: string | null;
  readonly stored: StoredSettings;
  readonly screen: Signal<Screen>;
  readonly layout: ReadonlySignal<PageLayout>;
  readonly borders: Borders;
  /** Where the reader is; another layout begins here. */
  readonly anchor: Signal<Anchor>;
  /** The last page on the screen, from 0. */
  readonly page: Signal<number>;
  /** The pair of pages on the screen, from 0; null if there is none. */
  readonly pair: Signal<PagePair | null>;
  readonly where: Signal<Where>;
  readonly zoom: Signal<number>;
  readonly isMenuShown: Signal<boolean>;
  readonly panel: Signal<Panel | null>;
  readonly areZonesShown: Signal<boolean>;
  readonly isIncognito: Signal<boolean>;
  /** Pages turn, or the strip moves, by themselves. */
  readonly isAutoAdvancing: Signal<boolean>;
  readonly pace: Signal<Pace>;
  readonly images: Images;
  readonly view: { current: ViewHandle | null };
  /** Null until they are known. */
  readonly neighbours: Signal<Neighbours | null>;
  /** How often the user has retried loading them. */
  readonly neighbourRetries: Signal<number>;
  /** The place to which somebody has read elsewhere, if that is further than here. */
  readonly otherDevicePlace: Signal<PlaceRead | null>;
  /** Said for a moment, about something that has no other sign. */
  readonly note: Signal<string>;
  /** The address of the image of a page as wide as it is shown, in CSS pixels. */
  imageUrl(page: number, shownWidth: number): string;
  /** The address of a sheet of small pages, from 1. */
  sheetUrl(sheet: number): string;
  /** The furthest place that was on the screen in this visit. */
  furthest(): PlaceRead;
  /** The reader went to a page. `offset`: the share of it above the window, while more of it is to come; `seen`: above its lower edge. */
  reached(page: number, offset?: number, seen?: number): void;
  /** The current position, with the page that counts as read there. */
  place(): KeptPlace;
  /** Saves the position in this browser and reports it, if anything was read. */
  savePlace(): void;
  flush(): void;
  close(): void;
}

/** What counts as read. */
interface At {
  readonly page: number;
  readonly offset: number | undefined;
}

export interface Begin {
  readonly userId: string;
  readonly listId: string | null;
  readonly anchor: Anchor;
  readonly screen: Screen;
}

const versionOf = ({ book }: OpenBook): string => book.fileHash || String(Date.parse(book.updatedAt));

/** Before the reader has moved: where the book was left. Whoever turns pages sees whole ones, unless one was left in the middle. */
const beginning = ({ book: { readProgress } }: OpenBook, page: number, isStrip: boolean): PlaceRead => {
  const stored = readProgress?.currentPage === page + 1 ? readProgress.pageOffset : null;
  return { page, share: stored ?? (isStrip ? 0 : 1) };
};

/** By number of the page, from 0, and its width on the screen in CSS pixels. */
export const imageUrls = ({ book, pages, ...opened }: OpenBook, density: () => number) => {
  const root = serverUrl(`/api/v1/books/${encodeURIComponent(book.id)}/pages/`);
  const version = versionOf({ book, pages, ...opened });
  return (page: number, shownWidth: number): string => {
    const width = widthToAsk(shownWidth, density(), pages[page]?.width ?? null);
    return `${root}${page + 1}?${width === undefined ? '' : `width=${width}&`}v=${version}`;
  };
};

const sheetUrls = (opened: OpenBook) => {
  const root = serverUrl(`/api/v1/books/${encodeURIComponent(opened.book.id)}/pages/overview`);
  return (sheet: number): string => `${root}?sheet=${sheet}&v=${versionOf(opened)}`;
};

/** The pages on the screen, counted from 1. */
export const pagesShown = ({ pair, page }: Reading): PagePair => {
  const [first, last] = pair.value ?? [page.value, page.value];
  return [first + 1, last + 1];
};

export const openReading = (opened: OpenBook, { userId, listId, anchor: begin, screen: first }: Begin): Reading => {
  const stored = storedSettings(opened, userId);
  const reporter = progressReporter(userId, opened.book.id);
  const screen = signal(first);
  const anchor = signal(begin);
  const page = signal(begin.page);
  const pair = signal<PagePair | null>(null);
  const isIncognito = incognitoOf(userId);
  const pace = signal(START);
  const retry = (): void => reporter.retry();
  addEventListener('online', retry);
  const layout = computed(() => pageLayoutOf(stored.all.value, opened.shape, screen.value));
  const images = imagePool({ renew: renewOrAsk, decodes: () => !layout.peek().mode.startsWith('strip') });
  let reported: At | undefined;
  let furthest = beginning(opened, begin.page, layout.peek().mode.startsWith('strip'));
  /** Undefined until the reader has moved. */
  let at: At | undefined;
  const report = (now: At): void => {
    reported = now;
    reporter.read(now.page + 1, now.offset);
  };
  const place = (): KeptPlace => {
    const { page: read, above } = anchor.peek();
    const { page: atPage, offset } = isIncognito.peek() || at === undefined ? { page: read, offset: above } : at;
    return { anchor: anchor.peek(), read: atPage, ...(offset === undefined ? {} : { offset }) };
  };
  const savePlaceNow = (): void => {
    if (isIncognito.peek() || at === undefined) return;
    if (at.offset !== reported?.offset) report(at);
    savePlace(userId, opened.book.id, place());
  };
  return {
    opened,
    userId,
    listId,
    stored,
    screen,
    layout,
    borders: bordersOf(opened, stored, layout),
    anchor,
    page,
    pair,
    where: signal<Where>('pages'),
    zoom: signal(1),
    isMenuShown: signal(true),
    panel: signal<Panel | null>(null),
    areZonesShown: signal(false),
    isIncognito,
    isAutoAdvancing: signal(false),
    pace,
    images,
    view: { current: null },
    neighbours: signal<Neighbours | null>(null),
    neighbourRetries: signal(0),
    otherDevicePlace: signal<PlaceRead | null>(null),
    note: signal(''),
    imageUrl: imageUrls(opened, () => screen.value.density),
    sheetUrl: sheetUrls(opened),
    furthest: () => withSpread(furthest, pair.peek()),
    reached: (reachedPage, offset, seen = 1) => {
      if (reachedPage !== page.value)
        pace.value = turned(pace.value, reachedPage > page.value ? 1 : -1, performance.now());
      page.value = reachedPage;
      const shown = { page: reachedPage, share: seen };
      if (isFurther(shown, furthest)) furthest = shown;
      if (isIncognito.value) return;
      at = { page: reachedPage, offset };
      // The place inside a page is reported once scrolling has paused.
      if (reachedPage !== reported?.page || (offset === undefined) !== (reported.offset === undefined)) report(at);
    },
    place,
    savePlace: savePlaceNow,
    flush: () => {
      savePlaceNow();
      reporter.leave();
      stored.flush();
    },
    close: () => {
      removeEventListener('online', retry);
      savePlaceNow();
      reporter.leave();
      stored.flush();
      images.close();
    },
  };
};
