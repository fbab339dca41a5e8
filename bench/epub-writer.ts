// Writes EPUB 3 books with a fixed layout, one image per document, as comics are sold. EPUB 3.3, 5.3 (package) and 8.2 (fixed layout).
import { writeZip, type ZipItem } from './zip-writer.js';

const text = (name: string, content: string): ZipItem => ({ name, bytes: Buffer.from(content), isDeflated: true });

const CONTAINER =
  '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

const packageOf = (title: string, pages: number): string => {
  const numbers = Array.from({ length: pages }, (_, page) => page + 1);
  const items = numbers.map(
    (n) =>
      `<item id="i${n}" href="images/${n}.jpg" media-type="image/jpeg"/><item id="p${n}" href="${n}.xhtml" media-type="application/xhtml+xml"/>`,
  );
  return `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">${title}</dc:identifier><dc:title>${title}</dc:title><dc:language>en</dc:language><dc:creator>Bench</dc:creator><meta property="rendition:layout">pre-paginated</meta></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${items.join('')}</manifest><spine>${numbers.map((n) => `<itemref idref="p${n}"/>`).join('')}</spine></package>`;
};

const documentOf = (body: string): string =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>page</title></head><body>${body}</body></html>`;

export const writeComicEpub = (title: string, pages: readonly Uint8Array[]): Buffer =>
  writeZip([
    { name: 'mimetype', bytes: Buffer.from('application/epub+zip') },
    text('META-INF/container.xml', CONTAINER),
    text('OEBPS/package.opf', packageOf(title, pages.length)),
    text(
      'OEBPS/nav.xhtml',
      documentOf(
        `<nav epub:type="toc"><ol>${pages.map((_, page) => `<li><a href="${page + 1}.xhtml">Page ${page + 1}</a></li>`).join('')}</ol></nav>`,
      ),
    ),
    ...pages.flatMap((bytes, page) => [
      text(`OEBPS/${page + 1}.xhtml`, documentOf(`<img src="images/${page + 1}.jpg" alt=""/>`)),
      { name: `OEBPS/images/${page + 1}.jpg`, bytes },
    ]),
  ]);
