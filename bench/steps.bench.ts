// Single steps in this process, by tinybench: a page from a stored zip compared with pread of the same bytes; the directory of an archive
// compared with reading it through @zip.js/zip.js.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configure, Reader, ZipReader } from '@zip.js/zip.js';
import { Bench } from 'tinybench';
import { inFile } from '../core/model/page-address.js';
import { pagesAmong } from '../core/model/page-names.js';
import { OpenFiles } from '../core/pages/open-files.js';
import { storedNow } from '../core/pages/positioned.js';
import { LIMITS } from '../test/limits.js';
import { openBookFile } from '../workers/book-file.js';
import { openZip } from '../workers/formats/zip.js';
import { readZipDirectory } from '../workers/formats/zip-directory.js';
import { makeLibrary, PLANS } from './corpus.js';
import { compared, type Line, type Suite } from './measure.js';

configure({ useWebWorkers: false });

/** Until the code of both sides is compiled: the library needs longer than ours. */
const WARM_UP_MS = 1500;

/** Median milliseconds of each task, by name. */
const timed = async (tasks: Readonly<Record<string, () => unknown>>, ms: number): Promise<Record<string, number>> => {
  const bench = new Bench({ time: ms, warmupTime: WARM_UP_MS });
  for (const [name, run] of Object.entries(tasks)) bench.add(name, async () => void (await run()));
  await bench.run();
  return Object.fromEntries(
    bench.tasks.map((task) => [task.name, 'latency' in task.result ? task.result.latency.p50 : Number.NaN]),
  );
};

const storedPage = async (path: string, ms: number): Promise<Line> => {
  const file = openBookFile(path);
  const zip = openZip(file, { limits: LIMITS, check: () => undefined });
  const [page] = pagesAmong(zip.entries).map(zip.page);
  if (page === undefined) throw new Error('the bench library has no page');
  const address = inFile(zip.head(page, 64));
  const { size, mtimeMs } = statSync(path);
  const files = new OpenFiles(4);
  const version = { path, root: dirname(path), version: '1', size, mtimeMs: Math.floor(mtimeMs) };
  (await files.acquire(version)).touch(address.offset);
  const fd = openSync(path, 'r');
  const buffer = Buffer.allocUnsafeSlow(page.size);
  const entry = { ...page, address, media: 1, width: 1, height: 1, fault: 0 };
  /** The page path for a warm page, up to the bytes: check the file, check the header, read. */
  const ours = async (): Promise<void> => {
    const open = files.acquireNow(version) ?? (await files.acquire(version));
    const content = storedNow(open, entry, 'tag');
    if (content?.kind !== 'file') throw new Error('the page was not warm');
    readSync(content.fd, buffer, 0, content.length, content.offset);
    content.release();
  };
  const found = await timed(
    { ours, bare: () => readSync(fd, buffer, 0, page.size, address.offset + address.headerBytes) },
    ms,
  );
  closeSync(fd);
  files.close();
  file.close();
  const [oursMs = 0, bareMs = 1] = [found.ours, found.bare];
  return compared({
    id: 'stored-page',
    work: 'page from a stored zip, 300 kB',
    limit: 'pread of the same bytes',
    unit: 'ms',
    ours: oursMs,
    bare: bareMs,
    target: { kind: 'max', value: 1.3 },
  });
};

/** Holds the file open and reads without a hop to another thread, as ours does. */
class FileReader extends Reader<number> {
  readonly #fd: number;

  constructor(fd: number) {
    super(fd);
    this.#fd = fd;
    this.size = fstatSync(fd).size;
  }

  override readUint8Array(position: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    readSync(this.#fd, bytes, 0, length, position);
    return Promise.resolve(bytes);
  }
}

const directory = async (path: string, ms: number): Promise<Line> => {
  const file = openBookFile(path);
  const fd = openSync(path, 'r');
  const found = await timed(
    { ours: () => readZipDirectory(file, 20_000), library: () => new ZipReader(new FileReader(fd)).getEntries() },
    ms,
  );
  closeSync(fd);
  file.close();
  return compared({
    id: 'directory',
    work: 'directory of an archive of 40 pages',
    limit: '@zip.js/zip.js reading the same directory, the file held open',
    unit: 'ms',
    ours: found.ours ?? 0,
    bare: found.library ?? 1,
    target: { kind: 'max', value: 1 },
  });
};

export const steps: Suite = async ({ quick, folder }) => {
  const path = join(await makeLibrary(folder, PLANS.pages300), 'Series 00000', 'Book 001.cbz');
  const ms = quick ? 500 : 2000;
  return [await storedPage(path, ms), await directory(path, ms)];
};
