// Decoding, resizing and encoding: the only importer of sharp. One libvips thread per call, no libvips cache, a pixel limit on everything.
import sharp, { type Metadata, type Sharp } from 'sharp';
import { CARD } from '../core/model/card-text.js';
import { AppError } from '../core/model/errors.js';
import type { Box, Cover, OutputFormat, PageImage, ThumbnailOptions } from '../core/model/jobs.js';
import type { MediaName } from '../core/model/media.js';
import { contentRect } from '../core/model/page-insets.js';
import { decodeError, isRefusedLab } from './decode-error.js';
import { asStill, type DecoderHead, type ImageHead, mediaOfBytes, sizeOfBytes } from './image-head.js';
import { canDecode, keptFormat, STRIP_ASPECT } from './image-rules.js';
import { jp2Reduction } from './jp2-reduced.js';
import type { PagePart, PageSource, Pixels, Placed } from './page-source.js';
import { withoutTexts } from './png-chunks.js';
import { mendedPng } from './png-mend.js';
import { REFUSED_LOADERS } from './refused-loaders.js';
import { shownPixels } from './shown-size.js';

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: REFUSED_LOADERS.map((loader) => `VipsForeignLoad${loader}`) });

/** Types that this libvips cannot decode but other readers can: they are decoded there, once per page. */
const DECODED_ELSEWHERE: ReadonlySet<string> = new Set<MediaName>(['bmp', 'jp2', 'jxl']);

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
  /** Of the image according to its header. */
  readonly pixels?: number;
  readonly raw?: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

/** As libvips takes a picture that is laid on another. */
const withRaw = ({ bytes, width, height, channels }: Pixels) => ({
  input: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  raw: { width, height, channels },
});

const rawInput = ({ bytes, width, height, channels }: Pixels): Input => ({ bytes, raw: { width, height, channels } });

/** Decoded bytes of an image that takes many seconds. */
const LONG_BYTES = 512 * 1024 * 1024;
const LONG_PIXELS = LONG_BYTES / 8;
/** Pixels to which it is shrunk first: at least as many as anything made of it in two steps has. */
const STEP_PIXELS = 4_000_000;

/** The pixel limit is meant for pixels of at most so many bytes: those with more count as more. */
const PIXEL_BYTES = 4;

type Size = Pick<ImageHead, 'width' | 'height'>;

/** What libvips says about an image from its header, without decoding a pixel; undefined when it cannot read the image. CorruptPage for sound images in colours that it refuses. */
const metadataOf = async (bytes: Uint8Array, media: MediaName): Promise<Metadata | undefined> =>
  sharp(withoutTexts(asStill(bytes), media), { limitInputPixels: false })
    .metadata()
    .catch((thrown: unknown) => {
      if (isRefusedLab(thrown)) throw decodeError(thrown);
      return undefined;
    });

/** The size, as shown, of an image that takes long; null for others. LimitExceeded when it takes too long for anyone. */
const longSize = async (
  bytes: Uint8Array,
  { media, width, height }: ImageHead,
  limits: DecodeLimits,
): Promise<Size | null> => {
  if (width * height <= LONG_PIXELS) return null;
  const head = await metadataOf(bytes, media);
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
    throw decodeError(thrown);
  }
};

/** Types whose header the decoder reads as we do. Memory was reserved by that header: the decoder must not find more pixels. */
const DECLARED: ReadonlySet<string> = new Set<MediaName>(['jpeg', 'png', 'webp']);

const declaredPixels = (size: ImageHead | undefined): Pick<Input, 'pixels'> =>
  size !== undefined && DECLARED.has(size.media) ? { pixels: size.width * size.height } : {};

/** What libvips does not read, although it can: unless damage is to be refused, a PNG that is cut off too. Without texts. */
const readable = (bytes: Uint8Array, media: MediaName, isStrict: boolean): Uint8Array =>
  (media === 'png' && !isStrict ? mendedPng(bytes) : null) ?? withoutTexts(asStill(bytes), media);

const undecodable = (media: MediaName): string =>
  media === 'heif'
    ? 'The page is a HEIC image (HEVC), which this server cannot decode; only apps that accept image/heic get it, unchanged.'
    : `This server cannot resize or convert pages of the type ${media}.`;

const decodedElsewhere = async (bytes: Uint8Array, { media, width, height }: ImageHead, box: Box): Promise<Pixels> => {
  if (media === 'jxl') return (await import('./formats/jxl.js')).decodeJxl(bytes, width * height);
  const reduced = media === 'jp2' ? jp2Reduction(bytes, box) : undefined;
  if (reduced !== undefined) return (await import('./formats/jp2.js')).decodeReduced(bytes, reduced);
  return (await import('./formats/mupdf-image.js')).decodeImage(bytes);
};

/** How libvips takes a page; forbidden types are refused, and those it cannot decode come as pixels. */
const inputOf = async (source: PageSource, box: Box, limits: DecodeLimits): Promise<Input> => {
  if (source.kind === 'pixels') return rawInput(source);
  const media = mediaOfBytes(source.bytes);
  if (media === undefined) throw new AppError('CorruptPage', 'The page is not an image.');
  if (!canDecode(media)) throw new AppError('UnsupportedFormat', undecodable(media));
  const size = sizeOfBytes(source.bytes, media);
  if (!DECODED_ELSEWHERE.has(media)) {
    const bytes = readable(source.bytes, media, limits.isStrict === true);
    const long = size === undefined ? null : await longSize(bytes, size, limits);
    const isStepped = long !== null && shownPixels(source, box) <= STEP_PIXELS;
    return isStepped ? firstStep(bytes, long, limits) : { bytes, ...declaredPixels(size) };
  }
  if (size === undefined || size.width * size.height > limits.pixels)
    throw new AppError('LimitExceeded', 'The image has more pixels than this server decodes.');
  return rawInput(await decodedElsewhere(source.bytes, size, box));
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

/** What the decoder reads in the header; undefined when it cannot read the image. */
export const headByDecoder = async (bytes: Uint8Array): Promise<(ImageHead & DecoderHead) | undefined> => {
  const media = mediaOfBytes(bytes);
  if (media === undefined || !canDecode(media) || DECODED_ELSEWHERE.has(media)) return undefined;
  const head = await metadataOf(bytes, media);
  if (head === undefined) return undefined;
  const { width, height, autoOrient, channels, depth } = head;
  return { media, width: autoOrient.width ?? width, height: autoOrient.height ?? height, channels, depth };
};

/** A page fitted into a box, or a part of it: then the box is as much larger as the page is than its part. */
const fitted = async (image: Sharp, raw: Input['raw'], box: Box, part: PagePart | undefined): Promise<Sharp> => {
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

interface Decoding extends DecodeLimits {
  readonly source: PageSource;
  /** About as large as it is needed. */
  readonly box: Box;
}

/** What is made of a page, rotated as EXIF says; of an animated one, of its first frame. Whatever goes wrong is a fault of the page. */
const ofPage = async <T>(
  { source, box, ...limits }: Decoding,
  make: (image: Sharp, raw: Input['raw']) => Promise<T>,
): Promise<T> => {
  const { bytes, pixels = limits.pixels, ...raw } = await inputOf(source, box, limits);
  try {
    const failOn = limits.isStrict === true ? 'error' : 'none';
    const limitInputPixels = Math.min(pixels, limits.pixels);
    const image = sharp(bytes, { limitInputPixels, failOn, pages: 1, ...raw }).rotate();
    return await make(image.timeout({ seconds: limits.seconds }), raw.raw);
  } catch (thrown) {
    throw decodeError(thrown);
  } finally {
    if (raw.raw !== undefined) discard(bytes);
  }
};

/** Fits a page into a box, never enlarged, without metadata. */
export const renderPage = async (
  source: PageSource,
  box: Box,
  format: OutputFormat | null,
  quality: number,
  { part, ...limits }: PartLimits,
): Promise<PageImage> => {
  const output = format ?? (source.kind === 'image' ? keptFormat(source.bytes) : 'jpeg');
  return ofPage({ source, box, ...limits }, async (image, raw) => {
    const resized = await fitted(image, raw, box, part);
    const encoded = encode(resized.toColourspace('srgb'), output, quality);
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    return { bytes: owned(data), format: output, width: info.width, height: info.height };
  });
};

const STRIP_KEPT = 1.5;

/** A cover thumbnail of an image whose size (as shown) is known; lenient, since half a cover is better than none. */
export const renderThumbnail = async (
  source: PageSource,
  size: Size,
  { side, quality }: ThumbnailOptions,
  limits: DecodeLimits,
): Promise<Cover> =>
  ofPage({ source, box: { width: side, height: side }, ...limits }, async (image, raw) => {
    const { width, height } = raw ?? size;
    const isStrip = width > 0 && height > width * STRIP_ASPECT;
    const top = isStrip ? image.extract({ left: 0, top: 0, width, height: Math.round(width * STRIP_KEPT) }) : image;
    const { data, info } = await top
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .flatten({ background: '#ffffff' })
      .jpeg({ quality })
      .toBuffer({ resolveWithObject: true });
    return { bytes: owned(data), width: info.width, height: info.height };
  });

/** A grey picture of exactly this size, whatever the shape of the page; lenient as for thumbnails. */
export const renderGrey = async (source: PageSource, size: Size, limits: DecodeLimits): Promise<Uint8Array> =>
  ofPage({ source, box: size, ...limits }, async (image) => {
    const resized = image.resize(size.width, size.height, { fit: 'fill' }).flatten({ background: '#ffffff' });
    return owned(await resized.toColourspace('b-w').extractChannel(0).raw().toBuffer());
  });

/** The pixels of a page in a small box; of a strip, those of its top. Lenient as for thumbnails. */
export const renderSmall = async (source: PageSource, box: Size, limits: DecodeLimits): Promise<Pixels> =>
  ofPage({ source, box, ...limits }, async (image, raw) => {
    const { width, height } = raw ?? (await image.metadata()).autoOrient;
    const isStrip = height > width * STRIP_ASPECT;
    const resized = isStrip
      ? image.resize(box.width).extract({ left: 0, top: 0, ...box })
      : image.resize(box.width, box.height, { fit: 'inside', withoutEnlargement: true });
    const pixels = resized.toColourspace('srgb').ensureAlpha().raw();
    const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
    return { bytes: data, width: info.width, height: info.height, channels: 4 };
  });

/** Lines of text in the fonts of this machine, centred, no wider than this. The text may be in any script. */
export const renderText = async (lines: readonly string[], fontSize: number, width: number): Promise<Pixels> => {
  const markup = lines.map((line) => line.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`)).join('\n');
  const text = { text: `<span foreground="${CARD.ink}">${markup}</span>`, font: `Serif ${fontSize}`, dpi: 72 };
  const image = sharp({ text: { ...text, width, align: 'centre', rgba: true, wrap: 'word-char' } });
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height, channels: 4 };
};

/** Pictures side by side on a transparent ground, as WebP. */
export const joinPictures = async (size: Size, placed: readonly Placed[], quality: number): Promise<Uint8Array> => {
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const ground = sharp({ create: { width: size.width, height: size.height, channels: 4, background } });
  const pictures = placed.map(({ pixels, left, top }) => ({ left, top, ...withRaw(pixels) }));
  return owned(await encode(ground.composite(pictures), 'webp', quality).toBuffer());
};
