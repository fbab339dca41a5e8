// Which form of a page is wanted: the original bytes, or a derived image of a certain size and type. Pure rules.
import type { OutputFormat, PageEntry } from '../model/jobs.js';
import { mediaOf } from '../model/media.js';

export interface PageWish {
  /** Fit inside, keep the aspect, never enlarge; undefined leaves that side free. Pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly format?: OutputFormat | undefined;
  /** True when the client says that it shows JPEG XL. */
  readonly acceptsJxl: boolean;
}

export type Form =
  | { readonly kind: 'original' }
  | {
      readonly kind: 'derived';
      readonly width: number | null;
      readonly height: number | null;
      readonly format: OutputFormat;
      readonly name: string;
    };

const KEPT: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp']);
const BMP_SHOWN_BYTES = 4 * 1024 * 1024;

/** Types that browsers do not show. A small BMP they do. */
const mustConvert = (entry: PageEntry, acceptsJxl: boolean): boolean => {
  const { name } = mediaOf(entry.media);
  if (name === 'jxl') return !acceptsJxl;
  if (name === 'bmp') return entry.size > BMP_SHOWN_BYTES;
  return name === 'tiff' || name === 'jp2' || name === 'heif';
};

/** Types that the image library here has no decoder for: they can only be sent as they are. */
const UNDECODABLE: ReadonlySet<string> = new Set(['jxl', 'jp2', 'bmp', 'heif']);

const outputFormat = (media: string, wished: OutputFormat | undefined): OutputFormat => {
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
  if (UNDECODABLE.has(media) && wish.format === undefined) return { kind: 'original' };
  const shrink = mustShrink(entry, wish);
  const other = wish.format !== undefined && wish.format !== media;
  const resizedUnkept = (wish.width !== undefined || wish.height !== undefined) && !KEPT.has(media) && shrink;
  if (!shrink && !other && !resizedUnkept && !mustConvert(entry, wish.acceptsJxl)) return { kind: 'original' };
  const format = outputFormat(media, wish.format);
  const width = shrink ? (wish.width ?? null) : null;
  const height = shrink ? (wish.height ?? null) : null;
  return { kind: 'derived', width, height, format, name: `${width ?? ''}x${height ?? ''}.${format}` };
};
