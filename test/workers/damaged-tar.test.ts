// Tar archives of nothing but damage: how much of them is read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TAR_BLOCK_BYTES } from '../../core/model/tar-header.js';
import { openBookFile } from '../../workers/book-file.js';
import { listTar } from '../../workers/formats/tar.js';
import { PIXEL } from '../app.js';
import { assert, block } from '../kit.js';
import { paxHeader, TAR_END, tarEntry } from '../tar-writer.js';

const ONE = { name: '1.png', bytes: PIXEL };
let folder = '';

block(
  'damaged tar archives',
  (check) => {
    check('an archive of nothing but damage is read about once', () => {
      const [bad, extension] = [{ name: 'x.png', size: 'no size' }, paxHeader({ path: 'a.png' })].map(tarEntry);
      for (const [entry, copies] of [
        [bad, 8000],
        [extension, 4000],
        [Buffer.alloc(TAR_BLOCK_BYTES, 7), 8000],
      ] as const) {
        const path = join(folder, 'damage.cbt');
        const whole = Buffer.concat([
          tarEntry(ONE),
          ...Array.from({ length: copies }, () => entry ?? Buffer.alloc(0)),
          TAR_END,
        ]);
        writeFileSync(path, whole);
        const file = openBookFile(path);
        let bytes = 0;
        const counted = new Proxy(file, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name);
            if (typeof value !== 'function') return value;
            if (name !== 'read') return value.bind(target);
            return (at: number, length: number): Buffer => {
              bytes += length;
              return target.read(at, length);
            };
          },
        });
        try {
          assert.is(listTar(counted, 20_000, () => undefined).entries.length, 1);
          assert.ok(bytes < 3 * whole.length, `${bytes} of ${whole.length}`);
          if (entry === bad || entry === extension)
            assert.throws(() => listTar(file, 10, () => undefined), /more than 10/);
        } finally {
          file.close();
        }
      }
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-tar-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
