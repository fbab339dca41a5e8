// What an archive of images says about itself: metadata files in it, and its comment.
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { readComicInfo } from './comicinfo.js';

export interface ArchiveTexts {
  /** Text of the archive comment; '' when there is none. */
  readonly comment: string;
  /** Candidates by name; `read` gives null when the content cannot be had. */
  readonly texts: readonly { readonly name: string; readonly read: () => Uint8Array | null }[];
}

const depthOf = (name: string): number => name.split(/[/\\]/).length;

/** The file of that name nearest to the root. */
const nearest = ({ texts }: ArchiveTexts, name: RegExp): Uint8Array | null => {
  const [first] = texts
    .filter((one) => name.test(one.name) && !one.name.includes('__MACOSX'))
    .sort((a, b) => depthOf(a.name) - depthOf(b.name));
  return first?.read() ?? null;
};

export const readArchiveMetadata = (texts: ArchiveTexts): EmbeddedMetadata | null => {
  const comicInfo = nearest(texts, /(?:^|[/\\])ComicInfo\.xml$/i);
  return comicInfo === null ? null : readComicInfo(comicInfo);
};
