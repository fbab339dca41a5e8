// Decoding, resizing and encoding: the only importer of sharp. One libvips thread per call (the pool has the threads), no libvips cache,
// a pixel limit on everything.
import sharp, { type Sharp } from 'sharp';
import { AppError } from '../core/model/errors.js';
import type { Box, Cover, OutputFormat, PageImage, ThumbnailOptions } from '../core/model/jobs.js';
import type { MediaName } from '../core/model/media.js';
import { contentRect } from '../core/model/page-insets.js';
import { type ImageHead, mediaOfBytes, sizeOfBytes } from './image-head.js';
import { canDecode, keptFormat, STRIP_ASPECT } from './image-rules.js';
import type { PagePart, PageSource, Pixels } from './page-source.js';
import { shownPixels } from './shown-size.js';

sharp.cache(false);
sharp.concurrency(1);
/**
 * Every libvips loader except those for JPEG, PNG, WebP, GIF, AVIF and TIFF; some of these load files and URLs. The setting is process-wide
 * and each thread applies it, so the allowed loaders are never blocked, not even for a moment: a page decoded at that moment in
 * another thread would count as damaged.
 */
export const REFUSED_LOADERS: readonly string[] = [
  'Analyze',
  'Csv',
  'DcRaw',
  'Fits',
  'Jp2k',
  'Jxl',
  'Magick',
  'Magick7',
  'Mat',
  'Matrix',
  'Nifti',
  'Openexr',
  'Openslide',
  'Pdf',
  'Ppm',
  'Rad',
  'Raw',
  'Svg',
  'Uhdr',
  'Vips',
];
sharp.block({ operation: REFUSED_LOADERS.map((loader) => `VipsForeignLoad${loader}`) });

/** Types that this libvips cannot decode but the PDF reader can: they are decoded there, once per page. */
const DECODED_ELSEWHERE: ReadonlySet<string> = new Set<MediaName>(['bmp', 'jp2']);

/** The output formats limit sides to this many pixels; libvips reports that in its own words. */
const SIDE_LIMIT = /too large for the (\w+) format/i;

const corrupt = (thrown: unknown): AppError => {
  const words = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '';
  if (/pixel limit/i.test(words))
    return new AppError('LimitExceeded', 'The image has more pixels than this server decodes.');
  if (/^timeout:/i.test(words)) return new AppError('Timeout', undefined, null, thrown);
  const format = SIDE_LIMIT.exec(words)?.[1];
  if (format !== undefined)
    return new AppError(
      'LimitExceeded',
      `The image is too large for ${format}; request a smaller size or another format.`,
    );
  return new AppError('CorruptPage', `The image is damaged or not readable: ${words.trim()}.`, null, thrown);
};

/** What decoding one image may take. */
export interface DecodeLimits {
  readonly pixels: number;
  readonly seconds: number;
  /** Whether a damaged image is refused; otherwise the intact part is shown, as browsers do with the original. */
  readonly isStrict?: boolean;
}

interface PartLimits extends DecodeLimits {
  /** Of the page, whose box is then meant for the whole. */
  readonly part?: PagePart | undefined;
}

interface Input {
  readonly bytes: Uint8Array;
  readonly raw?: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

const rawInput = ({ bytes, width, height, channels }: Pixels): Input => ({ bytes, raw: { width, height, channels } });

/** Decoded bytes of an image that takes many seconds. */
const LONG_BYTES = 512 * 1024 * 1024;
const LONG_PIXELS = LONG_BYTES / 8;
/** Pixels to which it is shrunk first: at least as many as anything made of it in two steps has. */
const STEP_PIXELS = 4_000_000;

/** The pixel limit is meant for pixels of at most so many bytes: those with more count as more. */
const PIXEL_BYTES = 4;

type Size = Pick<ImageHead, 'width' | 'height'>;

/** The size, as shown, of an image that takes long; null for others. LimitExceeded when it takes too long for anyone. */
const longSize = async (bytes: Uint8Array, { width, height }: Size, limits: DecodeLimits): Promise<Size | null> => {
  if (width * height <= LONG_PIXELS) return null;
  const head = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  if (head === undefined) return null; // decoding it tells why
  const { channels, depth, autoOrient } = head;
  const decoded = width * height * channels * (depth === 'ushort' ? 2 : 1);
  if (decoded > limits.pixels * PIXEL_BYTES)
    throw new AppError(
      'LimitExceeded',
      'The image has more pixels than this server decodes at so many bits per pixel.',
    );
  return decoded > LONG_BYTES ? { width: autoOrient.width ?? width, height: autoOrient.height ?? height } : null;
};

/**
 * Decoding can be stopped only between parts of its result, and a small result is one part: an image that takes long is shrunk in two
 * steps. Whoever waits for it may be gone by then, and compiled code goes on even when its thread has ended.
 */
const firstStep = async (bytes: Uint8Array, { width, height }: Size, limits: DecodeLimits): Promise<Input> => {
  const scale = Math.sqrt(STEP_PIXELS / (width * height));
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: limits.pixels, failOn: 'none', pages: 1 })
      .rotate()
      .resize(Math.ceil(width * scale), Math.ceil(height * scale), { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .timeout({ seconds: limits.seconds })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { bytes: data, raw: { width: info.width, height: info.height, channels: info.channels } };
  } catch (thrown) {
    throw corrupt(thrown);
  }
};

/** How libvips takes a page; forbidden types are refused, and those it cannot decode come as pixels. */
const inputOf = async (source: PageSource, box: Box, limits: DecodeLimits): Promise<Input> => {
  if (source.kind === 'pixels') return rawInput(source);
  const media = mediaOfBytes(source.bytes);
  if (media === undefined) throw new AppError('CorruptPage', 'The page is not an image.');
  if (!canDecode(media))
    throw new AppError('UnsupportedFormat', `This server cannot resize or convert pages of the type ${media}.`);
  const size = sizeOfBytes(source.bytes, media);
  if (!DECODED_ELSEWHERE.has(media)) {
    const long = size === undefined ? null : await longSize(source.bytes, size, limits);
    const isStepped = long !== null && shownPixels(source, box) <= STEP_PIXELS;
    return isStepped ? firstStep(source.bytes, long, limits) : { bytes: source.bytes };
  }
  if (size === undefined || size.width * size.height > limits.pixels)
    throw new AppError('LimitExceeded', 'The image has more pixels than this server decodes.');
  return rawInput((await import('./formats/mupdf.js')).decodeImage(source.bytes));
};

/** Rendered pixels take more memory than anything else in a job: they are freed at once, not at the next garbage collection. */
const discard = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
};

/** Own memory, so that it can be transferred between threads. */
const owned = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** The codes of a page are not optimised: that takes a fifth of the time and six bytes a pixel, and saves three per cent of the bytes. */
const encode = (image: Sharp, format: OutputFormat, quality: number): Sharp => {
  if (format === 'png') return image.png({ compressionLevel: 6 });
  if (format === 'webp') return image.webp({ quality, effort: 2 });
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, optimiseCoding: false });
};

/** Lets libvips read the size from the header without decoding a pixel; undefined when it cannot read the image. */
export const sizeByDecoder = async (bytes: Uint8Array): Promise<ImageHead | undefined> => {
  const media = mediaOfBytes(bytes);
  if (media === undefined || !canDecode(media) || DECODED_ELSEWHERE.has(media)) return undefined;
  try {
    const { width, height, autoOrient } = await sharp(bytes, { limitInputPixels: false }).metadata();
    return { media, width: autoOrient.width ?? width, height: autoOrient.height ?? height };
  } catch {
    return undefined; // the page is noted as damaged
  }
};

/** A page fitted into a box, or a part of it: then the box is as much larger as the page is than its part. */
const fitted = async (
  image: Sharp,
  { raw }: Omit<Input, 'bytes'>,
  box: Box,
  part: PagePart | undefined,
): Promise<Sharp> => {
  if (part === undefined)
    return box.width === null && box.height === null
      ? image
      : image.resize(box.width, box.height, { fit: 'inside', withoutEnlargement: true });
  const { width, height } = raw ?? (await image.metadata()).autoOrient;
  const scale = Math.min((box.width ?? width) / width, (box.height ?? height) / height, 1);
  const whole = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const rect = contentRect(whole.width, whole.height, part.insets);
  // Cut after it is resized, so that a JPEG can be shrunk while it is decoded. Rounding may have added a pixel.
  return image.resize(whole.width, whole.height, { fit: 'fill' }).extract({
    ...rect,
    width: Math.min(rect.width, part.box.width ?? rect.width),
    height: Math.min(rect.height, part.box.height ?? rect.height),
  });
};

/** Fits a page into a box, rotated as EXIF says, never enlarged, without metadata. Animated images give their first frame. */
export const renderPage = async (
  source: PageSource,
  box: Box,
  format: OutputFormat | null,
  quality: number,
  limits: PartLimits,
): Promise<PageImage> => {
  const { bytes, ...raw } = await inputOf(source, box, limits);
  const output = format ?? (source.kind === 'image' ? keptFormat(source.bytes) : 'jpeg');
  try {
    const failOn = limits.isStrict === true ? 'error' : 'none';
    const image = sharp(bytes, { limitInputPixels: limits.pixels, failOn, pages: 1, ...raw }).rotate();
    const resized = await fitted(image, raw, box, limits.part);
    const { data, info } = await encode(resized.toColourspace('srgb'), output, quality)
      .timeout({ seconds: limits.seconds })
      .toBuffer({ resolveWithObject: true });
    return { bytes: owned(data), format: output, width: info.width, height: info.height };
  } catch (thrown) {
    throw corrupt(thrown);
  } finally {
    if (raw.raw !== undefined) discard(bytes);
  }
};

const STRIP_KEPT = 1.5;

/** A cover thumbnail of an image whose size (as shown) is known; lenient, since half a cover is better than none. */
export const renderThumbnail = async (
  source: PageSource,
  size: { readonly width: number; readonly height: number },
  options: ThumbnailOptions,
  limits: DecodeLimits,
): Promise<Cover> => {
  const { bytes, ...raw } = await inputOf(source, { width: options.side, height: options.side }, limits);
  const { width, height } = raw.raw ?? size;
  try {
    const image = sharp(bytes, { limitInputPixels: limits.pixels, failOn: 'none', pages: 1, ...raw }).rotate();
    const isStrip = width > 0 && height > width * STRIP_ASPECT;
    const top = isStrip ? image.extract({ left: 0, top: 0, width, height: Math.round(width * STRIP_KEPT) }) : image;
    const { data, info } = await top
      .resize(options.side, options.side, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: options.quality })
      .timeout({ seconds: limits.seconds })
      .toBuffer({ resolveWithObject: true });
    return { bytes: owned(data), width: info.width, height: info.height };
  } catch (thrown) {
    throw corrupt(thrown);
  } finally {
    if (raw.raw !== undefined) discard(bytes);
  }
};

/** A grey picture of exactly this size, whatever the shape of the page; lenient as for thumbnails. */
export const renderGrey = async (source: PageSource, size: Size, limits: DecodeLimits): Promise<Uint8Array> => {
  const { bytes, ...raw } = await inputOf(source, size, limits);
  try {
    const data = await sharp(bytes, { limitInputPixels: limits.pixels, failOn: 'none', pages: 1, ...raw })
      .rotate()
      .resize(size.width, size.height, { fit: 'fill' })
      .flatten({ background: '#ffffff' })
      .toColourspace('b-w')
      .extractChannel(0)
      .timeout({ seconds: limits.seconds })
      .raw()
      .toBuffer();
    return owned(data);
  } catch (thrown) {
    throw corrupt(thrown);
  } finally {
    if (raw.raw !== undefined) discard(bytes);
  }
};
