// Which entries of an archive are pages, by name alone.

const IMAGE = /\.(?:jpe?g|png|gif|webp|avif|jxl|bmp|tiff?|jp2|svg)$/i;
/** Image files that programs leave behind and nobody calls a page. */
const JUNK = /^(?:thumbs\.db|desktop\.ini)$/i;

/** Separators of both worlds; a drive letter or a leading separator is only a name here and never a path. */
const partsOf = (name: string): string[] => name.split(/[/\\]/);

export const isPageName = (name: string): boolean => {
  if (!IMAGE.test(name)) return false;
  return partsOf(name).every((part) => !part.startsWith('.') && part.toUpperCase() !== '__MACOSX' && !JUNK.test(part));
};

/** The name by which pages are ordered: one kind of separator. */
export const orderName = (name: string): string => name.replaceAll('\\', '/');
