// What an archive of images says about itself: its metadata files and its comment.
import type { Note } from '../../core/model/jobs.js';
import { isJunkPath } from '../../core/model/junk.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { coverImageOf, readCoMet } from './comet.js';
import { readComicBookInfo } from './comicbookinfo.js';
import { frontPagesOf, readComicInfo } from './comicinfo.js';
import { mergeMetadata, unreadMetadata } from './merge.js';
import { readMetronInfo } from './metroninfo.js';

export interface ArchiveText {
  readonly name: string;
  /** Its bytes do not match the checksum of the archive. */
  readonly isDamaged?: boolean;
  /** Null when the content cannot be read. */
  readonly read: () => Uint8Array | null;
}

export interface ArchiveTexts {
  /** Text of the archive comment; '' when there is none. */
  readonly comment: string;
  /** The chosen files. */
  readonly texts: readonly ArchiveText[];
}

/** In order of precedence, field by field: MetronInfo is the newest and most exact, but tools that write both keep ComicInfo current. */
const FILES = [
  { name: /(?:^|[/\\])ComicInfo\.xml$/i, read: readComicInfo },
  { name: /(?:^|[/\\])MetronInfo\.xml$/i, read: readMetronInfo },
  { name: /(?:^|[/\\])CoMet\.xml$/i, read: readCoMet },
] as const;

const depthOf = (name: string): number => name.split(/[/\\]/).length;

/** The file with that name nearest to the root. */
const nearest = <T extends { readonly name: string }>(files: readonly T[], name: RegExp): T | undefined =>
  files
    .filter((one) => name.test(one.name) && !isJunkPath(one.name))
    .sort((a, b) => depthOf(a.name) - depthOf(b.name))[0];

/** Of a file in a remark, in characters. */
const NAME_MAX = 100;

/** All metadata files of an archive together; some formats hold them in memory at the same time. */
const TEXTS_MAX_BYTES = 24 * 1024 * 1024;

export interface ChosenTexts<T> {
  /** At most one file for each name that is read. */
  readonly texts: readonly T[];
  /** What was left out because of its size. */
  readonly notes: readonly Note[];
}

/** The only files of an archive that are unpacked for their text. */
export const chooseTexts = <T extends { readonly name: string; readonly size: number }>(
  files: readonly T[],
  xmlBytes: number,
): ChosenTexts<T> => {
  const found = FILES.flatMap(({ name }) => nearest(files, name) ?? []);
  let left = TEXTS_MAX_BYTES;
  const texts = found.filter(({ size }) => {
    const fits = size <= Math.min(left, xmlBytes);
    if (fits) left -= size;
    return fits;
  });
  const omitted = found.filter((one) => !texts.includes(one)).map(({ name }) => name.slice(-NAME_MAX));
  const message = `Too large to be read as metadata: ${omitted.join(', ')}.`;
  return { texts, notes: omitted.length === 0 ? [] : [{ type: 'metadata', message }] };
};

const lastPart = (name: string): string => name.split(/[/\\]/).at(-1)?.toLowerCase() ?? '';

/** See Container.frontPages. ComicInfo numbers its pages; CoMet names the file. */
export const archiveFrontPages = (
  { texts }: Pick<ArchiveTexts, 'texts'>,
  names: readonly string[],
): readonly number[] => {
  const [comicInfo, , coMet] = FILES.map(({ name }) => nearest(texts, name)?.read() ?? null);
  const marked = comicInfo == null ? [] : frontPagesOf(comicInfo);
  const cover = coMet == null ? null : coverImageOf(coMet);
  if (cover === null) return marked;
  const index = names.findIndex((name) => lastPart(name) === lastPart(cover));
  return index < 0 ? marked : [...marked, index];
};

export const readArchiveMetadata = ({ comment, texts }: ArchiveTexts): EmbeddedMetadata | null => {
  const found = FILES.map(({ name, read }) => {
    const file = nearest(texts, name);
    if (file === undefined) return null;
    const bytes = file.read();
    const unread = bytes === null || file.isDamaged === true ? unreadMetadata(file.name.slice(-NAME_MAX)) : null;
    return mergeMetadata(bytes === null ? null : read(bytes), unread);
  });
  const inComment = comment.trimStart().startsWith('{') ? readComicBookInfo(Buffer.from(comment)) : null;
  return mergeMetadata(...found, inComment);
};
