// How many pixels a page of a PDF document gets.
import { type Box, DRAWN_PIXELS_MAX } from '../../core/model/jobs.js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

const POINTS_PER_INCH = 72;
const NOMINAL_DPI = 150;

/** Pixels of a page of `points` at a scale, at least one each way and never more than the limit in total. */
export const scaleSize = ({ width, height }: Size, scale: number): { readonly scale: number } & Size => {
  const pixels = width * height * scale * scale;
  const kept = pixels > DRAWN_PIXELS_MAX ? scale * Math.sqrt(DRAWN_PIXELS_MAX / pixels) : scale;
  return { scale: kept, width: Math.max(1, Math.round(width * kept)), height: Math.max(1, Math.round(height * kept)) };
};

/** Pixels of a page when no size is requested: 150 dpi. */
export const nominalSize = (points: Size): Size => {
  const { width, height } = scaleSize(points, NOMINAL_DPI / POINTS_PER_INCH);
  return { width, height };
};

export const scaleFor = (points: Size, { width, height }: Box): number => {
  if (width === null && height === null) return NOMINAL_DPI / POINTS_PER_INCH;
  return Math.min(
    (width ?? Number.POSITIVE_INFINITY) / points.width,
    (height ?? Number.POSITIVE_INFINITY) / points.height,
  );
};
