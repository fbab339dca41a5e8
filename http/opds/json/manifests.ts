// The manifests of books (Readium Web Publication Manifest) that publications link to.
import type { Book } from '../../../core/catalog/books.js';

const DIVINA = 'application/divina+json';
const WEB_PUBLICATION = 'application/webpub+json';

/** Comics and EPUBs of images are Divina publications. */
export const manifestType = ({ format, epubKind }: Pick<Book, 'format' | 'epubKind'>): string => {
  if (format === 'epub') return epubKind === 'images' ? DIVINA : WEB_PUBLICATION;
  return format === 'pdf' ? WEB_PUBLICATION : DIVINA;
};
