// The direction in which the pages of a package follow each other, as books made for Kindle state it.
import { child, children, find, type XmlNode } from './xml.js';

/**
 * `<meta name="primary-writing-mode" content="horizontal-rl">` (Amazon Kindle Publishing Guidelines); `rl` is right to left. Many such books
 * have nothing in the spine, where EPUB 3 states it.
 */
export const writingDirectionOf = (root: XmlNode): 'ltr' | 'rtl' | null => {
  const metadata = find(root, 'metadata');
  const metas = [metadata, child(metadata, 'x-metadata')].flatMap((place) => children(place, 'meta'));
  const mode = metas
    .find(({ attributes }) => attributes.get('name')?.trim().toLowerCase() === 'primary-writing-mode')
    ?.attributes.get('content');
  const side = /^(?:horizontal|vertical)-(lr|rl)$/i.exec(mode?.trim() ?? '')?.[1]?.toLowerCase();
  if (side === undefined) return null;
  return side === 'rl' ? 'rtl' : 'ltr';
};
