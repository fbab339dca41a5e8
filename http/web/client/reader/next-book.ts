// The next book, asked for while the last pages of this one are read, so that it begins at once.
import { isReadable } from '../state/books.js';
import { type OpenBook, openBook } from './open-book.js';
import { imageUrls, type Reading } from './reading.js';
import { croppedSize, isCropWanted } from './rules/crop.js';
import { boxesOf, type Screen, withinMargins } from './rules/fit.js';
import { pageLayoutOf } from './rules/page-layout.js';
import { merged } from './rules/profiles.js';
import { spreadsOf } from './rules/spreads.js';
import { stripLayout } from './rules/strip-layout.js';

interface Prefetched {
  readonly id: string;
  readonly opened: Promise<OpenBook>;
  /** Held, so that the browser keeps what it loaded. */
  images: readonly HTMLImageElement[];
}

/** There is one next book at a time. */
let prefetched: Prefetched | undefined;

/** The images that the book begins with, as its reader will ask for them. */
const firstUrls = (opened: OpenBook, screen: Screen): readonly string[] => {
  const settings = merged(opened.profiles);
  const layout = pageLayoutOf(settings, opened.shape, screen);
  const imageUrl = imageUrls(opened, () => screen.density);
  const crops = isCropWanted(settings, layout) ? opened.crops : null;
  const sizes = opened.sizes.map((size, page) => croppedSize(size, crops?.[page] ?? null));
  const urlOf = (page: number, width: number): string => imageUrl(page, width / (crops?.[page]?.width ?? 1));
  if (layout.mode.startsWith('strip')) {
    const isAcross = layout.mode === 'strip-across';
    const { stripFit: fit, padding, stripMost, gap } = settings;
    const most = isAcross ? 0 : stripMost;
    const options = { isAcross, fit, padding: padding / 100, most, gap, tail: 0, zoom: 1 };
    return stripLayout(sizes.slice(0, 2), screen, options).boxes.map(({ width }, page) => urlOf(page, width));
  }
  const options = {
    ...layout,
    isCoverAlone: settings.coverAlone,
    isOffset: settings.shifted.includes(opened.book.id),
    wide: 'whole' as const,
  };
  const [first = []] = spreadsOf(sizes, options);
  const boxes = boxesOf(
    first.map(({ size }) => size),
    withinMargins(screen, settings.pageMargin),
    settings.fit,
  );
  return first.map(({ page }, at) => urlOf(page, boxes[at]?.width ?? screen.width));
};

const loaded = (url: string): HTMLImageElement => {
  const image = new Image();
  image.fetchPriority = 'low';
  image.src = url;
  return image;
};

export const prefetchNextBook = (reading: Reading): void => {
  const next = reading.neighbours.peek()?.next;
  if (next === undefined || !isReadable(next) || prefetched?.id === next.id) return;
  const opened = openBook(next.id, reading.opened.device, new AbortController().signal);
  const mine: Prefetched = { id: next.id, opened, images: [] };
  prefetched = mine;
  opened.then(
    (book) => {
      if (prefetched === mine) mine.images = firstUrls(book, reading.screen.peek()).map(loaded);
    },
    () => {
      if (prefetched === mine) prefetched = undefined; // its own reader asks again, and says what is wrong
    },
  );
};

/** What was asked for ahead, once; after that it may have changed. */
export const takePrefetched = (id: string): Promise<OpenBook> | undefined => {
  const found = prefetched?.id === id ? prefetched.opened : undefined;
  prefetched = undefined;
  return found;
};
