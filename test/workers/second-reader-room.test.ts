// Large pages that only the second reader of zip archives unpacks, and those whose size only a decoder knows, are counted while a book is analysed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { crc32, deflateRawSync } from 'node:zlib';
import { CONTROL, CONTROL_BYTES } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { analyze } from '../../workers/jobs/analyze.js';
import { runJob } from '../../workers/run.js';
import { PIXEL } from '../app.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';

const MB = 1024 * 1024;

/** A sound image with many bytes behind it. */
const page = (bytes: number): Buffer => Buffer.concat([PIXEL, Buffer.alloc(bytes, 'what follows the image ')]);

/** Stored blocks are the same in Deflate and Deflate64. */
const archive = (content: Buffer, method: number): Buffer => {
  const packed = deflateRawSync(content, { level: 0 });
  const name = Buffer.from('1.png');
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(name.length, 22);
  const signature = (bytes: number[]): Buffer => Buffer.from([0x50, 0x4b, ...bytes]);
  const local = Buffer.concat([signature([3, 4]), fields, name, packed]);
  const central = Buffer.concat([signature([1, 2]), Buffer.from([20, 0]), fields, Buffer.alloc(14), name]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, signature([5, 6]), end]);
};

/** Looks at the memory that a job holds, from another thread, since the job may keep this one busy. */
const WATCH = `const { workerData: [control, at, most] } = require('node:worker_threads');
const [held, found] = [new Int32Array(control), new Int32Array(most)];
require('node:worker_threads').parentPort.postMessage('ready');
for (;;) { const now = Atomics.load(held, at); if (now > Atomics.load(found, 0)) Atomics.store(found, 0, now); Atomics.wait(found, 1, 0, 0.2); }`;

/** The most that the analysis held at a time, and what it found. */
const heldFor = async (path: string) => {
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  const most = new SharedArrayBuffer(8);
  const watcher = new Worker(WATCH, { eval: true, workerData: [control, CONTROL.held, most] });
  await new Promise((resolve) => watcher.once('message', resolve));
  try {
    const input = { path, limits: LIMITS, thumbnail: { side: 200, quality: 80 }, withCover: false };
    const deadlineMs = monotonicMs() + 60_000;
    const { pageTable, fault } = await runJob(analyze, input, { control, deadlineMs, isPatient: true }, []);
    return {
      pageTable,
      fault,
      bytes: Atomics.load(new Int32Array(most), 0) * 1024,
      left: new Int32Array(control)[CONTROL.held],
    };
  } finally {
    await watcher.terminate();
  }
};

block('memory of large pages while they are measured', (check) => {
  const sizes: readonly (readonly [what: string, method: number, bytes: number, least: number])[] = [
    ['Deflate64', METHOD.deflate64, 30 * MB, 90 * MB],
    ['Deflate64, ordinary size', METHOD.deflate64, 4 * MB, 0],
  ];
  for (const [what, method, bytes, least] of sizes)
    check(`${what}: ${least / MB} MB are held, and freed`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-room-'));
      try {
        const path = join(folder, 'book.cbz');
        writeFileSync(path, archive(page(bytes), method));
        const found = await heldFor(path);
        assert.is(found.fault, null);
        assert.ok(found.pageTable);
        const entry = new PageTable(found.pageTable).entry(0);
        assert.equal([entry?.method, entry?.fault, entry?.width], [method, 0, 1]);
        assert.ok(least === 0 ? found.bytes === 0 : found.bytes >= least, `${found.bytes} bytes were held`);
        // What the reader itself has grown by is the thread's until that ends.
        assert.ok((found.left ?? 0) * 1024 <= least / 4, `${found.left} KB are still held`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
