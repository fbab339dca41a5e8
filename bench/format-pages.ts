// Lines about pages: RAR compared with unrar without our code, stored pages with pread, rendered pages with mupdf and
// sharp alone, pages of scans with sharp alone.

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import * as mupdf from 'mupdf';
import sharp from 'sharp';
import { CONTROL_BYTES, type PageEntry } from '../core/model/jobs.js';
import { inArchive, inFile } from '../core/model/page-address.js';
import { unrestricted } from '../core/model/viewer.js';
import { LIMITS } from '../test/limits.js';
import { original } from '../workers/jobs/original.js';
import { runJob } from '../workers/run.js';
import { bareEntry, bareExtraction } from './bare-unrar.js';
import type { Scanned } from './engine.js';
import { DRAWN_PAGES, PACKED_PAGES, REAL_COPIES, REAL_RARS, SOLID_COPIES, SOLID_PAGES } from './format-books.js';
import { interleaved, perSecond, type Sides } from './interleaved.js';
import { absolute, compared, type Line, round } from './measure.js';

const READER = unrestricted(1);

const MEGABYTES = (bytes: number): string => `${round(bytes / 1e6, 1)} MB`;

const WARM_UPS = 40;
const DEADLINE_MS = 60_000;

/** The job that unpacks a page, run in this process: the cost of our code without the hop to a thread. */
const jobAlone = async (path: string, engine: Scanned): Promise<number> => {
  const page = await engine.entryOf('packed.cbr', PACKED_PAGES / 2);
  const job = (): unknown =>
    runJob(
      original,
      { path, state: null, page, limits: LIMITS },
      { control: new SharedArrayBuffer(CONTROL_BYTES), deadlineMs: Date.now() + DEADLINE_MS, isPatient: true },
      [],
    );
  const { ours, bare } = await interleaved(PACKED_PAGES, job, () => bareEntry(path, inArchive(page).entry));
  return bare / ours;
};

/** Pages of a packed archive one after the other, each requested for the first time; then again, from the cache. */
export const packedRar = async (root: string, engine: Scanned): Promise<Line[]> => {
  const [warmUp, path] = ['warm-up.cbr', 'packed.cbr'].map((name) => join(root, name)) as [string, string];
  for (let page = 0; page < WARM_UPS; page += 1) {
    await engine.read(engine.idOf('warm-up.cbr'), page + 1);
    bareEntry(warmUp, page);
  }
  const id = engine.idOf('packed.cbr');
  const bare = (page: number): unknown => bareEntry(path, page);
  const cold = perSecond(await interleaved(PACKED_PAGES, (page) => engine.read(id, page + 1), bare));
  const warm = perSecond(await interleaved(PACKED_PAGES, (page) => engine.read(id, page + 1), bare));
  const work = 'page from a packed RAR, 300 kB, one of 100 entries';
  const limit = 'unrar through the same WASM, without our code';
  const unit = 'pages/s';
  const alone = round(await jobAlone(path, engine));
  const note = `packed as literals only, which is all RAR can do with a JPEG; the job without the thread round trip: ${alone}`;
  return [
    compared({
      id: 'rar-cold',
      work: `${work}, cold`,
      limit,
      unit,
      ...cold,
      target: { kind: 'min', value: 0.8 },
      note,
    }),
    compared({
      id: 'rar-warm',
      work: `${work}, from the cache`,
      limit,
      unit,
      ...warm,
      target: { kind: 'min', value: 5 },
    }),
  ];
};

const RAW_ROUNDS = 2000;

/** A page stored in its book unchanged, read again and again. */
const rawPage = async (root: string, engine: Scanned, file: string, id: string, work: string): Promise<Line> => {
  const page = await engine.entryOf(file, 1);
  const { offset } = inFile(page);
  const { size } = page;
  const book = engine.idOf(file);
  const fd = openSync(join(root, file), 'r');
  const buffer = Buffer.allocUnsafeSlow(size);
  const sides = (): Promise<Sides> =>
    interleaved(
      RAW_ROUNDS,
      () => engine.read(book, 1),
      () => readSync(fd, buffer, 0, size, offset),
    );
  await sides();
  const { ours, bare } = await sides();
  closeSync(fd);
  return compared({
    id,
    work,
    limit: 'pread of the same bytes',
    unit: 'µs',
    ours: ours * 1000,
    bare: bare * 1000,
    target: { kind: 'max', value: 1.3 },
    note: MEGABYTES(size),
  });
};

export const rawPages = async (root: string, engine: Scanned): Promise<Line[]> => [
  await rawPage(root, engine, 'stored.cbr', 'rar-stored', 'page stored in a RAR, warm'),
  await rawPage(root, engine, 'images.pdf', 'pdf-raw', 'page of a PDF that is one JPEG, warm'),
];

const readThrough = async (engine: Scanned, file: string, pages: number): Promise<void> => {
  const id = engine.idOf(file);
  for (let page = 1; page <= pages; page += 1) await engine.read(id, page);
};

/** All pages of a solid archive in order; each round has its own copy, since unpacked pages are cached. */
export const solidRar = async (root: string, engine: Scanned): Promise<Line> => {
  const file = (round: number): string => `solid ${round + 1}.cbr`;
  await readThrough(engine, 'solid 0.cbr', SOLID_PAGES);
  const bytes = bareExtraction(join(root, 'solid 0.cbr'));
  const { ours, bare } = await interleaved(
    SOLID_COPIES - 1,
    (round) => readThrough(engine, file(round), SOLID_PAGES),
    (round) => bareExtraction(join(root, file(round))),
  );
  const rate = (ms: number): number => bytes / 1000 / ms;
  return compared({
    id: 'rar-solid',
    work: `solid RAR of ${SOLID_PAGES} pages, ${MEGABYTES(bytes)}, all pages read one after the other`,
    limit: 'one plain extraction through the same WASM',
    unit: 'MB/s',
    ours: rate(ours),
    bare: rate(bare),
    target: { kind: 'min', value: 0.9 },
    note: 'packed as literals only',
  });
};

/** For the hop to a thread and back, or for checking how far a pass is: nobody turning pages notices this much. */
const WAY_MAX_MS = 2;

/** The small archives written by a real RAR: they show what a page costs besides unpacking. Each is judged by itself. */
export const realRars = async (root: string, engine: Scanned): Promise<Line[]> => {
  const lines: Line[] = [];
  for (const name of REAL_RARS) {
    const fileOf = (copy: number): string => `${name} ${copy}.cbr`;
    const pages =
      (await engine.app.pages.table({ viewer: READER, bookId: engine.idOf(fileOf(0)) }))?.pageCount ?? Number.NaN;
    const found = await interleaved(
      REAL_COPIES,
      (copy) => readThrough(engine, fileOf(copy), pages),
      (copy) => bareExtraction(join(root, fileOf(copy))),
    );
    lines.push(
      absolute(
        `rar-real-${name}`,
        `small archive of a real RAR, ${name}, ${pages} pages of 3 to 12 kB, read in turn, compared with plain extraction`,
        `≤ ${WAY_MAX_MS} ms more a page`,
        `${round(found.ours / pages)} ms a page, plain ${round(found.bare / pages)} ms`,
        (found.ours - found.bare) / pages <= WAY_MAX_MS,
      ),
    );
  }
  return lines;
};

const HEIGHT = 1500;
const QUALITY = 85;

interface Bare {
  draw(page: number): Promise<Buffer>;
  close(): void;
}

/** The bare calls on an open document. */
const bareDraw = (path: string): Bare => {
  const document = mupdf.Document.openDocument(readFileSync(path), 'application/pdf');
  return {
    draw: async (index) => {
      const page = document.loadPage(index);
      const [, top, , bottom] = page.getBounds();
      const scale = HEIGHT / (bottom - top);
      const pixmap = page.toPixmap(mupdf.Matrix.scale(scale, scale), mupdf.ColorSpace.DeviceRGB, false, true);
      const raw = { width: pixmap.getWidth(), height: pixmap.getHeight(), channels: 3 as const };
      const jpeg = await sharp(pixmap.getPixels(), { raw })
        .jpeg({ quality: QUALITY, optimiseCoding: false })
        .toBuffer();
      pixmap.destroy();
      page.destroy();
      return jpeg;
    },
    close: () => document.destroy(),
  };
};

/** The JPEG of a page, read from its place in the file and shrunk. */
const bareShrink = (path: string, entries: readonly (PageEntry | undefined)[]): Bare => {
  const fd = openSync(path, 'r');
  return {
    draw: (index) => {
      const page = entries[index];
      if (page === undefined) throw new Error(`no page ${index}`);
      const bytes = Buffer.allocUnsafeSlow(page.size);
      readSync(fd, bytes, 0, page.size, inFile(page).offset);
      return sharp(bytes).resize({ height: HEIGHT }).jpeg({ quality: QUALITY, optimiseCoding: false }).toBuffer();
    },
    close: () => closeSync(fd),
  };
};

const ROUNDS_A_PAGE = 3;

interface Document {
  readonly file: string;
  readonly id: string;
  readonly work: string;
  readonly isScan: boolean;
}

const drawn = async (root: string, engine: Scanned, { file, id, work, isScan }: Document): Promise<Line> => {
  const path = join(root, file);
  const entries = await Promise.all(Array.from({ length: DRAWN_PAGES }, (_, page) => engine.entryOf(file, page + 1)));
  const box = { width: null, height: HEIGHT };
  const ours = async (round: number): Promise<unknown> => {
    const page = entries[round % DRAWN_PAGES];
    if (page === undefined) return;
    const input = { path, state: null, page, box, format: 'jpeg' as const, quality: QUALITY, limits: LIMITS };
    return engine.app.pool.run('page', input, { lane: 'interactive' });
  };
  const bare = isScan ? bareShrink(path, entries) : bareDraw(path);
  const sides = (rounds: number): Promise<Sides> =>
    interleaved(rounds, ours, (round) => bare.draw(round % DRAWN_PAGES));
  await sides(DRAWN_PAGES);
  const found = perSecond(await sides(DRAWN_PAGES * ROUNDS_A_PAGE));
  bare.close();
  return compared({
    id,
    work,
    limit: isScan ? 'its JPEG read and shrunk by sharp alone' : 'mupdf and sharp alone, document open',
    unit: 'pages/s',
    ...found,
    target: { kind: 'min', value: 0.8 },
  });
};

export const drawnPages = async (root: string, engine: Scanned): Promise<Line[]> => [
  await drawn(root, engine, {
    file: 'text.pdf',
    id: 'pdf-text',
    work: `PDF page of text and curves, drawn ${HEIGHT} pixels high`,
    isScan: false,
  }),
  await drawn(root, engine, {
    file: 'scan.pdf',
    id: 'pdf-scan',
    work: `PDF page that is a scan with invisible text over it, shrunk to ${HEIGHT} pixels high`,
    isScan: true,
  }),
];
