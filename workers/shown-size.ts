// The size of a page once it is fitted into a box.
import type { Box } from '../core/model/jobs.js';
import { mediaOfBytes, sizeOfBytes } from './image-head.js';
import type { PageSource } from './page-source.js';

const sizeOf = (source: PageSource): { readonly width: number; readonly height: number } | undefined => {
  if (source.kind === 'pixels') return source;
  const media = mediaOfBytes(source.bytes);
  return media === undefined ? undefined : sizeOfBytes(source.bytes, media);
};

/** Pixels of a page fitted into a box, never enlarged; 0 when no header tells its size. */
export const shownPixels = (source: PageSource, box: Box): number => {
  const size = sizeOf(source);
  if (size === undefined) return 0;
  const { width, height } = size;
  const scale = Math.min((box.width ?? width) / width, (box.height ?? height) / height, 1);
  return width * height * scale * scale;
};
