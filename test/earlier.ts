// The data folder of an earlier version (fixtures/earlier), unpacked into a temporary folder as that version would have left it here.
import { mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { withConnection } from '../core/store/connection.js';
import { fixture } from '../fixtures/index.js';

/** In seconds, as the database has it. */
const BOOK_TIME = 1_700_000_000;

export const EARLIER_LOGIN = { username: 'reader', password: 'Sleepy-Harbour-42!' };

export interface Earlier {
  readonly folder: string;
  readonly data: string;
  readonly shelf: string;
  readonly database: string;
}

export const unpackEarlier = async (): Promise<Earlier> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-earlier-'));
  const packed = brotliDecompressSync(readFileSync(fixture('earlier/schema-11.br')));
  const begin = 4 + packed.readUInt32LE(0);
  const files = JSON.parse(packed.toString('utf8', 4, begin)) as [string, number][];
  let at = begin;
  for (const [name, length] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, packed.subarray(at, at + length));
    if (name.startsWith('shelf/')) utimesSync(path, BOOK_TIME, BOOK_TIME);
    at += length;
  }
  const earlier = {
    folder,
    data: join(folder, 'data'),
    shelf: join(folder, 'shelf'),
    database: join(folder, 'data', 'longbox.db'),
  };
  await withConnection(earlier.database, (connection) =>
    connection.run('UPDATE library SET root = ?', [earlier.shelf]),
  );
  return earlier;
};
