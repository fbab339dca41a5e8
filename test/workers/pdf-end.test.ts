// PDF documents of which only the beginning is there: the error says so, and what can be found of them is shown with a remark.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';

const CUT_OFF =
  'The PDF document is cut off: its end, which says where its pages are, is missing. Copy or download the file again.';
let folder = '';

const read = (bytes: Uint8Array): Promise<Analysis> => {
  const path = join(folder, 'made.pdf');
  writeFileSync(path, bytes);
  return analysed(path);
};

const BOOKS = ['komga', 'pages-400', 'linearized', 'javascript', 'blank-page', 'hybrid-xref'] as const;
const bytesOf = (name: string): Buffer => readFileSync(fixture(`books/${name}.pdf`));

block(
  'PDF documents without their end',
  (check) => {
    for (const name of BOOKS)
      check(`${name}: cut anywhere, it says that it is cut off`, async () => {
        const bytes = bytesOf(name);
        for (const length of [40, 1000, bytes.length >> 1, Math.floor(bytes.length * 0.9)]) {
          const { fault, notes } = await read(bytes.subarray(0, length));
          if (fault === null)
            assert.match(notes[0]?.message ?? '', /has no end mark: the file may be cut off/, `${length}`);
          else assert.is(fault.message, CUT_OFF, `${length}`);
        }
      });
    check('the same where its objects are written by hand', async () => {
      const head = '%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 1/Ki';
      assert.is((await read(Buffer.from(head))).fault?.message, CUT_OFF);
      const padded = Buffer.concat([Buffer.from(head), Buffer.alloc(100_000)]);
      assert.is((await read(padded)).fault?.message, CUT_OFF);
    });
    check('a whole document has no such remark, not even with other bytes after it', async () => {
      for (const name of BOOKS) assert.equal((await read(bytesOf(name))).notes, [], name);
      const followed = Buffer.concat([bytesOf('komga'), Buffer.from('\r\n<html>'), Buffer.alloc(1500)]);
      assert.equal((await read(followed)).notes, []);
    });
    check('nor with any number of zero bytes or blanks after it', async () => {
      for (const [length, fill] of [
        [5000, 0],
        [4096, 32],
        [1_000_000, 0],
        [300_000, 10],
      ] as const) {
        const padded = Buffer.concat([bytesOf('komga'), Buffer.alloc(length, fill)]);
        assert.equal((await read(padded)).notes, [], `${length}`);
      }
      const cut = Buffer.concat([bytesOf('pages-400').subarray(0, -400), Buffer.alloc(9000)]);
      assert.match((await read(cut)).notes[0]?.message ?? '', /has no end mark/);
    });
    check('a damaged document that has its end is not called cut off', async () => {
      const whole = '%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n';
      assert.match((await read(Buffer.from(whole))).fault?.message ?? '', /is damaged: it has no page list/);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-pdf-end-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
