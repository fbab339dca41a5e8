// PDF pages that are nothing but one image over the whole page. A JPEG is sent unchanged, eighty times faster than rendered and without
// a second loss of quality; a JPEG 2000 image too large to be drawn is decoded by itself, at a reduced resolution. Anything in doubt is rendered.
import { AppError } from '../../core/model/errors.js';
import { noteTrap } from '../heaps.js';
import { imageTurn, sizeOfBytes } from '../image-head.js';
import { jp2Reduction } from '../jp2-reduced.js';
import { hasPlainProfile, isPlainProfile } from './icc-profile.js';
import { bytesOfStream, type PdfObject } from './mupdf.js';
import { type Matrix, placedImage } from './pdf-content.js';
import { isLikelyText, type Texts, withoutHiddenText } from './pdf-hidden-text.js';
import { IMAGE_MAX_BYTES } from './pdf-jpeg.js';
import type { Size } from './pdf-size.js';
import { contentOfStream } from './pdf-stream.js';

export interface PageImageStream extends Size {
  /** Number of the object in the document. */
  readonly object: number;
  readonly bytes: Uint8Array;
}

/** A content stream that only places an image is shorter than this. */
const CONTENT_MAX_BYTES = 2048;
/** The recognised text of a scanned page is in there too. */
const TEXT_MAX_BYTES = 256 * 1024;

/** How much of the page the image may miss on each side, as a fraction of its length: scanners round. */
const SLACK = 0.01;

const near = (value: number, wanted: number, length: number): boolean => Math.abs(value - wanted) <= length * SLACK;

/** Upright, not mirrored, and exactly the visible part of the page. */
const covers = ([a, b, c, d, e, f]: Matrix, [left, bottom, right, top]: readonly number[]): boolean => {
  const width = (right ?? 0) - (left ?? 0);
  const height = (top ?? 0) - (bottom ?? 0);
  const isUpright = near(b, 0, width) && near(c, 0, height);
  return (
    isUpright &&
    near(a, width, width) &&
    near(d, height, height) &&
    near(e, left ?? 0, width) &&
    near(f, bottom ?? 0, height)
  );
};

const boxOf = (page: PdfObject): readonly number[] => {
  const crop = page.getInheritable('CropBox');
  const [media, cropped] = [page.getInheritable('MediaBox'), crop].map((box) =>
    [0, 1, 2, 3].map((at) => (box.isArray() ? box.get(at).asNumber() : Number.NaN)),
  );
  if (media === undefined || cropped === undefined || !crop.isArray()) return media ?? [];
  // What of it is outside the media is not shown.
  return cropped.map((value, at) => (at < 2 ? Math.max : Math.min)(value, media[at] ?? Number.NaN));
};

const PROFILE_MAX_BYTES = 1024 * 1024;
const GRAY_OR_RGB = new Set(['DeviceRGB', 'DeviceGray']);

const isPlainColour = (space: PdfObject): boolean => {
  if (space.isName()) return GRAY_OR_RGB.has(space.asName());
  if (!space.isArray() || space.get(0).asName() !== 'ICCBased') return false;
  const components = space.get(1).get('N').asNumber();
  const profile = components === 1 || components === 3 ? contentOfStream(space.get(1), PROFILE_MAX_BYTES) : null;
  return profile !== null && isPlainProfile(profile);
};

/** Filters of images whose bytes other programs can show. */
type Sent = 'DCTDecode' | 'JPXDecode';

const filterOf = (image: PdfObject): string => {
  const filter = image.get('Filter');
  if (filter.isName()) return filter.asName();
  return filter.isArray() && filter.length === 1 ? filter.get(0).asName() : '';
};

/** Entries of an image, with their short names, without which its bytes alone look the same. */
const SHOWN_OTHERWISE: readonly string[] =
  'OC SMask Mask SMaskInData ImageMask IM Decode D DecodeParms DP Alternates'.split(' ');

const isPlainJpeg = (image: PdfObject): boolean =>
  image.get('Subtype').asName() === 'Image' &&
  SHOWN_OTHERWISE.every((key) => image.get(key).isNull()) &&
  isPlainColour(image.get('ColorSpace'));

/** True when the page has nothing but its content and one visible image. */
const isBare = (page: PdfObject, resources: PdfObject): boolean => {
  const nothing = ['ExtGState', 'Pattern', 'Shading'].every(
    (key) => !resources.get(key).isDictionary() || isEmpty(resources.get(key)),
  );
  // Default colour spaces replace those of the device.
  const spaces = resources.get('ColorSpace');
  const isOfDevice = ['DefaultRGB', 'DefaultGray'].every((key) => !spaces.isDictionary() || spaces.get(key).isNull());
  const annotations = page.get('Annots');
  const rotate = page.getInheritable('Rotate');
  return (
    nothing &&
    isOfDevice &&
    (!annotations.isArray() || annotations.length === 0) &&
    (rotate.isNull() || rotate.asNumber() % 360 === 0)
  );
};

/** Fonts whose glyphs are drawings are shown whatever the text rendering mode is. */
const hasDrawnGlyphs = (fonts: PdfObject): boolean => {
  let found = false;
  fonts.forEach((font) => {
    found ||= !font.isDictionary() || font.get('Subtype').asName() === 'Type3';
  });
  return found;
};

const isEmpty = (dictionary: PdfObject): boolean => {
  let count = 0;
  dictionary.forEach(() => {
    count += 1;
  });
  return count === 0;
};

const contentOf = (page: PdfObject, maxBytes: number): string | undefined => {
  const contents = page.get('Contents');
  const parts = contents.isArray()
    ? Array.from({ length: Math.min(contents.length, 4) }, (_, at) => contents.get(at))
    : [contents];
  if (contents.isArray() && contents.length > parts.length) return undefined;
  const texts = parts.map((part) => contentOfStream(part, maxBytes));
  return texts.includes(null) ? undefined : texts.map((text) => Buffer.from(text ?? []).toString('latin1')).join('\n');
};

const sizeOfImage = (image: PdfObject): Size => ({
  width: image.get('Width').asNumber(),
  height: image.get('Height').asNumber(),
});

/** Upright, in colours that need no conversion, and of the size that the document states. */
const isShownAsIs = (bytes: Uint8Array, stated: Size): boolean => {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || imageTurn(bytes) !== 1 || !hasPlainProfile(bytes)) return false;
  const size = sizeOfBytes(bytes, 'jpeg');
  return size !== undefined && size.width === stated.width && size.height === stated.height;
};

const streamOf = (image: PdfObject, size: Size): PageImageStream | undefined => {
  const bytes = bytesOfStream(image, IMAGE_MAX_BYTES, false);
  return bytes !== null && isShownAsIs(bytes, size) ? { object: image.asIndirect(), bytes, ...size } : undefined;
};

/** A page that stretches its image has to be rendered: the bytes alone would have another shape. */
const hasShapeOf = (image: Size, points: Size): boolean => {
  const shape = points.width / points.height;
  return near(image.width / image.height, shape, shape);
};

/** What is searched for, and for which page. */
interface Search {
  readonly page: PdfObject;
  readonly filter: Sent;
  readonly texts: Texts;
}

/** Whether any image of the page could be the wanted one. */
const hasImageIn = (images: PdfObject, filter: Sent): boolean => {
  let found = false;
  images.forEach((image) => {
    found ||= image.isStream() && filterOf(image) === filter;
  });
  return found;
};

/** What a page shows, without invisible text; undefined when it is too long to be one image. The text of a scanned page is long. */
const shownContent = ({ page, filter, texts }: Search, fonts: PdfObject, images: PdfObject): string | undefined => {
  if (!fonts.isDictionary() || isEmpty(fonts)) return contentOf(page, CONTENT_MAX_BYTES);
  if (isLikelyText(texts) || !hasImageIn(images, filter) || hasDrawnGlyphs(fonts)) return undefined;
  const content = contentOf(page, TEXT_MAX_BYTES);
  return content === undefined ? undefined : withoutHiddenText(content, CONTENT_MAX_BYTES);
};

/** The image that covers a page and is all that the page shows. */
const onlyImage = (search: Search): PdfObject | undefined => {
  const { page, filter } = search;
  const resources = page.getInheritable('Resources');
  const images = resources.get('XObject');
  if (!images.isDictionary() || !isBare(page, resources)) return undefined;
  const content = shownContent(search, resources.get('Font'), images);
  const placed = content === undefined ? undefined : placedImage(content);
  if (placed === undefined || !covers(placed.matrix, boxOf(page))) return undefined;
  const image = images.get(placed.name);
  return image.isStream() && filterOf(image) === filter ? image : undefined;
};

/** What `find` makes of the only image of a page; undefined when the page has to be rendered. */
const ofOnlyImage = <T>(search: Search, find: (image: PdfObject) => T | undefined): T | undefined => {
  try {
    const image = onlyImage(search);
    return image === undefined ? undefined : find(image);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    noteTrap(thrown);
    return undefined; // an odd structure: rendered instead
  }
};

/** The JPEG that a page consists of; undefined when the page has to be rendered. `texts` is of all pages of the document. */
export const imageOfPage = (page: PdfObject, points: Size, texts: Texts): PageImageStream | undefined =>
  ofOnlyImage({ page, filter: 'DCTDecode', texts }, (image) => {
    const size = sizeOfImage(image);
    if (!hasShapeOf(size, points) || !isPlainJpeg(image)) return undefined;
    const found = streamOf(image, size);
    if (found !== undefined) texts.inRow = 0;
    return found;
  });

/** Smaller ones are drawn: that takes less than the memory there is. */
const JPX_MIN_PIXELS = 8_000_000;

/** Null where the image itself says it. */
const channelsOf = (space: PdfObject): number | null => {
  if (space.isNull()) return null;
  if (space.isName()) return space.asName() === 'DeviceGray' ? 1 : 3;
  return space.get(1).get('N').asNumber();
};

const isPlainJpx = (image: PdfObject): boolean =>
  image.get('Subtype').asName() === 'Image' &&
  SHOWN_OTHERWISE.every((key) => image.get(key).isNull()) &&
  (image.get('ColorSpace').isNull() || isPlainColour(image.get('ColorSpace')));

/** The JPEG 2000 image that a page consists of, if drawing the page would decode it as a whole and it can be decoded at less. */
export const largeJpxOfPage = (page: PdfObject, points: Size): Uint8Array | undefined =>
  ofOnlyImage({ page, filter: 'JPXDecode', texts: { inRow: 0 } }, (image) => {
    const size = sizeOfImage(image);
    if (size.width * size.height < JPX_MIN_PIXELS || !hasShapeOf(size, points) || !isPlainJpx(image)) return undefined;
    const bytes = bytesOfStream(image, IMAGE_MAX_BYTES, false);
    const reduced = bytes === null ? undefined : jp2Reduction(bytes);
    if (bytes === null || reduced === undefined) return undefined;
    const isAsSaid =
      Math.ceil(size.width / 2 ** reduced.level) === reduced.width &&
      Math.ceil(size.height / 2 ** reduced.level) === reduced.height;
    const channels = channelsOf(image.get('ColorSpace')) ?? reduced.channels;
    return isAsSaid && channels === reduced.channels ? bytes : undefined;
  });
