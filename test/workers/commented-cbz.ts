// A cbz of one page, one other entry and the comment of an archive: each may hold metadata.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';

interface Content {
  readonly image: Buffer;
  /** Of the other entry. */
  readonly name: string;
  readonly text: string;
  readonly comment: string;
}

/** Writes `book.cbz` and returns its path. */
export const commentedCbz = (folder: string, { image, name, text, comment }: Content): string => {
  const path = join(folder, 'book.cbz');
  const archive = writeZip([
    { name: '1.png', bytes: image },
    { name, bytes: Buffer.from(text) },
  ]);
  const note = Buffer.from(comment);
  archive.writeUInt16LE(note.length, archive.length - 2);
  writeFileSync(path, Buffer.concat([archive, note]));
  return path;
};
