// In which form a page is sent: the original bytes, or a derived image of a certain size and type. Pure rules.
import { JXL_PIXELS_MAX } from '../model/decode-budget.js';
import { AppError } from '../model/errors.js';
import type { OutputFormat, PageEntry } from '../model/jobs.js';
import { refuseTooLargePacked } from '../model/large-pages.js';
import { type MediaName, mediaOf } from '../model/media.js';
import { contentRect, type Insets, isBordered, packedInsets } from '../model/page-insets.js';
import { faultNumber, METHOD, PAGE_FAULTS } from '../model/page-table.js';

export interface PageWish {
  /** Fit inside, keep the aspect ratio, never enlarge; undefined leaves that side free. Pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly format?: OutputFormat | undefined;
  /** What of the page is left out; the box is for the rest. */
  readonly insets?: Insets | undefined;
  /** For apps that show nothing but JPEG, PNG and GIF: any other type becomes JPEG. */
  readonly isPlain?: true | undefined;
  /** Types that most apps cannot show, but this one accepts. */
  readonly accepted?: readonly MediaName[] | undefined;
}

export interface Derived {
  readonly kind: 'derived';
  readonly width: number | null;
  readonly height: number | null;
  readonly insets: Insets | undefined;
  readonly format: OutputFormat;
  /** The client asked for neither a size nor a format: if the page cannot be converted, it gets the original. */
  readonly isOptional?: true;
  /** Short and unique among the forms of a page: part of cache keys and tags. */
  readonly name: string;
}

export type Form = { readonly kind: 'original' } | Derived;

/** Types that browsers do not show but that can be decoded here: sent as JPEG, or as PNG. */
const CONVERTED: ReadonlySet<MediaName> = new Set(['tiff', 'jp2', 'cgbi', 'spaced']);
/** Browsers show BMP, but no one should wait for a large one. */
const BMP_MAX_BYTES = 4 * 1024 * 1024;
/** Types that are sent unchanged only to apps that name them. */
const NAMED: ReadonlySet<MediaName> = new Set(['heif', 'jxl']);

const outputFormat = (media: MediaName, wished: OutputFormat | undefined): OutputFormat => {
  if (wished !== undefined) return wished;
  if (media === 'cgbi') return 'png';
  return media === 'png' || media === 'webp' ? media : 'jpeg';
};

type Size = Pick<PageEntry, 'width' | 'height'>;

/** Nothing stays nothing: the size is not known. */
const partSize = ({ width, height }: Size, insets: Insets): Size =>
  width === 0 || height === 0 ? { width, height } : contentRect(width, height, insets);

/** True when the page does not fit the requested box as it is. A page of unknown size has to be inspected. */
const mustShrink = (page: Size, { width, height }: PageWish): boolean => {
  if (width === undefined && height === undefined) return false;
  if (page.width === 0 || page.height === 0) return true;
  return page.width > (width ?? Number.POSITIVE_INFINITY) || page.height > (height ?? Number.POSITIVE_INFINITY);
};

/** The part of a page within its borders, where that is wanted and there are any. */
const partOf = ({ insets }: PageWish): Insets | undefined =>
  insets !== undefined && isBordered(insets) ? insets : undefined;

type Box = Pick<Derived, 'width' | 'height'>;

const derived = ({ width, height }: Box, insets: Insets | undefined, format: OutputFormat): Derived => {
  const part = insets === undefined ? '' : `-${packedInsets(insets)}`;
  return { kind: 'derived', width, height, insets, format, name: `${width ?? ''}x${height ?? ''}${part}.${format}` };
};

/** A page without pixels of its own: it is rendered at the requested size, or at its nominal size. */
const renderedForm = (entry: PageEntry, wish: PageWish): Derived => {
  const isFree = wish.width === undefined && wish.height === undefined;
  const insets = partOf(wish);
  const whole = insets === undefined ? entry : partSize(entry, insets);
  const width = isFree ? whole.width : (wish.width ?? null);
  const height = isFree ? whole.height : (wish.height ?? null);
  return derived({ width, height }, insets, wish.format ?? 'jpeg');
};

/** It can never be decoded, so at least the original is sent. */
const isTooLarge = (media: MediaName, { width, height }: PageEntry): boolean =>
  media === 'jxl' && width * height > JXL_PIXELS_MAX;

const isConverted = (media: MediaName, { size }: PageEntry): boolean =>
  CONVERTED.has(media) || NAMED.has(media) || (media === 'bmp' && size > BMP_MAX_BYTES);

const PLAIN: ReadonlySet<MediaName> = new Set(['jpeg', 'png', 'gif', 'cgbi']);

const plainly = (wish: PageWish, media: MediaName): PageWish =>
  wish.isPlain === true && wish.format === undefined && !PLAIN.has(media) ? { ...wish, format: 'jpeg' } : wish;

export const formOf = (entry: PageEntry, asked: PageWish): Form => {
  if (entry.method === METHOD.pdf) return renderedForm(entry, asked);
  const media = mediaOf(entry.media).name;
  const wish = plainly(asked, media);
  const isOtherType = wish.format !== undefined && wish.format !== media;
  const isNamed = !isOtherType && asked.accepted?.includes(media) === true;
  if (!isOtherType && (isTooLarge(media, entry) || (media === 'heif' && isNamed))) return { kind: 'original' };
  const insets = partOf(wish);
  const shrink = mustShrink(insets === undefined ? entry : partSize(entry, insets), wish);
  if (!shrink && insets === undefined && !isOtherType && (isNamed || !isConverted(media, entry)))
    return { kind: 'original' };
  const box = shrink ? { width: wish.width ?? null, height: wish.height ?? null } : { width: null, height: null };
  const form = derived(box, insets, outputFormat(media, wish.format));
  return shrink || insets !== undefined || isOtherType ? form : { ...form, isOptional: true };
};

const TOO_MANY_PIXELS = faultNumber('tooManyPixels');

/** The form in which a page is sent. One with too many pixels to be decoded is sent to a client that asked for no change, as it is. */
export const sentForm = (entry: PageEntry, wish: PageWish): Form => {
  if (entry.fault === 0) {
    refuseTooLargePacked(entry);
    return formOf(entry, wish);
  }
  const fault = PAGE_FAULTS[entry.fault] ?? 'The page cannot be shown.';
  if (entry.fault !== TOO_MANY_PIXELS) throw new AppError('CorruptPage', fault);
  refuseTooLargePacked(entry);
  const form = formOf(entry, wish);
  if (form.kind === 'original' || form.isOptional === true) return { kind: 'original' };
  throw new AppError('LimitExceeded', fault);
};

/** If the page is too large to be converted, a client that asked for neither a size nor a format gets the original. */
export const orOriginal = <T>(made: Promise<T>, original: () => T | Promise<T>): Promise<T> =>
  made.catch((thrown: unknown) => {
    if (thrown instanceof AppError && thrown.kind === 'LimitExceeded') return original();
    throw thrown;
  });

/** The type of a page for which nothing is wished; JPEG for one that cannot be read. */
export const typeOfPage = (entry: PageEntry): string => {
  const form = formOf(entry, {});
  if (form.kind === 'derived') return `image/${form.format}`;
  const { name, type } = mediaOf(entry.media);
  return name === 'unknown' ? 'image/jpeg' : type;
};
