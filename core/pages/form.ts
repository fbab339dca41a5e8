// Which form of a page is wanted: the original bytes, or a derived image of a certain size and type. Pure rules.
import type { OutputFormat, PageEntry } from '../model/jobs.js';
import { type MediaName, mediaOf } from '../model/media.js';

export interface PageWish {
  /** Fit inside, keep the aspect, never enlarge; undefined leaves that side free. Pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly format?: OutputFormat | undefined;
}

export interface Derived {
  readonly kind: 'derived';
  readonly width: number | null;
  readonly height: number | null;
  readonly format: OutputFormat;
  /** Short and unique among the forms of a page: part of cache keys and tags. */
  readonly name: string;
}

export type Form = { readonly kind: 'original' } | Derived;

/** Types that browsers do not show and that can be decoded here: sent as JPEG. */
const CONVERTED: ReadonlySet<MediaName> = new Set(['tiff']);
/** Types that the image library has no decoder for: they can only be sent as they are, unless another type is asked for by name. */
const UNDECODABLE: ReadonlySet<MediaName> = new Set(['jxl', 'jp2', 'bmp', 'heif']);

const outputFormat = (media: MediaName, wished: OutputFormat | undefined): OutputFormat => {
  if (wished !== undefined) return wished;
  return media === 'png' || media === 'webp' ? media : 'jpeg';
};

/** True when the page does not fit the wished box as it is. An unknown size has to be looked at. */
const mustShrink = (entry: PageEntry, { width, height }: PageWish): boolean => {
  if (width === undefined && height === undefined) return false;
  if (entry.width === 0 || entry.height === 0) return true;
  return entry.width > (width ?? Number.POSITIVE_INFINITY) || entry.height > (height ?? Number.POSITIVE_INFINITY);
};

export const formOf = (entry: PageEntry, wish: PageWish): Form => {
  const media = mediaOf(entry.media).name;
  const isOtherType = wish.format !== undefined && wish.format !== media;
  if (UNDECODABLE.has(media) && !isOtherType) return { kind: 'original' };
  const shrink = mustShrink(entry, wish);
  if (!shrink && !isOtherType && !CONVERTED.has(media)) return { kind: 'original' };
  const format = outputFormat(media, wish.format);
  const width = shrink ? (wish.width ?? null) : null;
  const height = shrink ? (wish.height ?? null) : null;
  return { kind: 'derived', width, height, format, name: `${width ?? ''}x${height ?? ''}.${format}` };
};
