// Which files are hashed while they are analysed, and which later.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { CONTROL_BYTES } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { openBookFile } from '../../workers/book-file.js';
import { hashFile, partialMd5 } from '../../workers/hashes.js';
import { metered } from '../../workers/metered-file.js';
import { type AheadFile, neverAhead } from '../../workers/read-ahead.js';
import { runJob } from '../../workers/run.js';
import { defineJob } from '../../workers/step.js';
import { hashFoundBook, hashLikelyBook } from '../../workers/steps/hash.js';
import { list } from '../../workers/steps/list.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';

const MB = 1024 * 1024;
const DEADLINE_MS = 60_000;

const hashing = defineJob({
  name: 'hashing',
  starts: ['file', 'limits', 'mustHash'],
  start: ({ file, mustHash }: { readonly file: AheadFile; readonly mustHash: boolean }) => ({
    file,
    limits: LIMITS,
    mustHash,
  }),
  steps: [hashLikelyBook, list, hashFoundBook],
  finish: ({ fingerprint, isHashDue }) => ({ ...fingerprint, isHashDue }),
});

let folder = '';

/** What an analysis would store of a file with these bytes, and the file's hash. */
const hashed = async (bytes: Buffer, { isSlow = true, mustHash = false } = {}): Promise<unknown> => {
  const path = join(folder, 'file');
  writeFileSync(path, bytes);
  const opened = openBookFile(path);
  const file = neverAhead(metered(opened, { advance: () => undefined, allow: () => undefined }));
  try {
    const control = {
      control: new SharedArrayBuffer(CONTROL_BYTES),
      deadlineMs: monotonicMs() + DEADLINE_MS,
      isPatient: true,
    };
    const found = await runJob(hashing, { file: { ...file, isSlow }, mustHash }, control, []);
    assert.equal([found.sizeBytes, found.koreaderHash], [bytes.length, partialMd5(opened)]);
    const isWhole = found.fileHash === (await hashFile(file, () => undefined));
    return [found.isHashDue, found.fileHash === '' ? 'none' : isWhole ? 'whole' : 'wrong'];
  } finally {
    file.close();
  }
};

const zipOf = (bytes: number): Buffer => writeZip([{ name: '1.gif', bytes: Buffer.alloc(bytes, 7) }]);

block(
  'hashing while a book is analysed',
  (check) => {
    check('a large file on a slow disk is hashed later', async () => {
      assert.equal(await hashed(zipOf(3 * MB)), [true, 'none']);
    });
    check('on a fast disk it is hashed at once', async () => {
      assert.equal(await hashed(zipOf(3 * MB), { isSlow: false }), [false, 'whole']);
    });
    check('a small one is read whole anyway', async () => {
      assert.equal(await hashed(zipOf(MB)), [false, 'whole']);
    });
    check('one that may have changed without a trace is hashed at once', async () => {
      assert.equal(await hashed(zipOf(3 * MB), { mustHash: true }), [false, 'whole']);
    });
    check('what precedes an archive changes nothing', async () => {
      const preceded = Buffer.concat([Buffer.alloc(2000, 32), zipOf(3 * MB)]);
      assert.equal(await hashed(preceded), [true, 'none']);
      assert.equal(await hashed(preceded, { isSlow: false }), [false, 'whole']);
    });
    check('what is no book is hashed later; a small file at once', async () => {
      assert.equal(await hashed(Buffer.alloc(3 * MB, 32)), [true, 'none']);
      assert.equal(await hashed(Buffer.alloc(3 * MB, 32), { isSlow: false }), [true, 'none']);
      assert.equal(await hashed(Buffer.alloc(MB, 32)), [false, 'whole']);
      assert.equal(await hashed(Buffer.alloc(0)), [false, 'whole']);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
