// What an archive of images says about itself: its metadata files and its comment.
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { isJunkPath } from '../../core/model/page-names.js';
import { readCoMet } from './comet.js';
import { readComicBookInfo } from './comicbookinfo.js';
import { readComicInfo } from './comicinfo.js';
import { mergeMetadata } from './merge.js';
import { readMetronInfo } from './metroninfo.js';

export interface ArchiveTexts {
  /** Text of the archive comment; '' when there is none. */
  readonly comment: string;
  /** Candidates by name; `read` returns null when the content cannot be read. */
  readonly texts: readonly { readonly name: string; readonly read: () => Uint8Array | null }[];
}

/** In order of precedence, field by field: MetronInfo is the newest and most exact, but tools that write both keep ComicInfo current. */
const FILES = [
  { name: /(?:^|[/\\])ComicInfo\.xml$/i, read: readComicInfo },
  { name: /(?:^|[/\\])MetronInfo\.xml$/i, read: readMetronInfo },
  { name: /(?:^|[/\\])CoMet\.xml$/i, read: readCoMet },
] as const;

const depthOf = (name: string): number => name.split(/[/\\]/).length;

/** The file with that name nearest to the root. */
const nearest = ({ texts }: ArchiveTexts, name: RegExp): Uint8Array | null => {
  const [first] = texts
    .filter((one) => name.test(one.name) && !isJunkPath(one.name))
    .sort((a, b) => depthOf(a.name) - depthOf(b.name));
  return first?.read() ?? null;
};

export const readArchiveMetadata = (texts: ArchiveTexts): EmbeddedMetadata | null => {
  const found = FILES.map(({ name, read }) => {
    const bytes = nearest(texts, name);
    return bytes === null ? null : read(bytes);
  });
  const comment = texts.comment.trimStart().startsWith('{') ? readComicBookInfo(Buffer.from(texts.comment)) : null;
  return mergeMetadata(...found, comment);
};
