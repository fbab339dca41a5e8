// A PDF document as a book: pages are rendered on request, except those that are one JPEG, which are found in the file and sent by
// position.
import { AppError } from '../../core/model/errors.js';
import type { Note, PageEntry } from '../../core/model/jobs.js';
import type { Outline, OutlineEntry } from '../../core/model/outline.js';
import { inFile } from '../../core/model/page-address.js';
import { METHOD } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';
import { noteTrap } from '../heaps.js';
import { readPdfInfo } from '../metadata/pdf.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import { Finder } from './finder.js';
import type { Container, ListedPage, OpenContext } from './format.js';
import { openPdf, type Pdf, type PdfObject, sizeOfPage, withPage } from './mupdf.js';
import { lacksEnd } from './pdf-end.js';
import { damagedPdf } from './pdf-faults.js';
import type { Texts } from './pdf-hidden-text.js';
import { imageOfPage, type PageImageStream } from './pdf-image.js';
import { readPdfImage } from './pdf-jpeg.js';
import { cutObject, hasLostContent } from './pdf-rebuild.js';
import { nominalSize } from './pdf-size.js';
import { contentOfStream, isDamagedStream } from './pdf-stream.js';

const name = (index: number): string => `page-${String(index + 1).padStart(4, '0')}`;

const bad = (index: number): ListedPage => ({
  name: name(index),
  address: { in: 'document', page: index, object: 0 },
  packedSize: 0,
  size: 0,
  method: METHOD.pdf,
  fault: 'damaged',
  known: null,
});

/**
 * The image of a page: by position if its bytes are stored unchanged in the file, by its object if they are compressed again or encrypted.
 */
const imagePage = (index: number, { object, bytes, width, height }: PageImageStream, finder: Finder): ListedPage => {
  const offset = finder.find(bytes);
  return {
    name: `${name(index)}.jpg`,
    address: offset === undefined ? { in: 'document', page: index, object } : { in: 'file', offset, headerBytes: 0 },
    packedSize: bytes.length,
    size: bytes.length,
    method: offset === undefined ? METHOD.pdfImage : METHOD.raw,
    fault: 'none',
    known: { media: 'jpeg', width, height },
  };
};

/** What is needed of the file besides the document. */
interface Source {
  readonly finder: Finder;
  readonly texts: Texts;
  /** Null for a document that is complete. */
  readonly cut: { readonly object: number | undefined } | null;
}

const loadedPage = (pdf: Pdf, index: number, { finder, texts, cut }: Source): ListedPage | undefined =>
  withPage(pdf, index, (page): ListedPage | undefined => {
    const points = sizeOfPage(page);
    if (points === undefined || (cut !== null && hasLostContent(page.getObject(), cut.object))) return undefined;
    const image = imageOfPage(page.getObject(), points, texts);
    if (image !== undefined) return imagePage(index, image, finder);
    return { ...bad(index), fault: 'none', known: { media: 'jpeg', ...nominalSize(points) } };
  });

const pageOf = (pdf: Pdf, index: number, source: Source): ListedPage => {
  try {
    return loadedPage(pdf, index, source) ?? bad(index);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    noteTrap(thrown);
    return bad(index); // the reader failed on this page; the others may be sound
  }
};

/** A page is an object of the document: there cannot be more pages than objects, whatever the page tree claims. */
const countOf = ({ document }: Pdf): number => {
  try {
    const count = document.countPages();
    return Math.min(count, document.countObjects());
  } catch (thrown) {
    noteTrap(thrown);
    throw damagedPdf(thrown);
  }
};

const listPages = (pdf: Pdf, file: BookFile, { limits, check }: OpenContext): ListedPage[] => {
  const count = countOf(pdf);
  if (count > limits.archiveEntries)
    throw new AppError(
      'LimitExceeded',
      `The PDF document has more than ${limits.archiveEntries} pages; split it, or have limits.archive_entries raised.`,
    );
  const isCutOff = pdf.document.wasRepaired() && lacksEnd(file);
  const source = { finder: new Finder(file), texts: { inRow: 0 }, cut: isCutOff ? { object: cutObject(file) } : null };
  const pages: ListedPage[] = [];
  for (let index = 0; index < count; index += 1) {
    check();
    pages.push(pageOf(pdf, index, source));
  }
  return pages;
};

const hasPageTree = ({ document }: Pdf): boolean => {
  try {
    return document.getTrailer().get('Root').get('Pages').isDictionary();
  } catch (thrown) {
    noteTrap(thrown);
    return false; // not even a trailer
  }
};

/** A damaged document may be "repaired" into an empty one. */
const refuseEmpty = (pdf: Pdf): void => {
  if (hasPageTree(pdf)) throw new AppError('EmptyBook', 'The PDF document has no pages.');
  throw new AppError('CorruptArchive', 'The PDF document is damaged: it has no page list.');
};

interface Item {
  readonly title?: string | undefined;
  readonly page?: number | undefined;
  readonly down?: Item[] | undefined;
}

const OUTLINE_MAX = 20_000;
const OUTLINE_DEPTH = 16;

const tocOf = (items: readonly Item[] | null, entries: Allowance, depth = 0): OutlineEntry[] =>
  depth >= OUTLINE_DEPTH
    ? []
    : (items ?? []).flatMap(({ title, page, down }) =>
        spend(entries, 1)
          ? [
              {
                title: (title ?? '').slice(0, 500),
                href: `page=${(page ?? 0) + 1}`,
                children: tocOf(down ?? null, entries, depth + 1),
              },
            ]
          : [],
      );

const outlineOf = ({ document }: Pdf, entries: Allowance): Outline | null => {
  try {
    const toc = tocOf(document.loadOutline(), entries);
    if (toc.length === 0) return null;
    return { layout: 'fixed', direction: null, packagePath: '', isProtected: false, spine: [], toc };
  } catch (thrown) {
    noteTrap(thrown);
    return null; // a broken outline counts as none
  }
};

const LONG_OUTLINE = 'Its table of contents is too long; only the beginning is kept.';
const NO_END =
  'The PDF document has no end mark: the file may be cut off, and pages may be missing. Copy or download it again.';

const notesOf = (file: BookFile, isOutlineCut: boolean): readonly Note[] =>
  [isOutlineCut ? LONG_OUTLINE : '', lacksEnd(file) ? NO_END : '']
    .filter((message) => message !== '')
    .map((message) => ({ type: 'parser', message }));

const XMP_MAX_BYTES = 1024 * 1024;

/** The name that the document gives to the order in which its pages are read. */
const directionOf = (root: PdfObject): string | null => {
  const preferences = root.get('ViewerPreferences');
  if (!preferences.isDictionary()) return null;
  const direction = preferences.get('Direction');
  return direction.isName() ? direction.asName() : null;
};

const metadataOf = ({ document }: Pdf): Parameters<typeof readPdfInfo> => {
  // Writers end texts with U+0000, which is decoded as the replacement character.
  const info = (key: string): string | null => document.getMetaData(`info:${key}`)?.replace(/[\0\ufffd]+$/, '') ?? null;
  const root = document.getTrailer().get('Root');
  const packet = root.get('Metadata');
  const xmp = contentOfStream(packet, XMP_MAX_BYTES);
  return [
    {
      title: info('Title'),
      author: info('Author'),
      subject: info('Subject'),
      keywords: info('Keywords'),
      creationDate: info('CreationDate'),
      direction: directionOf(root),
    },
    xmp,
    xmp === null && isDamagedStream(packet, XMP_MAX_BYTES),
  ];
};

const tryMetadata = (pdf: Pdf): Parameters<typeof readPdfInfo> => {
  try {
    return metadataOf(pdf);
  } catch (thrown) {
    noteTrap(thrown);
    return [{}, null]; // the pages are there anyway
  }
};

/** Of a page that is one JPEG. */
const wholeImage = (file: BookFile, { address, size }: Pick<PageEntry, 'address' | 'size'>): Uint8Array =>
  address.in === 'document'
    ? readPdfImage(file, { object: address.object, size })
    : file.read(inFile({ address }).offset, size);

export const openPdfBook = (file: BookFile, context: OpenContext): Container => {
  const pdf = openPdf(file);
  try {
    const pages = listPages(pdf, file, context);
    if (pages.every(({ fault }) => fault !== 'none') && (pages.length === 0 || lacksEnd(file))) refuseEmpty(pdf);
    const found = tryMetadata(pdf);
    const entries = { left: OUTLINE_MAX };
    const outline = outlineOf(pdf, entries);
    return {
      format: 'pdf',
      pages,
      isOrdered: true,
      pageCount: null,
      checksums: [],
      outline,
      notes: notesOf(file, isSpent(entries)),
      head: () => {
        throw new AppError('CorruptPage', 'The page cannot be loaded.');
      },
      whole: (page) => wholeImage(file, page),
      metadata: () => readPdfInfo(...found),
    };
  } finally {
    pdf.close();
  }
};
