// What is decided about images without the image library, so that a thread that only analyses books does not load it.
import type { OutputFormat } from '../core/model/jobs.js';
import type { MediaName } from '../core/model/media.js';
import { mediaOfBytes } from './image-head.js';

/** Types that nothing here decodes; SVG is excluded on purpose. */
const NO_DECODER: ReadonlySet<string> = new Set<MediaName>(['svg', 'heif']);

export const canDecode = (media: MediaName): boolean => media !== 'unknown' && !NO_DECODER.has(media);

export const keptFormat = (bytes: Uint8Array): OutputFormat => {
  const media = mediaOfBytes(bytes);
  return media === 'png' || media === 'webp' ? media : 'jpeg';
};

/** A strip is cut to its top: a whole webtoon page would shrink to a line. */
export const STRIP_ASPECT = 2.5;
