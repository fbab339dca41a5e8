// The file name extensions of images, with their media types: one list for pages, the order of names, and the parts of EPUBs. What a page
// really is, its bytes decide.

export const IMAGE_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  jxl: 'image/jxl',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  jp2: 'image/jp2',
  j2k: 'image/jp2',
  jpx: 'image/jp2',
  jpf: 'image/jp2',
  heic: 'image/heic',
  heif: 'image/heif',
  svg: 'image/svg+xml',
};

/** For patterns: `jpg|jpeg|…`. */
export const IMAGE_EXTENSIONS = Object.keys(IMAGE_TYPES).join('|');

/** Image types that cannot be pages. They are only counted, so that the owner knows that something is missing. */
const OTHER_IMAGE =
  /\.(psd|psb|xcf|kra|clip|ai|eps|cdr|tga|pcx|ppm|pgm|pbm|ico|dds|exr|hdr|wdp|jxr|djvu?|dng|cr2|nef|arw|svgz|emf|wmf)$/i;

/** The extension of an image that cannot be a page, in lower case. */
export const otherImageType = (name: string): string | undefined => OTHER_IMAGE.exec(name)?.[1]?.toLowerCase();
