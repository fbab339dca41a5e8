// Files that cannot be read as a book have a hash all the same: whatever can be read as bytes can be recognised and compared.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { hashFile } from '../../workers/hashes.js';
import { tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';

const hashOf = async (path: string): Promise<string> => {
  const file = openBookFile(path);
  const readAhead = (): Promise<void> => Promise.reject(new Error('nothing is slow here'));
  return hashFile({ ...file, isSlow: false, readAhead }, () => undefined).finally(() => file.close());
};

const FILES: Readonly<Record<string, Buffer>> = {
  'empty.cbz': Buffer.alloc(0),
  'text.cbr': Buffer.from('no archive'),
  'large.pdf': Buffer.alloc(3 * 1024 ** 2, 'no document '),
  'protected.epub': readFileSync(fixture('books/drm-lcp.epub')),
};

block('hashes of files that cannot be read', (check) => {
  check('each has the hash of its bytes', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      mkdirSync(join(temp.shelf, 'Odd'));
      for (const [name, bytes] of Object.entries(FILES)) writeFileSync(join(temp.shelf, 'Odd', name), bytes);
      const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
      await temp.call('POST', '/api/v1/libraries', { token, body });
      type Book = { readonly path: string; readonly analyzed: boolean; readonly fileHash: string };
      const books = async (): Promise<readonly Book[]> =>
        (await temp.call('GET', '/api/v1/books?pageSize=500', { token })).json.data;
      await until('all are hashed', async () => {
        const all = await books();
        return all.length === Object.keys(FILES).length && all.every(({ fileHash }) => fileHash !== '');
      });
      for (const { path, analyzed, fileHash } of await books())
        assert.equal([analyzed, fileHash], [false, await hashOf(path)], path);
    } finally {
      await temp.close();
    }
  });
});
