// Decodes and re-encodes an uploaded image. Only its content determines its type, never its name or the declared type.
import { AppError } from '../../core/model/errors.js';
import type { MediaName } from '../../core/model/media.js';
import { renderBytesOf } from '../decode-size.js';
import { mediaOfBytes, sizeOfBytes } from '../image-head.js';
import type { PageSource } from '../page-source.js';
import { step } from '../step.js';

/** What browsers and cameras write. Types that few people have are not worth a decoder that strangers can reach. */
const ACCEPTED: ReadonlySet<string> = new Set<MediaName>(['jpeg', 'png', 'webp', 'gif', 'avif']);

const refuseOthers = (bytes: Uint8Array, pixelsMax: number): void => {
  const media = mediaOfBytes(bytes);
  if (media === undefined || media === 'unknown')
    throw new AppError(
      'UnsupportedFormat',
      'The file is not an image. A cover must be a JPEG, PNG, WebP, GIF or AVIF.',
    );
  if (!ACCEPTED.has(media))
    throw new AppError(
      'UnsupportedFormat',
      `A cover must be a JPEG, PNG, WebP, GIF or AVIF; ${media} is not accepted.`,
    );
  const size = sizeOfBytes(bytes, media);
  if (size !== undefined && size.width * size.height > pixelsMax)
    throw new AppError(
      'LimitExceeded',
      `The image has ${size.width} × ${size.height} pixels; a cover can have at most ${pixelsMax} in total.`,
    );
};

export const renderUpload = step({
  name: 'upload',
  needs: ['upload', 'limits'],
  gives: ['image'],
  run: async ({ upload: { bytes, box, quality, isStrict }, limits }, run) => {
    refuseOthers(bytes, limits.imagePixels);
    const source: PageSource = { kind: 'image', bytes };
    run.keepRoom(await renderBytesOf(source, box, 'jpeg'));
    const { renderPage } = await import('../image-codec.js');
    const decoding = { pixels: limits.imagePixels, seconds: run.secondsLeft(), isStrict };
    return { image: await renderPage(source, box, 'jpeg', quality, decoding) };
  },
});
