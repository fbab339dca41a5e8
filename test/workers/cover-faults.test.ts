// Which faults of a page mean that the next one is tried as the cover, and which are reported.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import type { ErrorKind } from '../../core/model/errors.js';
import { CONTROL_BYTES, type Cover, type PageEntry } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { cover } from '../../workers/jobs/cover.js';
import { runJob } from '../../workers/run.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const DEADLINE_MS = 30_000;

let folder = '';
let path = '';
let pages: readonly PageEntry[] = [];

const coverOf = (given: readonly PageEntry[], limits = LIMITS): Promise<Cover> =>
  runJob(
    cover,
    { path, root: folder, pages: given, thumbnail: { side: 200, quality: 80 }, limits },
    { control: new SharedArrayBuffer(CONTROL_BYTES), deadlineMs: monotonicMs() + DEADLINE_MS, isPatient: true },
    [],
  );

const fails = async (given: readonly PageEntry[], kind: ErrorKind): Promise<void> =>
  assert.is(
    await coverOf(given).then(
      () => 'no error',
      (thrown: { kind?: string }) => thrown.kind,
    ),
    kind,
  );

/** As a programming error would leave it: its place is not one that its method reads. */
const misplaced = (page: PageEntry): PageEntry => ({ ...page, address: { in: 'document', page: 0, object: 0 } });

block(
  'faults of the pages that may be the cover',
  (check) => {
    check('an error of ours is reported, though another page could be the cover', async () => {
      const [first, second] = pages;
      assert.ok(first !== undefined && second !== undefined);
      await fails([misplaced(first), second], 'Internal');
      await fails([misplaced(first)], 'Internal');
      const entry: PageEntry = { ...first, address: { in: 'archive', entry: 0 } };
      await fails([entry, second], 'Internal');
    });
    check('after a damaged page the next one is the cover, and our error behind it does not matter', async () => {
      const [first, second, third] = pages;
      assert.ok(first !== undefined && second !== undefined && third !== undefined);
      assert.ok((await coverOf([third, second])).bytes.length > 0);
      assert.ok((await coverOf([third, second, misplaced(first)])).bytes.length > 0);
      await fails([third, misplaced(first)], 'Internal');
      await fails([third], 'CorruptPage');
    });
    check('a file that changed is reported, and not tried page by page', async () => {
      const [first, second] = pages;
      assert.ok(first !== undefined && second !== undefined && first.address.in === 'file');
      const elsewhere: PageEntry = { ...first, address: { ...first.address, offset: first.address.offset + 1 } };
      await fails([elsewhere, second], 'FileChanged');
    });
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-cover-faults-'));
      path = join(folder, 'book.cbz');
      const damaged = Buffer.concat([IMAGE.subarray(0, 60), Buffer.alloc(IMAGE.length - 60, 0x55)]);
      const files = [IMAGE, IMAGE, damaged].map((bytes, at) => ({ name: `${at + 1}.png`, bytes }));
      writeFileSync(path, writeZip(files));
      const { pageTable } = await analysed(path);
      assert.ok(pageTable !== null);
      const table = new PageTable(pageTable);
      pages = files.flatMap((_, at) => table.entry(at) ?? []);
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
