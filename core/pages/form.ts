// In which form a page is sent: the original bytes, or a derived image of a certain size and type. Pure rules.
import type { OutputFormat, PageEntry } from '../model/jobs.js';
import { type MediaName, mediaOf } from '../model/media.js';
import { METHOD } from '../model/page-table.js';

export interface PageWish {
  /** Fit inside, keep the aspect ratio, never enlarge; undefined leaves that side free. Pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly format?: OutputFormat | undefined;
  /** For apps that show nothing but JPEG, PNG and GIF: any other type becomes JPEG. */
  readonly isPlain?: true | undefined;
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

/** Types that browsers do not show but that can be decoded here: sent as JPEG. */
const CONVERTED: ReadonlySet<MediaName> = new Set(['tiff', 'jp2']);
/** Browsers show BMP, but no one should wait for a large one. */
const BMP_MAX_BYTES = 4 * 1024 * 1024;
/** Types the image library cannot decode: they can only be sent as they are, unless another type is explicitly requested. */
const UNDECODABLE: ReadonlySet<MediaName> = new Set(['jxl', 'heif']);

const outputFormat = (media: MediaName, wished: OutputFormat | undefined): OutputFormat => {
  if (wished !== undefined) return wished;
  return media === 'png' || media === 'webp' ? media : 'jpeg';
};

/** True when the page does not fit the requested box as it is. A page of unknown size has to be inspected. */
const mustShrink = (entry: PageEntry, { width, height }: PageWish): boolean => {
  if (width === undefined && height === undefined) return false;
  if (entry.width === 0 || entry.height === 0) return true;
  return entry.width > (width ?? Number.POSITIVE_INFINITY) || entry.height > (height ?? Number.POSITIVE_INFINITY);
};

/** A page without pixels of its own: it is rendered at the requested size, or at its nominal size. */
const renderedForm = (entry: PageEntry, wish: PageWish): Derived => {
  const isFree = wish.width === undefined && wish.height === undefined;
  const width = isFree ? entry.width : (wish.width ?? null);
  const height = isFree ? entry.height : (wish.height ?? null);
  const format = wish.format ?? 'jpeg';
  return { kind: 'derived', width, height, format, name: `${width ?? ''}x${height ?? ''}.${format}` };
};

const isConverted = (media: MediaName, { size }: PageEntry): boolean =>
  CONVERTED.has(media) || (media === 'bmp' && size > BMP_MAX_BYTES);

const PLAIN: ReadonlySet<MediaName> = new Set(['jpeg', 'png', 'gif']);

const plainly = (wish: PageWish, media: MediaName): PageWish =>
  wish.isPlain === true && wish.format === undefined && !PLAIN.has(media) ? { ...wish, format: 'jpeg' } : wish;

export const formOf = (entry: PageEntry, asked: PageWish): Form => {
  if (entry.method === METHOD.pdf) return renderedForm(entry, asked);
  const media = mediaOf(entry.media).name;
  const wish = plainly(asked, media);
  const isOtherType = wish.format !== undefined && wish.format !== media;
  if (UNDECODABLE.has(media) && !isOtherType) return { kind: 'original' };
  const shrink = mustShrink(entry, wish);
  if (!shrink && !isOtherType && !isConverted(media, entry)) return { kind: 'original' };
  const format = outputFormat(media, wish.format);
  const width = shrink ? (wish.width ?? null) : null;
  const height = shrink ? (wish.height ?? null) : null;
  return { kind: 'derived', width, height, format, name: `${width ?? ''}x${height ?? ''}.${format}` };
};

/** The type of a page for which nothing is wished; JPEG for one that cannot be read. */
export const typeOfPage = (entry: PageEntry): string => {
  const form = formOf(entry, {});
  if (form.kind === 'derived') return `image/${form.format}`;
  const { name, type } = mediaOf(entry.media);
  return name === 'unknown' ? 'image/jpeg' : type;
};
