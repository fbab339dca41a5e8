// Packed pages of archives that were being unpacked when the process died: refused at the next start, and named.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { begunRecord, JOURNAL_BYTES, LARGE_RECORD, slotAt } from '../../core/model/decode-journal.js';
import { journalPath } from '../../core/pages/deadly-images.js';
import { fixture } from '../../fixtures/index.js';
import { type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';

const BOOKS = {
  'packed.cbr': {
    case: 'rar5-dictionary-512mb.cbr',
    key: /page\/[0-9a-f]{32}\/[^/\0]+\/\d+\/original/,
    what: /decoding page 1;/,
  },
  'solid.cbr': {
    case: 'rar5-dictionary-256mb-solid.cbr',
    key: /archive\/[0-9a-f]{32}\/[^/\0]+/,
    what: /decoding its packed pages;/,
  },
} as const;

let folder = '';
let temp: TempApp | null = null;

const started = async (): Promise<(path: string, method?: string) => ReturnType<TempApp['call']>> => {
  const app = await tempApp({ folder });
  temp = app;
  const token = await app.tokenOf('admin');
  return (path, method = 'GET') => app.call(method, `/api/v1${path}`, { token });
};

const ended = async (): Promise<void> => {
  await temp?.close();
  temp = null;
};

block(
  'archives that were being unpacked when the process died',
  (check) => {
    const keys: string[] = [];
    const ids: Record<string, string> = {};
    check('leave the key of what was unpacked in the journal', async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-deadly-'));
      const ask = await started();
      const shelf = join(folder, 'shelf', 'Packed');
      mkdirSync(shelf, { recursive: true });
      for (const [name, book] of Object.entries(BOOKS)) copyFileSync(fixture(`cases/${book.case}`), join(shelf, name));
      const made = await temp?.call('POST', '/api/v1/libraries', {
        token: await temp.tokenOf('admin'),
        body: { name: 'Shelf', path: join(folder, 'shelf') },
      });
      await ask(`/libraries/${made?.json.id}/scan`, 'POST');
      await until('the scan ends', () => temp?.app.scans.active().length === 0);
      for (const { id, path } of (await ask('/books')).json.data) ids[path.split('/').at(-1)] = id;
      for (const [name, { key }] of Object.entries(BOOKS)) {
        assert.is((await ask(`/books/${ids[name]}/pages/1`)).status, 200, name);
        // What ended is marked as such; its key is overwritten by the next one of the same thread, often a page that is prepared ahead.
        const found = key.exec(readFileSync(journalPath(join(folder, 'data')), 'latin1'))?.[0];
        assert.ok(found, name);
        keys.push(found.replace(/\d+(?=\/original)/, '1'));
      }
      await ended();
    });
    check('are refused by name at the next start', async () => {
      const journal = Buffer.alloc(JOURNAL_BYTES);
      for (const [thread, key] of keys.entries()) {
        begunRecord(key).copy(journal, slotAt(thread));
        LARGE_RECORD.copy(journal, slotAt(thread));
      }
      writeFileSync(journalPath(join(folder, 'data')), journal);
      rmSync(join(folder, 'data', 'cache'), { recursive: true, force: true });
      const ask = await started();
      for (const [name, { what }] of Object.entries(BOOKS)) {
        const refused = await ask(`/books/${ids[name]}/pages/1`);
        assert.equal([refused.status, refused.json.error], [422, 'CorruptPage'], name);
        assert.match(refused.json.message, what);
        const next = await ask(`/books/${ids[name]}/pages/2`);
        assert.is(next.status, name === 'solid.cbr' ? 422 : 200, `${name}: the second page`);
      }
      assert.is((await ask('/books/errors')).json.totalBooksWithErrors, 2);
    });
  },
  {
    after: async () => {
      await ended();
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
