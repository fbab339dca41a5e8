// The media types under which parts of a book are sent: as its package says, else by their names. Scripts are sent as text, so that no page
// of this server can be made to run one; what consists of several bodies would bring headers of its own with each.
import type { EpubPart } from './epub-contents.js';
import { IMAGE_TYPES } from './image-names.js';

const BY_EXTENSION: Readonly<Record<string, string>> = {
  xhtml: 'application/xhtml+xml',
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  ...IMAGE_TYPES,
  ttf: 'font/ttf',
  otf: 'font/otf',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ncx: 'application/x-dtbncx+xml',
  opf: 'application/oebps-package+xml',
  xml: 'application/xml',
  smil: 'application/smil+xml',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
};

const SCRIPT = /(?:java|ecma)script/;
const SEVERAL = /^(?:multipart|message)\//i;

export const mediaTypeOfPart = ({ path, mediaType }: Pick<EpubPart, 'path' | 'mediaType'>): string => {
  const extension = /\.(\w{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const named = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
  const type = mediaType === '' ? (named ?? 'application/octet-stream') : mediaType;
  if (SEVERAL.test(type)) return 'application/octet-stream';
  return SCRIPT.test(type) ? 'text/plain' : type;
};
