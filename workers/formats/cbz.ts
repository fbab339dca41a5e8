// cbz: a zip archive of images.
import type { Note } from '../../core/model/jobs.js';
import { isImageName, leftOut, pagesAmong } from '../../core/model/page-names.js';
import type { BookFile } from '../book-file.js';
import { type ArchiveText, archiveFrontPages, chooseTexts, readArchiveMetadata } from '../metadata/archive.js';
import type { BookContext, Container } from './format.js';
import { mayBePages, showsPictureLater } from './unnamed-pages.js';
import type { ZipArchive } from './zip.js';
import { isAltered, type ZipEntry } from './zip-entry.js';
import { type AllEntries, allEntries, inSecondRoom } from './zip-fallback.js';

/** By their names, and others by their bytes. */
const pagesOf = async (
  all: AllEntries,
  files: readonly ZipEntry[],
  { check, room }: BookContext,
): Promise<readonly ZipEntry[]> => {
  const named = pagesAmong(files);
  const unnamed: ZipEntry[] = [];
  for (const entry of mayBePages(files, named)) {
    check();
    const page = all.page(entry);
    const shows = async () => showsPictureLater(page, all.head);
    if (await inSecondRoom(room, page, () => shows().finally(all.forget))) unnamed.push(entry);
  }
  return unnamed.length === 0 ? named : [...named, ...unnamed];
};

/** Names of replaced pages in a remark. */
const NAMED_MAX = 3;

/** Says which pages an entry of the same name replaces; nothing if their bytes are the same. */
const replacedNotes = (entries: readonly ZipEntry[], files: readonly ZipEntry[]): readonly Note[] => {
  const old = entries.filter(({ isReplaced, name }) => isReplaced && isImageName(name));
  if (old.length === 0) return [];
  const shown = new Map(files.map((entry) => [entry.name, entry]));
  const differing = old.filter(({ name, crc, size }) => shown.get(name)?.crc !== crc || shown.get(name)?.size !== size);
  if (differing.length === 0) return [];
  const names = [...new Set(differing.map(({ name }) => name))].slice(0, NAMED_MAX).join(', ');
  return [
    {
      type: 'other',
      message: `Several images have the same name: ${names.slice(0, 200)}. The last of each is shown; older ones: ${differing.length}.`,
    },
  ];
};

/** A zip archive whose images are the pages. */
export const imagesOf = async (archive: ZipArchive, file: BookFile, context: BookContext): Promise<Container> => {
  const { xmlBytes } = context.limits;
  const all = await allEntries(archive, file, context);
  const files = archive.entries.filter((entry) => !entry.isFolder && !entry.isReplaced);
  const { texts: chosen, notes } = chooseTexts(files, xmlBytes);
  const texts: ArchiveText[] = [];
  for (const entry of chosen) {
    const bytes = await all.read(entry, xmlBytes);
    const isDamaged = bytes !== null && isAltered(entry, bytes);
    texts.push({ name: entry.name, isDamaged, read: () => bytes });
  }
  const entries = await pagesOf(all, files, context);
  const omitted = leftOut(files, entries);
  return {
    format: 'cbz',
    pages: entries.map(all.page),
    isOrdered: false,
    pageCount: null,
    outline: null,
    notes: [...notes, ...replacedNotes(archive.entries, files), ...(omitted === null ? [] : [omitted])],
    checksums: entries,
    head: all.head,
    whole: all.whole,
    forget: all.forget,
    frontPages: (names) => archiveFrontPages({ texts }, names),
    metadata: () => readArchiveMetadata({ comment: Buffer.from(archive.comment).toString('utf8'), texts }),
  };
};
