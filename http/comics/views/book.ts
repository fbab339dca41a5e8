// Books and their pages as the comic-server API shows them.
import { basename } from 'node:path';
import { ROLE_FIELD_NAMES } from '../../../core/catalog/book-facts.js';
import { FORMATS, stemOf } from '../../../core/model/formats.js';
import { mediaOf } from '../../../core/model/media.js';
import { numberOfText } from '../../../core/model/numbers.js';
import type { PageTable } from '../../../core/model/page-table.js';
import { formOf } from '../../../core/pages/form.js';
import type { BookRecord, MediaProfile, MediaStatus } from '../../../core/reading/app-records.js';
import { progressOf } from '../../../core/reading/progress.js';
import type { Wire } from '../../surface/wire.js';
import type { Book as BookSchema, MEDIA_PROFILES, MEDIA_STATUSES, PageOfBook } from '../schemas/book.js';
import { authorsView } from './people.js';
import { dateOrNull, idText, moment, sizeText } from './text.js';

type View = Wire<typeof BookSchema>;

const STATUSES: Readonly<Record<MediaStatus, (typeof MEDIA_STATUSES)[number]>> = {
  unknown: 'UNKNOWN',
  outdated: 'OUTDATED',
  error: 'ERROR',
  unsupported: 'UNSUPPORTED',
  ready: 'READY',
};

const PROFILES: Readonly<Record<MediaProfile, (typeof MEDIA_PROFILES)[number]>> = {
  pictures: 'DIVINA',
  epub: 'EPUB',
  document: 'PDF',
};

const mediaView = ({ book, status, profile }: BookRecord): View['media'] => ({
  status: STATUSES[status],
  mediaType: FORMATS[book.format].mediaType,
  pagesCount: book.pageCount,
  comment: book.analysisError ?? '',
  epubDivinaCompatible: book.format === 'epub' && book.epubKind === 'images',
  epubIsKepub: /\.kepub\.epub$/i.test(book.path),
  mediaProfile: PROFILES[profile],
});

/** Apps read it as a number: what a file says only where it is the number by which the book is sorted. */
const numberText = ({ facts, sortNumber }: BookRecord): string =>
  facts.number !== null && Number.isFinite(Number(facts.number)) && numberOfText(facts.number) === sortNumber
    ? facts.number.trim()
    : String(sortNumber);

/** Only addresses that a browser may be sent to. Those of files have no label, so they are named by their host. */
const linkViews = ({ facts, locks }: BookRecord): View['metadata']['links'] =>
  facts.links.flatMap(({ source, url }) => {
    if (!URL.canParse(url)) return [];
    const { protocol, hostname } = new URL(url);
    const label = locks.has('links') ? source : hostname.replace(/^www\./, '');
    return /^https?:$/.test(protocol) ? [{ label, url }] : [];
  });

const metadataView = (record: BookRecord): View['metadata'] => {
  const { book, facts, locks } = record;
  const isLocked = (...names: readonly Parameters<typeof locks.has>[0][]): boolean =>
    names.some((name) => locks.has(name));
  return {
    title: book.title,
    titleLock: isLocked('title'),
    summary: facts.summary ?? '',
    summaryLock: isLocked('summary'),
    number: numberText(record),
    numberLock: isLocked('number'),
    numberSort: record.sortNumber,
    numberSortLock: isLocked('number'),
    releaseDate: dateOrNull(record.released),
    releaseDateLock: isLocked('year', 'month', 'day'),
    authors: authorsView(facts.authors),
    authorsLock: isLocked('authors', ...ROLE_FIELD_NAMES),
    tags: record.tags,
    tagsLock: isLocked('tags'),
    isbn: facts.isbns?.split(',')[0]?.trim() ?? '',
    isbnLock: isLocked('isbns'),
    links: linkViews(record),
    linksLock: isLocked('links'),
    created: moment(record.metadataCreatedAt),
    lastModified: moment(record.metadataUpdatedAt),
  };
};

const progressView = ({ book, deviceId, deviceName }: BookRecord): View['readProgress'] => {
  const progress = progressOf(book);
  if (progress === undefined) return null;
  return {
    page: progress.currentPage,
    completed: progress.completed,
    readDate: moment(progress.updatedAt),
    created: moment(progress.startedAt),
    lastModified: moment(progress.updatedAt),
    deviceId,
    deviceName,
  };
};

export const bookView = (record: BookRecord): View => {
  const { book } = record;
  return {
    id: idText(book.id),
    seriesId: idText(book.seriesId),
    seriesTitle: book.seriesName,
    libraryId: idText(book.libraryId),
    name: stemOf(basename(book.path)),
    url: record.place,
    number: book.number ?? 0,
    created: moment(book.createdAt),
    lastModified: moment(book.updatedAt),
    fileLastModified: moment(book.fileMtime),
    sizeBytes: book.fileSize,
    size: sizeText(book.fileSize),
    media: mediaView(record),
    metadata: metadataView(record),
    readProgress: progressView(record),
    deleted: book.deleted,
    fileHash: book.fileHash,
    oneshot: record.isOneshot,
  };
};

/** The media type that a page has when it is requested as it is. */
export const pageViews = (table: PageTable): readonly Wire<typeof PageOfBook>[] =>
  table.names().map((name, index) => {
    const entry = table.entry(index);
    const form = entry === undefined ? undefined : formOf(entry, {});
    const size = entry?.size ?? 0;
    return {
      number: index + 1,
      fileName: name,
      mediaType: form?.kind === 'derived' ? `image/${form.format}` : mediaOf(entry?.media ?? 0).type,
      width: entry?.width ?? 0,
      height: entry?.height ?? 0,
      sizeBytes: size,
      // Pages that are rendered have no bytes of their own; apps show the text as it is.
      size: size === 0 ? '' : sizeText(size),
    };
  });
