// What fuzzing found once: each with the bytes, or how they are made.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { writeZip } from '../../bench/zip-writer.js';
import { assert, block } from '../kit.js';
import { analysed } from '../workers/analysed.js';

let folder = '';

/** An EPUB book whose container names this package document, and nothing else. */
const epubNaming = (packagePath: string): string => {
  const container = `<container><rootfiles><rootfile full-path="${packagePath}"/></rootfiles></container>`;
  const path = join(folder, 'book.epub');
  writeFileSync(path, writeZip([{ name: 'META-INF/container.xml', bytes: Buffer.from(container) }]));
  return path;
};

/** A RAR 5 archive whose only entry says that it goes on in another volume; after its header there are zeros. */
const SPLIT_RAR =
  '526172211a07010009efc86f0b01050704060101808080c231de8c8fa10202f4' +
  '1806a418ed83027e31695d3b827c2f801b010b6b6f6d67612d312e706e67cfe9';

/** A module with one function, `f`, that does nothing but trap. */
const TRAP = '0061736d010000000104016000000302010007050101660000' + '0a05010300000b';

/** Asks a thread of its own, since a trap is remembered for as long as its thread lives. */
const heapsAfter = (code: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const heaps = new URL('../../workers/heaps.js', import.meta.url).href;
    const worker = new Worker(
      `import(${JSON.stringify(heaps)}).then(({ noteTrap, countHeap, isHeapSpent }) => {
        const attempt = (body) => { try { body(); } catch (thrown) { noteTrap(thrown); } };
        ${code}
        require('node:worker_threads').parentPort.postMessage(isHeapSpent());
      })`,
      { eval: true },
    );
    worker.once('message', resolve);
    worker.once('error', reject);
  });

block(
  'found by fuzzing',
  (check) => {
    for (const [how, path] of [
      ['as it is', 'OEBPS/\0content.opf'],
      ['percent-encoded', 'OEBPS/%00content.opf'],
      ['in an absolute path', '/OEBPS/\0content.opf'],
    ] as const)
      check(`a path with U+0000 ${how} does not bring it into the sentence about it`, async () => {
        const { fault } = await analysed(epubNaming(path));
        assert.match(fault?.message ?? '', /its package document \/?OEBPS\/\ufffdcontent\.opf is missing/);
      });
    check('an entry that goes on in another volume ends with this file: it is not opened again and again', async () => {
      const path = join(folder, 'book.cbr');
      writeFileSync(path, Buffer.concat([Buffer.from(SPLIT_RAR, 'hex'), Buffer.alloc(256)]));
      assert.is((await analysed(path)).fault?.kind, 'CorruptArchive');
    });
    check('a thread whose compiled code trapped gets no other job, whatever is read of its memory after', async () => {
      const trap = `attempt(new WebAssembly.Instance(new WebAssembly.Module(Buffer.from('${TRAP}', 'hex'))).exports.f);`;
      assert.is(await heapsAfter(`${trap} countHeap(() => new ArrayBuffer(1024));`), true);
      assert.is(await heapsAfter('const deeper = () => deeper() + 1; attempt(deeper);'), true, 'the stack is used up');
      assert.is(await heapsAfter(`attempt(() => { throw new Error('bad xref'); });`), false, 'an error is no trap');
    });
    check('compiled code that asks for ever more memory is told that there is none', async () => {
      const ask = `const memory = new WebAssembly.Memory({ initial: 1 });
        attempt(() => { for (;;) memory.grow(1024); });
        countHeap(() => ({ byteLength: memory.buffer.byteLength <= 768 * 2 ** 20 ? 0 : 2 ** 40 }));`;
      assert.is(await heapsAfter(ask), false);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-found-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
