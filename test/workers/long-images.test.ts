// Images whose decoding takes many seconds: it stops in time by itself, since compiled code outlives its thread, and shrinks to the size
// requested.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import sharp from 'sharp';
import { writeZip } from '../../bench/zip-writer.js';
import { CONTROL_BYTES } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { PageTable } from '../../core/model/page-table.js';
import { renderPage } from '../../workers/image-codec.js';
import { analyze } from '../../workers/jobs/analyze.js';
import { cover } from '../../workers/jobs/cover.js';
import type { PageSource } from '../../workers/page-source.js';
import { type Control, runJob } from '../../workers/run.js';
import { assert, block, thrownBy } from '../kit.js';
import { LIMITS } from '../limits.js';
import { chunk } from '../png.js';

const ADLER_BASE = 65_521;
const ROWS_PER_PIECE = 16;
const RGB = 2;
const RGBA = 6;

/** Shown rotated by a quarter turn: orientation 6 (Exif 2.3, 4.6.4; PNG extension eXIf). */
const ROTATED = chunk('eXIf', Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex'));

/** A PNG of zeros, packed from one piece repeated, so that its size costs nothing to write. */
const emptyPng = (
  width: number,
  pieces: number,
  depth: 8 | 16,
  colour: typeof RGB | typeof RGBA,
  ...more: readonly Buffer[]
): Buffer => {
  const height = pieces * ROWS_PER_PIECE;
  const rowBytes = 1 + width * (colour === RGB ? 3 : 4) * (depth / 8);
  const piece = deflateRawSync(Buffer.alloc(rowBytes * ROWS_PER_PIECE), { finishFlush: constants.Z_FULL_FLUSH });
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, colour, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const sum = Buffer.alloc(4);
  sum.writeUInt16BE((rowBytes * height) % ADLER_BASE, 0);
  sum.writeUInt16BE(1, 2);
  const pixels = [Buffer.from([0x78, 0x9c]), ...Array.from({ length: pieces }, () => piece), Buffer.from([3, 0]), sum];
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', Buffer.concat(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const THUMBNAIL = { side: 200, quality: 80 };

const control = (leftMs: number): Control => ({
  control: new SharedArrayBuffer(CONTROL_BYTES),
  deadlineMs: monotonicMs() + leftMs,
  isPatient: false,
});

const image = (bytes: Uint8Array): PageSource => ({ kind: 'image', bytes });

block('images that take long', (check) => {
  check('decoding ends in time, however small the result', async () => {
    const source = image(emptyPng(16_000, 500, 16, RGBA));
    const thrown = await thrownBy(() =>
      renderPage(source, { width: 20, height: null }, null, 80, { pixels: 300_000_000, seconds: 1 }),
    );
    assert.equal(
      [(thrown as { kind?: string }).kind, String(thrown)],
      ['Timeout', 'AppError: The work took too long and was stopped.'],
    );
  });
  check('one of sixteen bits per sample counts twice for the pixel limit', async () => {
    const limits = { pixels: 128_000_000, seconds: 60 };
    const shown = (depth: 8 | 16) =>
      renderPage(image(emptyPng(10_000, 500, depth, RGBA)), { width: 100, height: null }, 'jpeg', 80, limits);
    const thrown = await thrownBy(() => shown(16));
    assert.is((thrown as { kind?: string }).kind, 'LimitExceeded');
    assert.is((await shown(8)).height, 80);
  });
  check(
    'a book whose cover takes too long is complete without it; who asks for the cover is told why there is none',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-cover-'));
      try {
        const path = join(folder, 'a.cbz');
        writeFileSync(path, writeZip([{ name: '1.png', bytes: emptyPng(16_000, 500, 16, RGBA) }]));
        // Enough for all but decoding, which gets the last second.
        const book = await runJob(
          analyze,
          { path, limits: LIMITS, thumbnail: THUMBNAIL, withCover: true },
          control(4900),
          [],
        );
        const page = new PageTable(book.pageTable ?? new Uint8Array()).entry(0);
        assert.equal([book.pageCount, book.cover, page?.width], [1, null, 16_000]);
        const input = { path, pages: page === undefined ? [] : [page], limits: LIMITS, thumbnail: THUMBNAIL };
        const thrown = await thrownBy(() => runJob(cover, input, control(4900), []));
        assert.is((thrown as { kind?: string }).kind, 'Timeout');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
  check('a rotated one is not enlarged on the way', async () => {
    const source = image(emptyPng(26_000, 163, 16, RGBA, ROTATED));
    const before = process.resourceUsage().maxRSS;
    const made = await renderPage(source, { width: 100, height: null }, null, 80, {
      pixels: 268_435_456,
      seconds: 100,
    });
    assert.equal([made.width, Math.round(made.height / 10)], [100, 100]);
    const grownMb = (process.resourceUsage().maxRSS - before) / 1024;
    assert.is(grownMb < 800, true, `${Math.round(grownMb)} MB`);
  });
  check('one in time has the requested size and type', async () => {
    const source = image(emptyPng(20_000, 600, 8, RGB));
    const made = await renderPage(source, { width: 100, height: null }, null, 80, {
      pixels: 300_000_000,
      seconds: 100,
    });
    assert.equal([made.format, made.width, made.height], ['png', 100, 48]);
    const { channels } = await sharp(made.bytes).stats();
    assert.equal(
      channels.slice(0, 3).map(({ max }) => max),
      [0, 0, 0],
    );
  });
});
