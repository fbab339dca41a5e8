// Lines about analysing books: an EPUB compared with its directory and inflated entries, every format compared with reading, hashing and
// one cover.

import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { parseDocument } from 'htmlparser2';
import sharp, { type Sharp } from 'sharp';
import xxhash from 'xxhash-wasm';
import { openPool } from '../core/engine/pool.js';
import type { PageEntry } from '../core/model/jobs.js';
import { CONTROL_BYTES } from '../core/model/jobs.js';
import { PageTable } from '../core/model/page-table.js';
import { fixture } from '../fixtures/index.js';
import { LIMITS } from '../test/limits.js';
import { type BookFile, openBookFile } from '../workers/book-file.js';
import { neverAhead } from '../workers/read-ahead.js';
import { runJob } from '../workers/run.js';
import { defineJob } from '../workers/step.js';
import { list } from '../workers/steps/list.js';
import { measure } from '../workers/steps/measure.js';
import { metadata } from '../workers/steps/metadata.js';
import { bareEntry, bareExtraction } from './bare-unrar.js';
import { KINDS } from './format-books.js';
import { interleaved, type Sides } from './interleaved.js';
import { compared, type Line, round } from './measure.js';

const DEADLINE_MS = 60_000;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const HEAD_BYTES = 4096;
const DEFLATED = 8;

/** What an analysis does with an open book after hashing it. */
const opening = defineJob({
  name: 'opening',
  starts: ['file', 'beside', 'path', 'root', 'limits'],
  start: (file: BookFile) => ({
    file: neverAhead({ ...file, reading: () => ({ bytes: 0, ms: 0 }) }),
    beside: null,
    path: file.path,
    root: undefined,
    limits: LIMITS,
  }),
  steps: [list, measure, metadata],
  finish: ({ measured }) => measured.length,
});

const openBook = (file: BookFile): Promise<number> =>
  runJob(
    opening,
    file,
    { control: new SharedArrayBuffer(CONTROL_BYTES), deadlineMs: Date.now() + DEADLINE_MS, isPatient: true },
    [],
  );

/** The offsets at which the book was read: entries that begin there were opened. */
const placesRead = async (path: string): Promise<ReadonlySet<number>> => {
  const file = openBookFile(path);
  const places = new Set<number>();
  await openBook({
    ...file,
    read: (position, length) => {
      places.add(position);
      return file.read(position, length);
    },
  });
  file.close();
  return places;
};

interface BareEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The central directory of a sound archive, and the entries at these offsets: the beginning of a stored one, all of an inflated one. */
const bareOpen = (fd: number, places: ReadonlySet<number>): BareEntry[] => {
  const { size } = fstatSync(fd);
  const tail = Buffer.allocUnsafe(Math.min(size, HEAD_BYTES));
  readSync(fd, tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const directory = Buffer.allocUnsafe(tail.readUInt32LE(end + 12));
  readSync(fd, directory, 0, directory.length, tail.readUInt32LE(end + 16));
  const entries: BareEntry[] = [];
  for (let at = 0; at + CENTRAL_BYTES <= directory.length; ) {
    const name = directory.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + directory.readUInt16LE(at + 28));
    if (places.has(directory.readUInt32LE(at + 42))) entries.push({ name, bytes: bareEntryOf(fd, directory, at) });
    at += [28, 30, 32].reduce((sum, field) => sum + directory.readUInt16LE(at + field), CENTRAL_BYTES);
  }
  return entries;
};

const bareEntryOf = (fd: number, directory: Buffer, at: number): Buffer => {
  const isPacked = directory.readUInt16LE(at + 10) === DEFLATED;
  const packed = directory.readUInt32LE(at + 20);
  const names = directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30);
  const entry = Buffer.allocUnsafe(LOCAL_BYTES + names + (isPacked ? packed : Math.min(packed, HEAD_BYTES)));
  readSync(fd, entry, 0, entry.length, directory.readUInt32LE(at + 42));
  const content = entry.subarray(LOCAL_BYTES + entry.readUInt16LE(26) + entry.readUInt16LE(28));
  return isPacked ? inflateRawSync(content.subarray(0, packed)) : content;
};

/** Documents that describe an EPUB; its text documents are only searched for images. */
const DESCRIPTION = /\.(?:opf|ncx|xml)$|nav|toc/i;

const bareParse = (entries: readonly BareEntry[]): unknown[] =>
  entries
    .filter(({ name }) => DESCRIPTION.test(name))
    .map(({ bytes }) => parseDocument(bytes.toString(), { xmlMode: true, decodeEntities: false }));

const EPUB_ROUNDS = 60;

const openedEpub = async (name: string, what: string): Promise<Line> => {
  const path = fixture(`books/${name}.epub`);
  const places = await placesRead(path);
  const file = openBookFile(path);
  const fd = openSync(path, 'r');
  const ours = (): unknown => openBook(file);
  const inflated = (): BareEntry[] => bareOpen(fd, places);
  const parsed = (): unknown => bareParse(inflated());
  await interleaved(EPUB_ROUNDS, ours, parsed);
  const found = await interleaved(EPUB_ROUNDS, ours, parsed);
  const alone = await interleaved(EPUB_ROUNDS, ours, inflated);
  file.close();
  closeSync(fd);
  return compared({
    id: `epub-${name}`,
    work: `EPUB opened for analysis: pages, sizes, structure, metadata; ${what}`,
    limit: 'directory, the same entries inflated, their XML parsed by htmlparser2',
    unit: 'ms',
    ...found,
    target: { kind: 'max', value: 2 },
    note: `directory and inflating alone ${round(alone.bare)} ms, ratio ${round(alone.ours / alone.bare, 1)}`,
  });
};

export const epubs = async (): Promise<Line[]> => [
  await openedEpub('comic-fxl-rtl', 'a comic'),
  await openedEpub('img', 'text with images'),
  await openedEpub('toc-5000', 'a table of contents of 5,000 entries'),
];

const hashing = await xxhash();
const chunk = Buffer.allocUnsafeSlow(1024 * 1024);
const SIDE = 400;
const QUALITY = 85;

const readAndHash = (path: string): void => {
  const fd = openSync(path, 'r');
  const state = hashing.create64();
  for (let at = 0; ; ) {
    const read = readSync(fd, chunk, 0, chunk.length, at);
    if (read === 0) break;
    state.update(chunk.subarray(0, read));
    at += read;
  }
  state.digest();
  closeSync(fd);
};

const resized = (image: Sharp): Promise<Buffer> =>
  image
    .resize(SIDE, SIDE, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: QUALITY, optimiseCoding: false })
    .toBuffer();

/** Empty for a page that has to be rendered: the books measured here have none. */
const bareBytes = (path: string, { address, size }: PageEntry): Uint8Array => {
  if (address.in === 'archive') return bareEntry(path, address.entry);
  if (address.in === 'document') return Buffer.alloc(0);
  const start = address.offset + address.headerBytes;
  return readFileSync(path).subarray(start, start + size);
};

type Analyse = (path: string) => Promise<Uint8Array | null>;

/** The minimum work for a book of a kind. The bytes of its first page come from what was read or unpacked. */
const bareAnalysis = async (kind: string, path: string, analyse: Analyse): Promise<() => Promise<void>> => {
  const isPacked = kind === 'cbr-packed' || kind === 'cbr-solid';
  const table = new PageTable((await analyse(path)) ?? new Uint8Array());
  const page = table.entry(0);
  const first = page === undefined ? Buffer.alloc(0) : bareBytes(path, page);
  return async () => {
    readAndHash(path);
    if (isPacked) bareExtraction(path);
    await resized(sharp(first));
  };
};

const MIXED_ROUNDS = 15;
/** What the bare analysis of a kind does besides. */
const MORE: Readonly<Record<string, string>> = {
  'cbr-packed': '; unpacking',
  'cbr-solid': '; unpacking',
};

/** One book of each kind, analysed in a thread as in a scan; each kind is judged by itself. */
export const mixedAnalysis = async (root: string): Promise<Line[]> => {
  const pool = openPool({
    entry: new URL('../workers/entry.js', import.meta.url).href,
    threads: 1,
    idleTimeoutMs: 10_000,
    queueInteractive: 8,
    queueBackground: 8,
    jobDeadlineMs: DEADLINE_MS,
  });
  const thumbnail = { side: SIDE, quality: QUALITY };
  const analyse: Analyse = async (path) =>
    (await pool.run('analyze', { path, limits: LIMITS, thumbnail, withCover: true }, { lane: 'interactive' }))
      .pageTable;
  const books = readdirSync(root).sort();
  const all: (Sides & { readonly kind: string })[] = [];
  for (const { name } of KINDS) {
    const path = join(root, books.find((book) => basename(book).includes(` ${name}.`)) ?? '');
    const bare = await bareAnalysis(name, path, analyse);
    await interleaved(MIXED_ROUNDS, () => analyse(path), bare);
    all.push({ kind: name, ...(await interleaved(MIXED_ROUNDS, () => analyse(path), bare)) });
  }
  await pool.close();
  return all.map(({ kind, ...found }) =>
    compared({
      id: `analysis-${kind}`,
      work: `analysis with hash and cover of a book of 20 pages, 2 MB: ${kind}`,
      limit: `reading, XXH64 and one cover${MORE[kind] ?? ''}`,
      unit: 'ms',
      ...found,
      target: { kind: 'max', value: 1.3 },
    }),
  );
};
