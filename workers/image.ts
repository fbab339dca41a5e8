// Decoding, resizing and encoding: the only importer of sharp. One libvips thread per call (the pool has the threads), no libvips cache,
// a pixel limit on everything.
import sharp, { type Sharp } from 'sharp';
import { AppError } from '../core/model/errors.js';
import type { Box, Cover, OutputFormat, PageImage, ThumbnailOptions } from '../core/model/jobs.js';
import type { MediaName } from '../core/model/media.js';
import { type ImageHead, mediaOfBytes, sizeOfBytes } from './image-head.js';
import type { PageSource, Pixels } from './page-source.js';
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
/** Types that nothing here decodes; SVG is excluded on purpose. */
const NO_DECODER: ReadonlySet<string> = new Set<MediaName>(['svg', 'jxl', 'heif']);

export const canDecode = (media: MediaName): boolean => media !== 'unknown' && !NO_DECODER.has(media);

/** The output formats limit sides to this many pixels; libvips reports that in its own words. */
const SIDE_LIMIT = /too large for the (\w+) format/i;

const corrupt = (thrown: unknown): AppError => {
  const words = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '';
  if (/pixel limit/i.test(words))
    return new AppError('LimitExceeded', 'The image has more pixels than this server decodes.');
  const format = SIDE_LIMIT.exec(words)?.[1];
  if (format !== undefined)
    return new AppError(
      'LimitExceeded',
      `The image is too large for ${format}; request a smaller size or another format.`,
    );
  return new AppError('CorruptPage', `The image is damaged or not readable: ${words.trim()}.`, null, thrown);
};

interface Input {
  readonly bytes: Uint8Array;
  readonly raw?: { readonly width: number; readonly height: number; readonly channels: 3 | 4 };
}

const rawInput = ({ bytes, width, height, channels }: Pixels): Input => ({ bytes, raw: { width, height, channels } });

/** How libvips takes a page; forbidden types are refused, and those it cannot decode come as pixels. */
const inputOf = async (source: PageSource, pixelsMax: number): Promise<Input> => {
  if (source.kind === 'pixels') return rawInput(source);
  const media = mediaOfBytes(source.bytes);
  if (media === undefined) throw new AppError('CorruptPage', 'The page is not an image.');
  if (!canDecode(media))
    throw new AppError('UnsupportedFormat', `This server cannot resize or convert pages of the type ${media}.`);
  if (!DECODED_ELSEWHERE.has(media)) return { bytes: source.bytes };
  const size = sizeOfBytes(source.bytes, media);
  if (size === undefined || size.width * size.height > pixelsMax)
    throw new AppError('LimitExceeded', 'The image has more pixels than this server decodes.');
  return rawInput((await import('./formats/mupdf.js')).decodeImage(source.bytes));
};

/** Rendered pixels take more memory than anything else in a job: they are freed at once, not at the next garbage collection. */
const discard = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
};

/** Own memory, so that it can be transferred between threads. */
const owned = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/**
 * Optimising the codes of a JPEG keeps all of its coefficients, six bytes per pixel; larger ones are written line by line, as larger files.
 */
const OPTIMISED_PIXELS_MAX = 6_000_000;

const encode = (image: Sharp, format: OutputFormat, quality: number, isLarge: boolean): Sharp => {
  if (format === 'png') return image.png({ compressionLevel: 6 });
  if (format === 'webp') return image.webp({ quality, effort: 2 });
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, optimiseCoding: !isLarge });
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

export const keptFormat = (bytes: Uint8Array): OutputFormat => {
  const media = mediaOfBytes(bytes);
  return media === 'png' || media === 'webp' ? media : 'jpeg';
};

/** Fits a page into a box, rotated as EXIF says, never enlarged, without metadata. Animated images give their first frame. */
export const renderPage = async (
  source: PageSource,
  box: Box,
  format: OutputFormat | null,
  quality: number,
  pixelsMax: number,
): Promise<PageImage> => {
  const { bytes, ...raw } = await inputOf(source, pixelsMax);
  const output = format ?? (raw.raw === undefined ? keptFormat(bytes) : 'jpeg');
  try {
    // The intact part of a damaged image is shown, as browsers do with the original.
    const image = sharp(bytes, { limitInputPixels: pixelsMax, failOn: 'none', pages: 1, ...raw }).rotate();
    const resized =
      box.width === null && box.height === null
        ? image
        : image.resize(box.width, box.height, { fit: 'inside', withoutEnlargement: true });
    const isLarge = shownPixels(source, box) > OPTIMISED_PIXELS_MAX;
    const { data, info } = await encode(resized.toColourspace('srgb'), output, quality, isLarge).toBuffer({
      resolveWithObject: true,
    });
    return { bytes: owned(data), format: output, width: info.width, height: info.height };
  } catch (thrown) {
    throw corrupt(thrown);
  } finally {
    if (raw.raw !== undefined) discard(bytes);
  }
};

/** A strip is cut to its top: a whole webtoon page would shrink to a line. */
export const STRIP_ASPECT = 2.5;
const STRIP_KEPT = 1.5;

/** A cover thumbnail of an image whose size (as shown) is known; lenient, since half a cover is better than none. */
export const renderThumbnail = async (
  source: PageSource,
  size: { readonly width: number; readonly height: number },
  options: ThumbnailOptions,
  pixelsMax: number,
): Promise<Cover> => {
  const { bytes, ...raw } = await inputOf(source, pixelsMax);
  const { width, height } = raw.raw ?? size;
  try {
    const image = sharp(bytes, { limitInputPixels: pixelsMax, failOn: 'none', pages: 1, ...raw }).rotate();
    const isStrip = width > 0 && height > width * STRIP_ASPECT;
    const top = isStrip ? image.extract({ left: 0, top: 0, width, height: Math.round(width * STRIP_KEPT) }) : image;
    const { data, info } = await top
      .resize(options.side, options.side, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: options.quality })
      .toBuffer({ resolveWithObject: true });
    return { bytes: owned(data), width: info.width, height: info.height };
  } catch (thrown) {
    throw corrupt(thrown);
  } finally {
    if (raw.raw !== undefined) discard(bytes);
  }
};
