// Image types a page can have: their stored number, media type and file extension.

interface Shape {
  readonly name: string;
  readonly type: string;
  readonly extension: string;
}

/** The index is what the page table stores: append only. 0 means unknown. */
export const MEDIA = [
  { name: 'unknown', type: 'application/octet-stream', extension: 'bin' },
  { name: 'jpeg', type: 'image/jpeg', extension: 'jpeg' },
  { name: 'png', type: 'image/png', extension: 'png' },
  { name: 'webp', type: 'image/webp', extension: 'webp' },
  { name: 'gif', type: 'image/gif', extension: 'gif' },
  { name: 'avif', type: 'image/avif', extension: 'avif' },
  { name: 'bmp', type: 'image/bmp', extension: 'bmp' },
  { name: 'jxl', type: 'image/jxl', extension: 'jxl' },
  { name: 'tiff', type: 'image/tiff', extension: 'tiff' },
  { name: 'jp2', type: 'image/jp2', extension: 'jp2' },
  { name: 'svg', type: 'image/svg+xml', extension: 'svg' },
  { name: 'heif', type: 'image/heif', extension: 'heif' },
  // PNG optimised for iOS, which only Apple's programs show.
  { name: 'cgbi', type: 'image/png', extension: 'png' },
  // A packed image after white space, which browsers do not show: sent converted.
  { name: 'spaced', type: 'image/jpeg', extension: 'jpeg' },
] as const satisfies readonly Shape[];

export type Media = (typeof MEDIA)[number];
export type MediaName = Media['name'];

export const mediaNumber = (name: MediaName): number => MEDIA.findIndex((media) => media.name === name);

export const mediaOf = (number: number): Media => MEDIA[number] ?? MEDIA[0];
