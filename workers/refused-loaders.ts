// The loaders of libvips that are never used, whatever a file claims to be.

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
